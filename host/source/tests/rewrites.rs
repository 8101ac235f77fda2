//! Filling a stream again: what is the same stays, what changed is noticed, what is wrong harms nothing else.

use crate::on_both_engines;
use crate::world::{World, code, fields, line, stream};
use serde_json::json;
use stepwell_contract::selector::Query;
use stepwell_contract::{Chars, Code, Span};
use stepwell_source::embedded::{IngestTarget, StoredBatch};
use stepwell_source::grant::StreamRequest;
use stepwell_source::prepare::{Manifest, RejectionCode};
use stepwell_source::{Source, SourceError, time};

on_both_engines!(
    the_same_lines_again_change_nothing,
    a_changed_field_is_not_read_by_what_was_measured_before,
    a_field_that_stayed_the_same_is_read_through_a_change_beside_it,
    two_versions_in_one_go_are_two_writes_in_their_order,
    bad_lines_do_not_undo_good_ones,
    a_record_that_moves_out_of_the_time_range_is_gone,
    a_manifest_that_was_declared_once_still_counts,
    batches_of_many_records_are_all_there,
);

fn stored(added: u64, changed: u64, unchanged: u64) -> StoredBatch {
    StoredBatch { added, changed, unchanged, ..StoredBatch::default() }
}

fn letter(key: &str, body: &str) -> String {
    line(
        key,
        &json!({ "subject": "same", "body": body, "tree": { "a": { "b": body, "c": "x".repeat(5_000) } } }),
    )
}

async fn the_same_lines_again_change_nothing(world: World) {
    let lines: Vec<String> = (0..20).map(|n| letter(&n.to_string(), &"text ".repeat(n * 100))).collect();
    assert_eq!(world.fill("c/s", None, &lines).await.stored, stored(20, 0, 0));
    let caller = world.grant(vec![stream("s")]).await;
    let before = world.record(&caller, "c/s:19", None).await.unwrap();
    let field = world.field(&caller, "c/s:19", "body").await.unwrap();
    assert_eq!(world.fill("c/s", None, &lines).await.stored, stored(0, 0, 20));
    // The same content in another spelling is the same content.
    let respelled = lines[19].replace("\"tree\":", " \"tree\" : ").replace("text", "\\u0074ext");
    assert_ne!(respelled, lines[19]);
    assert_eq!(world.fill("c/s", None, &[respelled]).await.stored, stored(0, 0, 1));
    assert_eq!(world.record(&caller, "c/s:19", None).await.unwrap(), before);
    assert!(world.store.text(&caller, &field, field.whole()).await.unwrap() == "text ".repeat(1_900));
    assert_eq!(
        world.fill("c/s", None, &[letter("3", "new"), letter("20", "")]).await.stored,
        stored(1, 1, 0)
    );
    let scopes = world.store.scopes().await.unwrap();
    assert_eq!(world.store.count_records(&scopes[0]).await.unwrap(), 21);
}

async fn a_changed_field_is_not_read_by_what_was_measured_before(world: World) {
    let (old, new) = ("old text ".repeat(1_000), "new text ".repeat(1_000));
    for (old, new) in [(old.as_str(), new.as_str()), ("short", "brief"), ("short again", &new), (&old, "")] {
        world.fill("c/s", None, &[letter("k", old), letter("beside", old)]).await;
        let caller = world.grant(vec![stream("s")]).await;
        let paths = ["body", "tree", "/tree/a"];
        let mut before = Vec::new();
        for path in paths {
            before.push(world.field(&caller, "c/s:k", path).await.unwrap());
        }
        assert_eq!(world.fill("c/s", None, &[letter("k", new)]).await.stored, stored(0, 1, 0));
        for field in &before {
            let span = Span::at(Chars(0), Chars(5));
            let read = world.store.text(&caller, field, span).await;
            assert!(matches!(read, Err(SourceError::Changed)), "{:?}: {read:?}", field.path);
            let found = world.store.find(&caller, field, &Query::new("t").unwrap(), Chars(0)).await;
            assert!(matches!(found, Err(SourceError::Changed)), "{:?}: {found:?}", field.path);
        }
        assert_eq!(world.whole(&caller, "c/s:k", "body").await.unwrap(), new);
        assert_eq!(world.whole(&caller, "c/s:k", "/tree/a/b").await.unwrap(), new);
        assert_eq!(world.whole(&caller, "c/s:beside", "body").await.unwrap(), old);
    }
}

async fn a_field_that_stayed_the_same_is_read_through_a_change_beside_it(world: World) {
    let long = "stays as it is ".repeat(1_000);
    let version =
        |n: u64| line("k", &json!({ "body": long, "short": "stays", "tree": { "a": [long] }, "n": n }));
    world.fill("c/s", None, &[version(1), letter("behind", "x")]).await;
    let caller = world.grant(vec![stream("s")]).await;
    let mut before = Vec::new();
    for path in ["body", "short", "tree", "/tree/a", "/tree/a/0"] {
        let field = world.field(&caller, "c/s:k", path).await.unwrap();
        let text = world.store.text(&caller, &field, field.whole()).await.unwrap();
        before.push((field, text));
    }
    assert_eq!(world.fill("c/s", None, &[version(2)]).await.stored, stored(0, 1, 0));
    for (field, text) in &before {
        let read = world.store.text(&caller, field, field.whole()).await;
        assert!(read.is_ok_and(|read| read == *text), "{:?}", field.path);
    }
}

