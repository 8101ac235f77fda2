//! `GET /export/{handle}`: bytes, texts and record sets as files that no browser shows or runs.

use crate::rest::on_both_engines;
use crate::rest::world::{MAILS, World, body, fields, png, stream};
use serde_json::{Value, json};
use stepwell_contract::handle::Handle;
use stepwell_contract::selector::WindowArguments;
use stepwell_contract::{ConnectionId, RecordId, StreamName};
use stepwell_ladder::LedgerPolicy;
use stepwell_source::prepare::{Manifest, prepare};
use stepwell_tiers::Config;

on_both_engines!(
    a_blob_leaves_as_an_attachment,
    a_text_leaves_whole,
    a_stream_leaves_as_lines_that_an_ingest_takes
);

fn home() -> Option<ConnectionId> {
    Some(ConnectionId::new("cin_home").unwrap())
}

fn blob(record: &str, field: &str) -> String {
    let handle = Handle::Blob {
        connection: home(),
        stream: StreamName::new("mail").unwrap(),
        record: RecordId::new(record).unwrap(),
        field_path: field.to_owned(),
        start: None,
        digest: None,
    };
    format!("/export/{}", handle.encode())
}

fn text(record: &str, field: &str) -> String {
    let handle = Handle::FieldWindow {
        connection: home(),
        stream: StreamName::new("mail").unwrap(),
        record: RecordId::new(record).unwrap(),
        field_path: field.to_owned(),
        arguments: WindowArguments::default(),
        digest: None,
    };
    format!("/export/{}", handle.encode())
}

fn set(connection: Option<ConnectionId>, stream: &str) -> String {
    format!("/export/{}", Handle::Stream { connection, stream: StreamName::new(stream).unwrap() }.encode())
}

async fn a_blob_leaves_as_an_attachment(world: World) {
    let (target, bytes) = (blob("m3", "file"), png());
    let whole = world.export("GET", &target, &world.token, &[]).await;
    assert!(whole.status == 200 && whole.is_whole && whole.body == bytes, "{:?}", whole.headers);
    for (name, value) in [
        ("content-type", "image/png"),
        ("content-disposition", "attachment; filename=\"Z_rich.png\"; filename*=UTF-8''Z%C3%BCrich.png"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "sandbox"),
        ("cache-control", "no-store"),
        ("accept-ranges", "bytes"),
    ] {
        assert_eq!(whole.header(name), Some(value), "{name}");
    }
    let tag = whole.header("etag").unwrap().to_owned();
    let entries = world.ledger().await;
    assert_eq!((entries[0].tool.as_str(), entries[0].bytes), ("export", bytes.len() as u64));

    let head = world.export("HEAD", &target, &world.token, &[]).await;
    assert_eq!((head.status, head.header("content-length")), (200, whole.header("content-length")));
    assert_eq!(world.ledger().await[0].bytes, 0, "a head shows nothing of it");
    let part =
        world.export("GET", &target, &world.token, &[("range", "bytes=-10"), ("if-range", &tag)]).await;
    assert!(part.status == 206 && part.body == bytes[bytes.len() - 10..]);
    let extent = world.ledger().await[0].extent.unwrap();
    assert_eq!(extent.bounds(), (bytes.len() as u64 - 10, bytes.len() as u64));
    let other =
        world.export("GET", &target, &world.token, &[("range", "bytes=0-1"), ("if-range", "\"x\"")]).await;
    assert_eq!((other.status, other.body.len()), (200, bytes.len()));
    let beyond = world.export("GET", &target, &world.token, &[("range", "bytes=99999999-")]).await;
    assert_eq!(beyond.header("content-range"), Some(format!("bytes */{}", bytes.len()).as_str()));
    assert_eq!(beyond.status, 416);
    let known = world.export("GET", &target, &world.token, &[("if-none-match", &tag)]).await;
    assert_eq!(known.status, 304);

    let narrow = world.granted(vec![fields("cin_home", "mail", &["subject"])]).await;
    for (target, token, status, code) in [
        (target.as_str(), narrow.as_str(), 403, "field_not_granted"),
        (&blob("none", "file"), &world.token, 404, "not_found"),
        (&blob("m3", "subject"), &world.token, 404, "field_not_found"),
        ("/export/nonsense", &world.token, 400, "invalid_handle"),
        ("/export/%FF", &world.token, 400, "invalid_handle"),
    ] {
        let refused = world.export("GET", target, token, &[]).await;
        let error = refused.json()["error"].take();
        assert_eq!((refused.status, &error["code"]), (status, &json!(code)), "{target}: {error}");
        assert_eq!(refused.header("content-security-policy"), Some("sandbox"));
    }
    assert_eq!(world.export("GET", &target, "swc_unknown", &[]).await.status, 401);
    assert_eq!(world.export("GET", &target, &world.owner, &[]).await.status, 403);
}

