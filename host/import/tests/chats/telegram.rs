//! Exports of Telegram Desktop.

use crate::desk::{Desk, Room};
use insta::assert_snapshot;
use serde_json::{Value, json};
use stepwell_import::{ImportError, Kind, Options};

/// One of each thing that the program writes.
fn chat() -> Value {
    json!({
        "name": "Ferry crew", "type": "private_group", "id": 4_242_424_242_u64,
        "messages": [
            { "id": 1, "type": "service", "date": "2026-03-01T09:00:00", "date_unixtime": "1772352000", "actor": "Ilse", "actor_id": "user1", "action": "create_group", "title": "Ferry crew", "members": ["Ilse", "Bo", null], "text": "", "text_entities": [] },
            { "id": 2, "type": "message", "date": "2026-03-01T09:01:00", "date_unixtime": "1772352060", "edited": "2026-03-01T09:05:00", "edited_unixtime": "1772352300", "from": "Ilse", "from_id": "user1",
              "text": ["See ", { "type": "text_link", "text": "the table", "href": "https://ferry.example" }, " and ", { "type": "bold", "text": "hurry" }, "!"],
              "text_entities": [{ "type": "plain", "text": "See " }],
              "reactions": [{ "type": "emoji", "count": 2, "emoji": "👍", "recent": [{ "from": "Bo", "from_id": "user2", "date": "2026-03-01T09:06:00" }] }] },
            { "id": 3, "type": "message", "date": "2026-03-01T09:02:00", "date_unixtime": "1772352120", "from": null, "from_id": "user2", "reply_to_message_id": 2,
              "photo": "photos/photo_1.jpg", "photo_file_size": 4_096, "width": 10, "height": 10, "text": "", "text_entities": [] },
            { "id": 4, "type": "message", "date": "2026-03-01T09:03:00", "date_unixtime": "1772352180", "from": "Bo", "from_id": "user2", "sticker_emoji": "⛴", "media_type": "sticker", "file": "(File not included. Change data exporting settings to download.)", "text": "" },
            { "id": 5, "type": "message", "date": "2026-03-01T09:04:00", "date_unixtime": "1772352240", "from": "Bo", "from_id": "user2", "forwarded_from": "Harbour", "reply_to_message_id": 9, "reply_to_peer_id": "channel77", "via_bot": "@tides",
              "file": "files/tides.pdf", "file_name": "Tides of March.pdf", "file_size": 120, "mime_type": "application/pdf", "text": "for you" },
            { "id": 6, "type": "message", "date": "2026-03-01T09:05:00", "date_unixtime": "1772352300", "from": "Bo", "from_id": "user2", "forwarded_from": null,
              "poll": { "question": "When?", "closed": false, "total_voters": 3, "answers": [{ "text": "At seven", "voters": 2, "chosen": true }, { "text": "Never", "voters": 1, "chosen": false }] }, "text": "" },
            { "id": 7, "type": "message", "date": "2026-03-01T09:06:00", "date_unixtime": "1772352360", "from": "Bo", "from_id": "user2", "contact_information": { "first_name": "Ilse", "last_name": "", "phone_number": "+49 170 1" }, "text": "" },
            { "id": 8, "type": "message", "date": "2026-03-01T09:07:00", "date_unixtime": "1772352420", "from": "Bo", "from_id": "user2", "place_name": "Pier 4", "address": "Quay 1", "location_information": { "latitude": 53.5, "longitude": 9.9 }, "text": "" },
            { "id": 9, "type": "message", "date": "2026-03-01T09:08:00", "date_unixtime": "1772352480", "from": "Bo", "from_id": "user2", "file": "voice_messages/audio_1.ogg", "media_type": "voice_message", "mime_type": "audio/ogg", "duration_seconds": 7, "text": "" },
            { "id": 10, "type": "service", "date": "2026-03-01T09:09:00", "date_unixtime": "1772352540", "actor": "Bo", "actor_id": "user2", "action": "pin_message", "message_id": 2, "text": "" },
            { "id": 11, "type": "service", "date": "2026-03-01T09:10:00", "date_unixtime": "1772352600", "actor": "Bo", "actor_id": "user2", "action": "phone_call", "duration_seconds": 61, "discard_reason": "hangup", "text": "" },
            { "id": 12, "type": "message", "date": "2026-03-01T09:11:00", "date_unixtime": "1772352660", "from": "Tide bot", "from_id": "user9", "text": "Choose", "inline_bot_buttons": [[{ "type": "callback", "text": "High", "data": "h" }, { "type": "callback", "text": "Low", "data": "l" }]] },
            { "id": 13, "type": "message", "date": "never", "date_unixtime": "never", "from": "Bo", "from_id": "user2", "text": "no such time" },
            { "id": 14, "type": "unsupported" },
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
    assert_eq!(all.of("chat_messages").len(), 28);
    assert_eq!(all.of("chat_messages")[..14], single.of("chat_messages")[..]);
    assert_eq!(all.of("conversations")[1].1["title"], "saved_messages");
}

#[test]
fn the_clock_of_older_exports_stands_in_the_zone_that_is_named() {
    let room = Room::new();
    let mut old = chat();
    old["messages"][3].as_object_mut().unwrap().remove("date_unixtime");
    let path = room.file("result.json", old.to_string());
    let zone = jiff::tz::TimeZone::get("Europe/Berlin").ok();
    let desk = Desk::with(Kind::Telegram, &path, Options { zone, ..Options::default() }).unwrap();
    assert_eq!(desk.of("chat_messages")[3].1["sent_at"], "2026-03-01T08:03:00Z");
    assert_eq!(desk.reasons(), [""; 0]);
    let desk = Desk::import(Kind::Telegram, &path);
    assert_eq!(desk.of("chat_messages")[3].1.get("sent_at"), None, "a zone is not guessed");
    assert_eq!(desk.one("conversations").get("updated_at"), None, "nor how long the chat goes");
    assert_eq!(desk.reasons(), ["no_time"]);
    let detail = &desk.skips[0].detail;
    assert!(detail.starts_with("no time for 1 of 14 messages") && detail.contains("--time-zone"), "{detail}");
}

#[test]
fn control_characters_are_read_as_the_program_writes_them() {
    let room = Room::new();
    let json = r#"{"name":"x","id":1,"messages":[{"id":1,"type":"message","date_unixtime":"1772352060","text":"a\x1Fb"}]}"#;
    let desk = Desk::import(Kind::Telegram, &room.file("result.json", json));
    assert_eq!((desk.one("chat_messages")["text"].as_str(), desk.skips.len()), (Some("a\u{1f}b"), 0));
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