async fn two_versions_in_one_go_are_two_writes_in_their_order(world: World) {
    let lines = [
        letter("k", "first"),
        letter("other", "x"),
        letter("k", "second"),
        letter("k", "second"),
        letter("k", "third"),
    ];
    assert_eq!(world.fill("c/s", None, &lines).await.stored, stored(2, 2, 1));
    let caller = world.grant(vec![stream("s")]).await;
    assert_eq!(world.whole(&caller, "c/s:k", "body").await.unwrap(), "third");
}

async fn bad_lines_do_not_undo_good_ones(world: World) {
    let lines: &[&[u8]] = &[
        br#"{"key":"1","data":{"a":"one"}}"#,
        b"{",
        b"",
        b"\xff\xfe",
        br#"{"key":"a/b","data":{}}"#,
        br#"{"key":"nul\u0000","data":{}}"#,
        br#"{"key":"2","data":{"a":"two"},"emitted_at":"later"}"#,
        br#"{"key":"3","data":{"a\u0000":1}}"#,
        br#"{"key":"4","data":{"f":{"$blob":{}}}}"#,
        br#"{"key":null,"data":{}}"#,
        br#"{"key":{},"data":{}}"#,
        br#"{"key":"5","data":{"a":"five"}} {"key":"6","data":{}}"#,
        br#"{"key":7,"data":{"a":"seven"}}"#,
    ];
    let filled = world.fill("c/s", None, lines).await;
    assert_eq!(filled.stored, stored(2, 0, 0));
    use RejectionCode::{InvalidBlob, InvalidTime, InvalidUtf8, MalformedNdjson, UnsafeKey, UnstorableNul};
    let codes = [
        MalformedNdjson,
        MalformedNdjson,
        InvalidUtf8,
        UnsafeKey,
        UnsafeKey,
        InvalidTime,
        UnstorableNul,
        InvalidBlob,
        MalformedNdjson,
        MalformedNdjson,
        MalformedNdjson,
    ];
    assert_eq!(filled.rejected, (2..).zip(codes).collect::<Vec<_>>());
    let caller = world.grant(vec![stream("s")]).await;
    for (id, text) in [("c/s:1", "one"), ("c/s:7", "seven")] {
        assert_eq!(world.whole(&caller, id, "a").await.unwrap(), text);
    }
    assert_eq!(code(world.field(&caller, "c/s:5", "a").await), Code::NotFound);
}

const DATED: &str = r#"{"consent_time_field":"at"}"#;

/// A grant that begins with 2026.
fn this_year() -> StreamRequest {
    StreamRequest { since: time::parse("2026-01-01"), ..fields("s", &["a"]) }
}

async fn a_record_that_moves_out_of_the_time_range_is_gone(world: World) {
    let at = |at: &str| line("k", &json!({ "a": "the same text", "at": at }));
    world.fill("c/s", Some(DATED), &[at("2026-06-01")]).await;
    let caller = world.grant(vec![this_year()]).await;
    let field = world.field(&caller, "c/s:k", "a").await.unwrap();
    assert_eq!(world.fill("c/s", Some(DATED), &[at("2025-06-01")]).await.stored, stored(0, 1, 0));
    world.seen.take();
    assert!(matches!(world.store.text(&caller, &field, field.whole()).await, Err(SourceError::Changed)));
    assert_eq!(code(world.field(&caller, "c/s:k", "a").await), Code::NotFound);
    assert_eq!(world.content_seen().iter().map(|seen| seen.rows).sum::<usize>(), 0);
}

/// Whoever fills a stream again without repeating its manifest must not move its records into a grant's time range.
async fn a_manifest_that_was_declared_once_still_counts(world: World) {
    world.fill("c/s", Some(DATED), &[line("k", &json!({ "a": "old", "at": "2020-01-01" }))]).await;
    let caller = world.grant(vec![this_year()]).await;
    let target = IngestTarget {
        connection: crate::world::connection("c"),
        connector: None,
        label: None,
        stream: stream("s").name,
        manifest: Manifest::default(),
    };
    let mut ingest = world.store.ingest(&target).await.unwrap();
    assert_eq!(ingest.manifest().consent_time_field(), Some("at"));
    let line = r#"{"key":"k","data":{"a":"older","at":"2020-01-01"},"emitted_at":"2026-06-01"}"#;
    let record = stepwell_source::prepare::prepare(line.as_bytes(), ingest.manifest()).unwrap();
    ingest.push(record).await.unwrap();
    assert_eq!(ingest.flush().await.unwrap(), stored(0, 1, 0));
    assert_eq!(code(world.field(&caller, "c/s:k", "a").await), Code::NotFound);
}

async fn batches_of_many_records_are_all_there(world: World) {
    let lines: Vec<String> =
        (0..2_500).map(|n| line(&n.to_string(), &json!({ "n": n, "a": format!("text {n}") }))).collect();
    assert_eq!(world.fill("c/s", None, &lines).await.stored, stored(2_500, 0, 0));
    let caller = world.grant(vec![stream("s")]).await;
    for n in [0, 999, 1_000, 1_001, 2_000, 2_499] {
        assert_eq!(world.whole(&caller, &format!("c/s:{n}"), "a").await.unwrap(), format!("text {n}"));
    }
}