async fn a_text_leaves_whole(world: World) {
    let answer = world.export("GET", &text("m5", "body"), &world.token, &[("range", "bytes=0-1")]).await;
    assert_eq!(answer.status, 200, "a byte of a text has no address");
    assert!(answer.is_whole && answer.body == body(5).as_bytes());
    assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"m5-body.txt\""));
    let entry = &world.ledger().await[0];
    assert_eq!((entry.field.as_deref(), entry.bytes), (Some("body"), body(5).len() as u64));
    let inner = world.export("GET", &text("m5", "/tags/1"), &world.token, &[]).await;
    assert_eq!(inner.body, b"{\"b\":5}");
    assert_eq!(world.export("GET", &text("m5", "size"), &world.token, &[]).await.status, 422);
}

async fn a_stream_leaves_as_lines_that_an_ingest_takes(world: World) {
    let answer = world.export("GET", &set(home(), "mail"), &world.token, &[]).await;
    assert!(answer.status == 200 && answer.is_whole, "{:?}", answer.headers);
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"cin_home-mail.ndjson\""));
    let text = String::from_utf8(answer.body).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), MAILS);
    assert_eq!((&lines[0]["key"], &lines[0]["data"]["body"]), (&json!("m30"), &json!(body(30))));
    assert!(text.lines().all(|line| prepare(line.as_bytes(), &Manifest::default()).is_ok()));
    // The bytes of a file are an export of their own.
    let link = lines[0]["data"]["file"]["fetch_url"].as_str().unwrap();
    assert!(world.export("GET", link, &world.token, &[]).await.body == png());
    let exported =
        world.ledger().await.iter().filter(|entry| entry.tool == "export" && entry.field.is_none()).count();
    assert_eq!(exported, MAILS, "an entry for each record");

    let narrowed = format!("{}?fields=subject&filter[size][gte]=2800&order=asc", set(home(), "mail"));
    let narrowed = world.export("GET", &narrowed, &world.token, &[]).await;
    let text = String::from_utf8(narrowed.body).unwrap();
    let subjects: Vec<Value> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["data"].take()).collect();
    let expected: Vec<Value> =
        (28..=30).map(|number| json!({ "subject": format!("Letter {number}") })).collect();
    assert_eq!(subjects, expected);
    let narrow = world.granted(vec![stream("notes")]).await;
    for (target, token, status, code) in [
        (set(None, "mail"), &world.token, 409, "ambiguous_connection"),
        (set(home(), "nothing"), &world.token, 403, "grant_stream_not_allowed"),
        (set(home(), "mail"), &narrow, 403, "grant_stream_not_allowed"),
        (format!("{}?limit=3", set(home(), "mail")), &world.token, 400, "invalid_arguments"),
        (format!("{}?fields=nothing", set(home(), "mail")), &world.token, 403, "field_not_granted"),
    ] {
        let refused = world.export("GET", &target, token, &[]).await;
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (status, &json!(code)), "{target}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_its_tier_nothing_is_exported() {
    let mut off = Config::default();
    off.binary_export.enabled = false;
    let world = World::with(&off, LedgerPolicy::default()).await;
    for target in [blob("m3", "file"), text("m3", "body"), set(home(), "mail")] {
        let refused = world.export("GET", &target, &world.token, &[]).await;
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (404, &json!("not_found")));
    }
}
