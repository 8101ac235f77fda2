//! Tables in text files.

use crate::desk::{Desk, Room};
use insta::assert_snapshot;
use stepwell_import::{ImportError, Kind, Options};

fn import(content: impl AsRef<[u8]>, options: Options) -> Desk {
    let room = Room::new();
    Desk::with(Kind::Csv, &room.file("My expenses.csv", content), options).expect("an import")
}

const EXPENSES: &str = "\u{feff}number,date,amount,paid,note,zip\r\n1,2026-03-01,12.50,true,\"Ferry, \"\"return\"\"\",00701\r\n2,2026-03-02,-3,false,,8001\r\n3,2026-03-03,1.10,true,\"two\nlines\",\r\n";

#[test]
fn rows_become_records_with_types() {
    let named = |name: &str| Some(name.to_owned());
    let desk = import(EXPENSES, Options { key: named("number"), time: named("date"), ..Options::default() });
    assert_snapshot!(format!(
        "{}\n{}",
        desk.golden(),
        serde_json::to_string_pretty(&desk.streams[0].manifest).unwrap()
    ));
    let raw = desk.drafts[2].data.get();
    assert!(raw.contains("\"amount\":1.10"), "a number stays as it is written: {raw}");
}

#[test]
fn a_column_of_dates_is_a_time_only_if_it_is_named() {
    let people = "id,name,born,joined\n1,Ilse,1980-05-01,2026-03-01\n2,Bo,1999-01-01,2026-03-02\n";
    let desk = import(people, Options::default());
    let manifest = &desk.streams[0].manifest;
    for field in ["cursor_field", "consent_time_field"] {
        assert_eq!(manifest.get(field), None, "a birthday must not decide what a grant discloses");
    }
    assert_eq!(desk.reasons(), ["no_time"]);
    assert!(desk.skips[0].detail.ends_with("--time born, or joined"), "{}", desk.skips[0]);
    let desk = import(people, Options { time: Some("joined".to_owned()), ..Options::default() });
    assert_eq!(desk.streams[0].manifest["consent_time_field"], "joined");
    assert_eq!(desk.reasons(), [""; 0]);
    assert_eq!(import("a,b\n1,2\n", Options::default()).reasons(), [""; 0], "there is none to name");
}

#[test]
fn times_that_nobody_can_read_are_counted() {
    let rows = "id,at\n1,2026-03-01\n2,1.3.2026\n3,\n4,1772352060\n5,2026-03-01 09:00\n";
    let desk = import(rows, Options { time: Some("at".to_owned()), ..Options::default() });
    assert_eq!((desk.drafts.len(), desk.reasons()), (5, vec!["no_time"]));
    // A column of texts and numbers holds texts, and a text of digits is no moment.
    assert!(desk.skips[0].detail.starts_with("no time for 4 of 5 rows: what at has"), "{}", desk.skips[0]);
}

#[test]
fn separators_and_encodings_are_found() {
    for content in ["id;name\n1;Zürich, CH\n", "id\tname\n1\tZürich, CH\n", "id|name\n1|Zürich, CH\n"] {
        assert_eq!(import(content, Options::default()).one("my_expenses")["name"], "Zürich, CH", "{content}");
    }
    assert_eq!(import(b"id;name\n1;Z\xfcrich\n", Options::default()).one("my_expenses")["name"], "Zürich");
}

#[test]
fn rows_without_a_key_are_told_apart_and_keep_their_keys() {
    let content = "what,price\ncoffee,3\ncoffee,3\ntea,2\n";
    let desk = import(content, Options::default());
    let keys: Vec<&str> = desk.drafts.iter().map(|draft| draft.key.as_str()).collect();
    assert_eq!(keys.len(), 3);
    assert_eq!(keys[1], format!("{}:2", keys[0]));
    assert_eq!(desk.golden(), import(content, Options::default()).golden());
}

#[test]
fn broken_rows_and_columns_are_named() {
    let desk = import("id,id,,a\0b\n1,2,3,4\n1,2,3,4,5\n6\n\0,\0,\0,\0\n", Options::default());
    assert_eq!(desk.reasons(), ["malformed"]);
    assert_eq!(desk.skips[0].place.to_string(), "My expenses.csv, row 2");
    assert_eq!(desk.drafts.len(), 3);
    let room = Room::new();
    for (content, options) in [
        ("", Options::default()),
        ("a,b\n1,2\n", Options { key: Some("nope".to_owned()), ..Options::default() }),
        ("a,b\n1,2\n", Options { time: Some("nope".to_owned()), ..Options::default() }),
    ] {
        let error = Desk::with(Kind::Csv, &room.file("x.csv", content), options).err().expect("a refusal");
        assert!(matches!(error, ImportError::NotOfKind { .. } | ImportError::Option(_)), "{error}");
    }
    let wide = vec!["c"; 5_000].join(",");
    assert!(Desk::with(Kind::Csv, &room.file("x.csv", wide), Options::default()).is_err());
}
