//! A record as far as its reader may see it.

use crate::on_both_engines;
use crate::world::{World, code, fields, line, stream};
use serde_json::json;
use stepwell_contract::{Bytes, Chars, Code};
use stepwell_source::{FieldKind, RecordView, time};

on_both_engines!(
    a_record_shows_its_granted_fields_and_no_others,
    a_list_of_fields_narrows_the_record_further,
    a_record_keeps_its_odd_key,
);

fn names(view: &RecordView) -> Vec<&str> {
    view.fields.iter().map(|field| field.name.as_str()).collect()
}

/// A record with a field of each kind, and long ones that are not to be granted.
async fn fill(world: &World) {
    let data = json!({
        "Ähre": "umlaut", "Zoo": "upper case", "ant": "lower case",
        "body": "word ".repeat(2_000), "tree": { "b": [1, { "c": "x".repeat(6_000) }], "a": null },
        "n": 1.5, "yes": true, "no": null, "small": { "k": "v" }, "blank": "",
        "file": { "$blob": { "mime_type": "image/png", "file_name": "a.png", "base64": "AAEC" } },
        "secret": "s".repeat(100_000), "secret_tree": { "a": "s".repeat(100_000) },
    });
    let text = json!({ "key": "k", "data": data, "emitted_at": "2026-03-01T12:00:00Z" }).to_string();
    world.fill("c/s", None, &[text, line("other", &json!({ "ant": "another record" }))]).await;
}

const GRANTED: &[&str] = &["Zoo", "ant", "blank", "body", "file", "n", "no", "small", "tree", "yes", "Ähre"];

async fn a_record_shows_its_granted_fields_and_no_others(world: World) {
    fill(&world).await;
    let caller = world.grant(vec![fields("s", GRANTED)]).await;
    world.seen.take();
    let view = world.record(&caller, "c/s:k", None).await.unwrap();
    assert_eq!(names(&view), GRANTED, "sorted by code point, nested rows not among them");
    assert_eq!(view.identity.id().to_string(), "c/s:k");
    assert_eq!(Some(view.time), time::parse("2026-03-01T12:00:00Z"));
    let bytes: u64 = world.content_seen().iter().map(|seen| seen.bytes).sum();
    assert!(bytes < 12_000, "the fields that were not granted were not selected: {bytes}");
    let field = |name: &str| view.fields.iter().find(|field| field.name == name).unwrap();
    for (name, kind, head) in [
        ("ant", FieldKind::Text, "lower case"),
        ("blank", FieldKind::Text, ""),
        ("n", FieldKind::Number, "1.5"),
        ("yes", FieldKind::Boolean, "true"),
        ("no", FieldKind::Empty, "null"),
        ("small", FieldKind::Json, r#"{"k":"v"}"#),
    ] {
        let field = field(name);
        assert_eq!((field.shape.kind, field.head.as_deref()), (kind, Some(head)), "{name}");
        assert!(field.is_whole(), "{name}");
    }
    let body = field("body");
    assert!(!body.is_whole() && body.shape.chars == Some(Chars(10_000)));
    let head = body.head.as_ref().unwrap();
    assert!("word ".repeat(2_000).starts_with(head.as_str()) && (3_840..=4_096).contains(&head.len()));
    assert!(field("tree").head.as_ref().unwrap().starts_with(r#"{"a":null,"b":[1,{"c":"xxx"#));
    let file = field("file");
    assert_eq!(
        (file.shape.kind, file.head.as_ref(), file.shape.bytes),
        (FieldKind::Binary, None, Some(Bytes(3)))
    );
    assert_eq!(file.shape.mime.as_deref(), Some("image/png"));
}

async fn a_list_of_fields_narrows_the_record_further(world: World) {
    fill(&world).await;
    let caller = world.grant(vec![fields("s", GRANTED)]).await;
    let only = |fields: &[&str]| fields.iter().map(|&field| field.to_owned()).collect::<Vec<_>>();
    let view = world.record(&caller, "c/s:k", Some(&only(&["n", "ant", "n"]))).await.unwrap();
    assert_eq!(names(&view), ["ant", "n"]);
    // Granted, but this record does not have it.
    let view = world.record(&caller, "c/s:other", Some(&only(&["body", "ant"]))).await.unwrap();
    assert_eq!(names(&view), ["ant"]);
    assert!(world.record(&caller, "c/s:k", Some(&[])).await.unwrap().fields.is_empty());
    world.seen.take();
    for closed in [&["secret"][..], &["ant", "secret"], &["nowhere"], &["/tree/b"], &["Ant"]] {
        assert_eq!(
            code(world.record(&caller, "c/s:k", Some(&only(closed))).await),
            Code::FieldNotGranted,
            "{closed:?}"
        );
    }
    world.assert_no_content_was_selected("lists with a field that was not granted");
    let none = world.grant(vec![fields("s", &[])]).await;
    assert!(world.record(&none, "c/s:k", None).await.unwrap().fields.is_empty());
}

async fn a_record_keeps_its_odd_key(world: World) {
    let keys = [
        "re: büro: schlüssel & 猫 №2",
        "he said \"next:\" {id}",
        "odd\u{202e}yek",
        "%2F%2e%2e?x=1#frag",
        " ",
        "e\u{301}",
        "é",
        "'; DROP TABLE record; --",
        "$1 ?1",
        "a.b",
    ];
    let lines: Vec<String> = keys.iter().map(|key| line(key, &json!({ "own": key }))).collect();
    assert_eq!(world.fill("c/s", None, &lines).await.stored.added, keys.len() as u64);
    let caller = world.grant(vec![stream("s")]).await;
    for key in keys {
        let id = format!("c/s:{key}");
        assert_eq!(world.whole(&caller, &id, "own").await.unwrap(), key);
        assert_eq!(world.record(&caller, &id, None).await.unwrap().identity.id().to_string(), id);
    }
}
