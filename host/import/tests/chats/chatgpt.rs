//! The data export of ChatGPT.

use crate::desk::{Desk, Room};
use insta::assert_snapshot;
use serde_json::{Value, json};
use stepwell_import::Kind;

fn node(id: &str, parent: Option<&str>, message: Value) -> (String, Value) {
    (id.to_owned(), json!({ "id": id, "message": message, "parent": parent, "children": [] }))
}

fn said(role: &str, at: f64, content: Value) -> Value {
    json!({
        "id": "m", "author": { "role": role, "name": null, "metadata": {} }, "create_time": at, "update_time": null,
        "content": content, "status": "finished_successfully", "end_turn": true, "weight": 1.0,
        "metadata": { "model_slug": if role == "assistant" { json!("gpt-4o") } else { Value::Null } }, "recipient": "all",
    })
}

fn parts(text: &str) -> Value {
    json!({ "content_type": "text", "parts": [text] })
}

fn thoughts() -> Value {
    said(
        "assistant",
        1_772_445_711.0,
        json!({ "content_type": "thoughts", "thoughts": [{ "summary": "Looking", "content": "Moss holds water." }, { "summary": "", "content": "So it leaks." }] }),
    )
}

/// An answer with marks in it where it refers to something.
fn cited() -> Value {
    let mut answer =
        said("assistant", 1_772_445_712.0, parts("Moss.\u{e200}cite\u{e202}turn0search1\u{e201} Remove it."));
    answer["metadata"]["content_references"] = json!([
        { "matched_text": "\u{e200}cite\u{e202}turn0search1\u{e201}", "alt": " ([moss](https://moss.example))" },
        { "matched_text": " ", "alt": null },
    ]);
    answer["recipient"] = json!("canmore.create_textdoc");
    answer
}

/// A question that was asked in two ways, so that there are two branches.
pub(super) fn export() -> Value {
    let mut hidden = said("system", 0.0, parts(""));
    hidden["create_time"] = Value::Null;
    hidden["metadata"] = json!({ "is_visually_hidden_from_conversation": true });
    let mut picture = said(
        "user",
        1_772_445_700.5,
        json!({
            "content_type": "multimodal_text",
            "parts": [{ "content_type": "image_asset_pointer", "asset_pointer": "file-service://file-1" }, "And this roof?"]
        }),
    );
    picture["metadata"] = json!({ "attachments": [{ "id": "file-1", "name": "roof.png", "mime_type": "image/png", "size": 12 }] });
    let mapping: serde_json::Map<String, Value> = [
        node("root", None, Value::Null),
        node("sys", Some("root"), hidden),
        node("q1", Some("sys"), said("user", 1_772_445_600.0, parts("Why does my roof leak?"))),
        node("a1", Some("q1"), said("assistant", 1_772_445_610.25, parts("Because of the \u{1f327} rain."))),
        node("q2", Some("sys"), picture),
        node(
            "a2",
            Some("q2"),
            said(
                "assistant",
                1_772_445_710.0,
                json!({ "content_type": "code", "language": "python", "text": "print('moss')" }),
            ),
        ),
        node("a3", Some("a2"), thoughts()),
        node("a4", Some("a3"), cited()),
        node(
            "about",
            Some("sys"),
            said("user", 1_772_445_600.0, json!({ "content_type": "user_editable_context", "user_profile": "I live under a roof.", "user_instructions": "Be dry." })),
        ),
    ]
    .into_iter()
    .collect();
    json!([{
        "title": "Leaking roof", "create_time": 1_772_445_600.0, "update_time": 1_772_445_710.0, "mapping": mapping,
        "moderation_results": [], "current_node": "a2", "conversation_id": "c0ffee-1", "id": "c0ffee-1",
        "is_archived": false, "default_model_slug": "gpt-4o",
    }])
}

#[test]
fn every_branch_becomes_records() {
    let room = Room::new();
    let desk = Desk::import(Kind::Chatgpt, &room.file("conversations.json", export().to_string()));
    assert_snapshot!(desk.golden());
}

#[test]
fn the_archive_the_folder_and_the_file_are_the_same() {
    let room = Room::new();
    let json = export().to_string();
    let file = room.file("export/conversations.json", &json);
    room.file("export/user.json", "{}");
    let zip = room.zip("export.zip", &[("user.json", b"{}"), ("conversations.json", json.as_bytes())]);
    let keys = |path: &std::path::Path| {
        let desk = Desk::import(Kind::Chatgpt, path);
        assert_eq!(desk.reasons(), [""; 0]);
        desk.drafts.iter().map(|draft| (draft.key.clone(), draft.data.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(keys(&file), keys(&room.path("export")));
    assert_eq!(keys(&file), keys(&zip));
}

#[test]
fn a_tree_that_bites_its_tail_ends() {
    let room = Room::new();
    let mapping: serde_json::Map<String, Value> = [
        node("a", Some("b"), said("user", 1.0, parts("a"))),
        node("b", Some("a"), Value::Null),
        node("c", Some("c"), said("user", 1.0, parts("c"))),
        node("d", Some("gone"), said("user", 1.0, parts("d"))),
    ]
    .into_iter()
    .collect();
    let json = json!([{ "conversation_id": "x", "mapping": mapping, "current_node": "a" }]).to_string();
    let desk = Desk::import(Kind::Chatgpt, &room.file("conversations.json", json));
    let parents: Vec<Value> =
        desk.of("chat_messages").into_iter().map(|(_, data)| data["parent_id"].clone()).collect();
    assert_eq!(parents, [json!("x:a"), json!("x:c"), Value::Null]);
}
