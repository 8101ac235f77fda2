//! The export of a Slack workspace.

use crate::desk::{Desk, Room};
use insta::assert_snapshot;
use serde_json::{Value, json};
use stepwell_import::{ImportError, Kind, Options};

fn export() -> Vec<(&'static str, Value)> {
    vec![
        (
            "users.json",
            json!([
                { "id": "U1", "name": "ilse", "real_name": "Ilse Varnholt", "deleted": false, "is_bot": false,
                  "profile": { "display_name": "Ilse", "real_name": "Ilse Varnholt", "email": "ilse@tides.example", "title": "Tides" } },
                { "id": "U2", "name": "bo", "profile": { "display_name": "", "real_name": "Bo" } },
                { "name": "nobody" },
            ]),
        ),
        (
            "channels.json",
            json!([
                { "id": "C1", "name": "general", "created": 1_700_000_000, "is_archived": false, "members": ["U1", "U2"],
                  "topic": { "value": "Tides & times" }, "purpose": { "value": "Everything" } },
            ]),
        ),
        ("dms.json", json!([{ "id": "D1", "created": 1_700_000_000, "members": ["U1", "U2"] }])),
        ("integration_logs.json", json!([])),
        (
            "general/2026-03-01.json",
            json!([
                { "type": "message", "user": "U1", "text": "<@U2> see <https://a.example|the chart> &amp; reply", "ts": "1772352000.000100",
                  "thread_ts": "1772352000.000100", "reply_count": 1, "reactions": [{ "name": "ship", "users": ["U2"], "count": 1 }],
                  "files": [{ "id": "F1", "name": "chart.csv", "title": "Chart", "mimetype": "text/csv", "size": 120, "preview": "a,b\n1,2", "url_private": "https://files.example/F1?t=xoxe-secret" }] },
                { "type": "message", "user": "U2", "text": "Done.", "ts": "1772352060.000200", "thread_ts": "1772352000.000100", "edited": { "user": "U2", "ts": "1772352070.000000" } },
                { "type": "message", "subtype": "bot_message", "username": "tidebot", "bot_id": "B1", "text": "High tide.", "ts": "1772352120.000300" },
                { "type": "message", "subtype": "bot_message", "bot_id": "B2", "text": "", "ts": "1772352180.000400",
                  "attachments": [{ "fallback": "Ferry late", "title": "Ferry late", "text": "by <@U1>", "fields": [{ "title": "Minutes", "value": "12" }] }] },
                { "type": "message", "user": "U1", "text": "as <https://b.example> says", "ts": "1772352240.000500", "attachments": [{ "title": "Tides", "text": "High &amp; low", "from_url": "https://b.example" }] },
                { "type": "message", "subtype": "thread_broadcast", "user": "U1", "text": "for all", "ts": "1772352300.000600", "thread_ts": "1772352000.000100", "root": { "ts": "1772352000.000100" } },
                { "type": "message", "user": "U1", "text": "gone", "ts": "1772352360.000700", "files": [{ "id": "F2", "mode": "tombstone" }] },
                { "type": "message", "text": "no time" },
            ]),
        ),
        (
            "D1/2026-03-01.json",
            json!([{ "type": "message", "user": "U2", "text": "psst", "ts": "1772352000.000100" }]),
        ),
    ]
}

#[test]
fn people_channels_messages_and_files_become_records() {
    let room = Room::new();
    let files: Vec<(&str, String)> =
        export().into_iter().map(|(name, value)| (name, value.to_string())).collect();
    let entries: Vec<(&str, &[u8])> =
        files.iter().map(|(name, content)| (*name, content.as_bytes())).collect();
    let zip = room.zip("tides.zip", &entries);
    let desk = Desk::import(Kind::Slack, &zip);
    assert_snapshot!(desk.golden());
    assert!(!desk.golden().contains("xoxe"), "a link that opens files for anybody is no record");
    for (name, content) in &files {
        room.file(&format!("tides/{name}"), content);
    }
    let unpacked = Desk::import(Kind::Slack, &room.path("tides"));
    assert_eq!(unpacked.of("chat_messages"), desk.of("chat_messages"));
}

#[test]
fn another_archive_is_refused() {
    let room = Room::new();
    let zip = room.zip("x.zip", &[("conversations.json", b"[]")]);
    let error = Desk::with(Kind::Slack, &zip, Options::default()).err().expect("a refusal");
    assert!(matches!(error, ImportError::NotOfKind { kind: Kind::Slack, .. }), "{error}");
}
