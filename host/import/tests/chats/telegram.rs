//! Exports of Telegram Desktop.

use crate::desk::{Desk, Room};
use insta::assert_snapshot;
use serde_json::{Value, json};
use stepwell_import::{ImportError, Kind, Options};

fn chat() -> Value {
    json!({
        "name": "Ferry crew", "type": "private_group", "id": 4_242_424_242_u64,
        "messages": [
            { "id": 1, "type": "service", "date": "2026-03-01T09:00:00", "date_unixtime": "1772352000", "actor": "Ilse", "actor_id": "user1", "action": "create_group", "text": "" },
            { "id": 2, "type": "message", "date": "2026-03-01T09:01:00", "date_unixtime": "1772352060", "from": "Ilse", "from_id": "user1",
              "text": ["See ", { "type": "text_link", "text": "the table", "href": "https://ferry.example" }, " and ", { "type": "bold", "text": "hurry" }, "!"],
              "text_entities": [] },
            { "id": 3, "type": "message", "date": "2026-03-01T09:02:00", "from": null, "from_id": "user2", "reply_to_message_id": 2,
              "photo": "photos/photo_1.jpg", "width": 10, "height": 10, "text": "" },
            { "id": 4, "type": "message", "date": "never", "from": "Bo", "sticker_emoji": "⛴", "media_type": "sticker", "file": "(File not included.)", "text": "" },
        ]
    })
}

#[test]
fn a_single_chat_becomes_records() {
    let room = Room::new();
    assert_snapshot!(Desk::import(Kind::Telegram, &room.file("result.json", chat().to_string())).golden());
}

#[test]
fn a_full_export_has_the_same_messages() {
    let room = Room::new();
    let mut own = chat();
    own["id"] = json!(7);
    own["type"] = json!("saved_messages");
    own.as_object_mut().unwrap().remove("name");
    let full = json!({
        "about": "Here is the data", "personal_information": { "user_id": 1, "first_name": "Ilse" },
        "contacts": { "list": [{ "first_name": "Bo" }] },
        "chats": { "about": "x", "list": [chat(), own] }, "left_chats": { "list": [] },
    });
    let single = Desk::import(Kind::Telegram, &room.file("one/result.json", chat().to_string()));
    let all = Desk::import(Kind::Telegram, &room.file("all/result.json", full.to_string()));
    assert_eq!(all.of("chat_messages").len(), 8);
    assert_eq!(all.of("chat_messages")[..4], single.of("chat_messages")[..]);
    assert_eq!(all.of("conversations")[1].1["title"], "saved_messages");
}

#[test]
fn the_clock_of_older_exports_stands_in_the_zone_that_is_named() {
    let room = Room::new();
    let path = room.file("result.json", chat().to_string());
    let zone = jiff::tz::TimeZone::get("Europe/Berlin").unwrap();
    let desk = Desk::with(Kind::Telegram, &path, Options { zone, ..Options::default() }).unwrap();
    assert_eq!(desk.of("chat_messages")[2].1["sent_at"], "2026-03-01T08:02:00Z");
}

#[test]
fn another_json_file_is_refused() {
    let room = Room::new();
    for json in ["{}", r#"{"name":"x","chats":3}"#, "[]"] {
        let desk = Desk::with(Kind::Telegram, &room.file("result.json", json), Options::default());
        match desk {
            Err(ImportError::NotOfKind { kind: Kind::Telegram, .. }) => {}
            Ok(desk) => assert_eq!(desk.reasons(), ["malformed"], "{json}"),
            Err(error) => panic!("{error}"),
        }
    }
}
