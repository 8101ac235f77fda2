//! JSON objects, one a line.

use crate::desk::{Desk, Room};
use insta::assert_snapshot;
use stepwell_import::{Kind, Options};

fn import(content: impl AsRef<[u8]>) -> Desk {
    with(content, Options::default())
}

fn with(content: impl AsRef<[u8]>, options: Options) -> Desk {
    let room = Room::new();
    Desk::with(Kind::Jsonl, &room.file("notes.jsonl", content), options).expect("an import")
}

fn by_time(column: &str) -> Options {
    Options { time: Some(column.to_owned()), ..Options::default() }
}

#[test]
fn lines_become_records_as_they_stand() {
    let lines = concat!(
        "{\"id\":\"a/b\",\"title\":\"Kettle\",\"at\":\"2026-03-01T08:00:00Z\",\"n\":1.10,\"tags\":[\"x\"]}\n",
        "\n",
        "{\"id\":7,\"title\":\"Pot\",\"at\":\"2026-03-02\",\"big\":123456789012345678901234567890}\r\n",
    );
    let desk = with(lines, by_time("at"));
    assert_snapshot!(format!(
        "{}\n{}",
        desk.golden(),
        serde_json::to_string_pretty(&desk.streams[0].manifest).unwrap()
    ));
    assert_eq!(desk.drafts[1].key, "7");
    assert!(desk.drafts[1].data.get().contains("123456789012345678901234567890"));
}

#[test]
fn a_time_is_named_or_none() {
    let lines =
        "{\"id\":1,\"at\":\"2026-03-01\"}\n{\"id\":2,\"at\":1772352060}\n{\"id\":3,\"at\":\"soon\"}\n";
    let desk = import("{\"id\":1,\"at\":\"2026-03-01\"}\n");
    assert_eq!((desk.streams[0].manifest.get("consent_time_field"), desk.reasons()), (None, vec!["no_time"]));
    let desk = with(lines, by_time("at"));
    assert_eq!(desk.streams[0].manifest["consent_time_field"], "at");
    assert!(desk.skips[0].detail.starts_with("no time for 1 of 3 rows"), "{}", desk.skips[0]);
}

#[test]
fn bad_lines_are_named_and_the_others_are_taken() {
    let lines: [&[u8]; 7] =
        [b"{\"id\":1}", b"[1]", b"{\"id\":2", b"{\"a\":\"\xff\"}", b"null", b"{\"id\":1}", b"{\"id\":3}"];
    let desk = import(lines.join(&b'\n'));
    assert_eq!(desk.drafts.iter().map(|draft| draft.key.as_str()).collect::<Vec<_>>(), ["1", "3"]);
    assert_eq!(desk.reasons(), ["malformed", "malformed", "malformed", "malformed", "duplicate"]);
    assert_eq!(import("").drafts.len(), 0);
}

#[test]
fn a_later_version_of_a_row_is_kept_beside_the_first() {
    let desk = import("{\"id\":\"a\",\"v\":1}\n{\"id\":\"a\",\"v\":2}\n");
    assert_eq!(desk.drafts[0].key, "a");
    assert!(desk.drafts[1].key.starts_with("a~"));
}
