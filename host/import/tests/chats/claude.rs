//! The data export of Claude.

use crate::desk::{Desk, Room};
use insta::assert_snapshot;
use serde_json::json;
use stepwell_import::Kind;

#[test]
fn conversations_messages_and_pasted_texts_become_records() {
    let export = json!([{
        "uuid": "7c1e", "name": "Ferry timetable", "summary": "When the ferry goes.", "account": { "uuid": "acc" },
        "created_at": "2026-03-01T08:00:00.123456Z", "updated_at": "2026-03-01T08:05:00.000000Z",
        "chat_messages": [
            {
                "uuid": "m1", "text": "When does it go?", "sender": "human", "content": [{ "type": "text", "text": "When does it go?" }],
                "created_at": "2026-03-01T08:00:00.123456Z", "updated_at": "2026-03-01T08:00:00.123456Z",
                "attachments": [{ "file_name": "table.txt", "file_size": 12, "file_type": "txt", "extracted_content": "07:00\n21:30" }],
                "files": [{ "file_name": "pier.jpg" }], "parent_message_uuid": "00000000-0000-4000-8000-000000000000"
            },
            {
                "uuid": "m2", "text": "", "sender": "assistant", "attachments": [], "files": [],
                "content": [
                    { "type": "thinking", "thinking": "The table says so." },
                    { "type": "tool_use", "name": "web_search", "input": { "query": "ferry" } },
                    { "type": "tool_result", "name": "web_search", "content": [{ "type": "knowledge", "title": "Ferries", "url": "https://ferry.example", "text": "Two a day." }] },
                    { "type": "tool_use", "name": "artifacts", "input": { "command": "create", "title": "Timetable", "content": "07:00, 21:30" } },
                    { "type": "tool_result", "name": "artifacts", "content": "OK" },
                    { "type": "token_budget" },
                    { "type": "text", "text": "At seven," },
                    { "type": "text", "text": "and at half past nine." }
                ],
                "created_at": "2026-03-01T08:05:00.000000Z", "updated_at": "2026-03-01T08:06:00.000000Z", "parent_message_uuid": "m1"
            }
        ]
    }]);
    let room = Room::new();
    room.file("data/users.json", "[]");
    room.file("data/conversations.json", export.to_string());
    let desk = Desk::import(Kind::Claude, &room.path("data"));
    assert_snapshot!(desk.golden());
}

#[test]
fn without_parents_a_message_answers_the_one_before() {
    let message = |uuid: &str| json!({ "uuid": uuid, "text": uuid, "sender": "human", "created_at": "2026-03-01T08:00:00Z" });
    let export = json!([{ "uuid": "c", "name": "", "chat_messages": [message("a"), message("b"), { "text": "no id" }, message("c")] }]);
    let room = Room::new();
    let desk = Desk::import(Kind::Claude, &room.file("conversations.json", export.to_string()));
    let parents: Vec<String> =
        desk.of("chat_messages").iter().map(|(_, data)| data["parent_id"].to_string()).collect();
    assert_eq!(parents, ["null", "\"a\"", "\"b\""]);
    assert_eq!(desk.reasons(), ["malformed"]);
}
