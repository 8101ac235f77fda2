//! Every kind, cut short anywhere and with any byte changed: an import ends in records, in reasons or in a refusal, and what
//! it hands over can be stored.

use crate::desk::{Desk, Room};
use jiff::tz::TimeZone;
use rusqlite::Connection;
use serde_json::json;
use std::path::PathBuf;
use stepwell_import::{Kind, Options};

/// How many cuts, and how many changed bytes, each input is tried with.
const TRIES: usize = 60;

/// A small input of each kind that is one file.
fn inputs() -> Vec<(Kind, &'static str, Vec<u8>)> {
    let room = Room::new();
    let database = room.path("a.sqlite");
    Connection::open(&database)
        .unwrap()
        .execute_batch("CREATE TABLE a (id INTEGER PRIMARY KEY, b TEXT, c BLOB); INSERT INTO a VALUES (1, 'x', x'00ff'), (2, NULL, NULL);")
        .unwrap();
    let message = json!({ "id": "m", "author": { "role": "user" }, "create_time": 1.5e9, "content": { "content_type": "text", "parts": ["hello \u{1f327}"] } });
    let chatgpt = json!([{ "conversation_id": "c", "current_node": "b", "mapping": { "a": { "message": null, "parent": null }, "b": { "message": message, "parent": "a" } } }]);
    let claude = json!([{ "uuid": "c", "name": "x", "chat_messages": [{ "uuid": "m", "sender": "human", "text": "hello", "content": [{ "type": "text", "text": "hello" }], "attachments": [{ "file_name": "a", "extracted_content": "b" }] }] }]);
    let telegram = json!({ "name": "x", "type": "private_group", "id": 1, "messages": [{ "id": 1, "type": "message", "date_unixtime": "1772352000", "text": ["a", { "type": "bold", "text": "b" }] }] });
    let slack = room.zip(
        "slack.zip",
        &[
            ("users.json", br#"[{"id":"U1","name":"ilse"}]"#),
            ("channels.json", br#"[{"id":"C1","name":"general"}]"#),
            (
                "general/2026-03-01.json",
                br#"[{"type":"message","user":"U1","text":"<@U1> hi","ts":"1772352000.000100"}]"#,
            ),
        ],
    );
    let mbox = "From a@b Mon Mar  2 09:00:00 2026\nMessage-ID: <m@x>\nContent-Length: 20\nSubject: =?utf-8?q?Z=C3=BC?=\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; format=flowed\n\none \ntwo\n--b\nContent-Type: image/png; name*=utf-8''%C3%BC.png\nContent-Transfer-Encoding: base64\n\niVBORw0K\n--b--\n\nFrom c@d Mon Mar  2 10:00:00 2026\nSubject: y\n\n>From me\n";
    vec![
        (Kind::Mbox, "a.mbox", mbox.into()),
        (Kind::Chatgpt, "conversations.json", chatgpt.to_string().into()),
        (Kind::Claude, "conversations.json", claude.to_string().into()),
        (Kind::Telegram, "result.json", telegram.to_string().into()),
        (Kind::Slack, "slack.zip", std::fs::read(slack).unwrap()),
        (Kind::Whatsapp, "a.txt", "[13.03.26, 09:15:32] Bo: hello\nworld\n[13.03.26, 09:16:00] \u{202a}Ilse\u{202c}: \u{200e}image omitted\n".into()),
        (Kind::Jsonl, "a.jsonl", b"{\"id\":1,\"at\":\"2026-03-01\"}\n{\"id\":2,\"n\":1.10}\n".to_vec()),
        (Kind::Csv, "a.csv", b"id;at;\"no\"\"te\"\n1;2026-03-01;\"a\nb\"\n2;;c\n".to_vec()),
        (Kind::Sqlite, "a.sqlite", std::fs::read(database).unwrap()),
        (Kind::Files, "a.md", "# Title\n\ntext \u{1f327}".into()),
    ]
}

fn import(kind: Kind, path: PathBuf) -> bool {
    let options = Options { zone: Some(TimeZone::UTC), ..Options::default() };
    Desk::with(kind, &path, options).is_ok_and(|desk| !desk.drafts.is_empty())
}

#[test]
fn an_input_that_was_cut_or_changed_ends_in_records_reasons_or_a_refusal() {
    for (kind, name, whole) in inputs() {
        let room = Room::new();
        assert!(import(kind, room.file(name, &whole)), "{kind} has no record when it is whole");
        let step = whole.len().div_ceil(TRIES).max(1);
        for at in (0..whole.len()).step_by(step) {
            import(kind, room.file(name, &whole[..at]));
            for byte in [0, 0xff, b'"', b'\n', whole[at] ^ 1] {
                let mut changed = whole.clone();
                changed[at] = byte;
                import(kind, room.file(name, &changed));
            }
        }
    }
}
