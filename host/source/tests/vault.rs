//! A corpus in which a narrow grant opens a little, and everything around it carries a canary.

use crate::world::{World, connection, fields, line};
use serde_json::{Value, json};
use stepwell_contract::{Code, RecordId};
use stepwell_source::Caller;
use stepwell_source::grant::StreamRequest;
use stepwell_source::time;

/// Stands in every text that the narrow grant does not open, and nowhere else.
pub(crate) const CANARY: &str = "canary-6d1f";
/// Stands at the end of a long text that the narrow grant opens.
pub(crate) const OPEN: &str = "open-93ab";

const MANIFEST: &str =
    r#"{"consent_time_field":"at","schema":{"properties":{"at":{},"subject":{},"declared_only":{}}}}"#;
const SINCE: &str = "2026-01-05T00:00:00Z";
const UNTIL: &str = "2026-02-01T00:00:00Z";

pub(crate) async fn fill(world: &World) {
    let sealed = |at: Value| json!({ "at": at, "subject": CANARY });
    let open = |at: &str| json!({ "at": at, "subject": OPEN });
    let messages = [
        line("in", &rich()),
        line("unlisted", &sealed(json!("2026-01-10"))),
        line("first", &open(SINCE)),
        line("early", &sealed(json!("2026-01-04T23:59:59.999Z"))),
        line("last", &open("2026-01-31T23:59:59.999Z")),
        line("late", &sealed(json!(UNTIL))),
        line("timeless", &json!({ "subject": CANARY })),
        line("unreadable-time", &sealed(json!("soon"))),
    ];
    let filled = world.fill("home/messages", Some(MANIFEST), &messages).await;
    assert_eq!((filled.stored.added, filled.rejected.len()), (8, 0));
    world.fill("work/messages", Some(MANIFEST), &[line("in", &sealed(json!("2026-01-10")))]).await;
    world.fill("home/orders", Some(MANIFEST), &[line("in", &sealed(json!("2026-01-10")))]).await;
}

fn rich() -> Value {
    json!({
        "at": "2026-01-10",
        "subject": OPEN,
        "body": format!("{}{OPEN}", "long and open ".repeat(700)),
        "count": 7,
        "flag": true,
        "nothing": null,
        "file": { "$blob": { "mime_type": "text/plain", "base64": "Y2FuYXJ5LTZkMWY=" } },
        "secret": CANARY,
        "diary": format!("{CANARY} {} {CANARY}", "long and closed ".repeat(700)),
        "tree": { "leaf": CANARY, "long": format!("{CANARY} {}", "deep and closed ".repeat(700)) },
    })
}

/// What the narrow grant covers.
pub(crate) fn narrow() -> StreamRequest {
    let listed = ["in", "first", "early", "last", "late", "timeless", "unreadable-time", "absent"];
    StreamRequest {
        connections: vec![connection("home")],
        since: time::parse(SINCE),
        until: time::parse(UNTIL),
        resources: Some(listed.iter().map(|&key| RecordId::new(key).unwrap()).collect()),
        ..fields("messages", &["subject", "body", "count", "flag", "nothing", "file", "declared_only"])
    }
}

/// Reads that the narrow grant refuses: which record, which path, and how.
pub(crate) const REFUSED: &[(&str, &str, Code)] = &[
    ("home/messages:in", "secret", Code::FieldNotGranted),
    ("home/messages:in", "/secret", Code::FieldNotGranted),
    ("home/messages:in", "diary", Code::FieldNotGranted),
    ("home/messages:in", "tree", Code::FieldNotGranted),
    ("home/messages:in", "/tree/leaf", Code::FieldNotGranted),
    ("home/messages:in", "/tree/long", Code::FieldNotGranted),
    ("home/messages:in", "/tree/nowhere", Code::FieldNotGranted),
    ("home/messages:in", "at", Code::FieldNotGranted),
    ("home/messages:in", "nowhere", Code::FieldNotGranted),
    ("home/messages:in", "SUBJECT", Code::FieldNotGranted),
    ("home/messages:in", "subject ", Code::FieldNotGranted),
    ("home/messages:in", "%", Code::FieldNotGranted),
    ("messages:in", "secret", Code::FieldNotGranted),
    ("home/messages:absent", "secret", Code::FieldNotGranted),
    ("home/messages:in", "declared_only", Code::FieldNotFound),
    ("home/messages:in", "/subject/below", Code::FieldNotFound),
    ("home/messages:in", "/file/$blob", Code::FieldNotFound),
    ("home/messages:in", "count", Code::FieldNotText),
    ("home/messages:in", "flag", Code::FieldNotText),
    ("home/messages:in", "nothing", Code::FieldNotText),
    ("home/messages:in", "file", Code::FieldNotText),
    ("home/orders:in", "subject", Code::GrantStreamNotAllowed),
    ("home/nowhere:in", "subject", Code::GrantStreamNotAllowed),
    ("orders:in", "subject", Code::GrantStreamNotAllowed),
    ("home/MESSAGES:in", "subject", Code::GrantStreamNotAllowed),
    ("work/messages:in", "subject", Code::ConnectionNotFound),
    ("work/messages:in", "secret", Code::ConnectionNotFound),
    ("nowhere/messages:in", "subject", Code::ConnectionNotFound),
    ("home/messages:early", "subject", Code::NotFound),
    ("home/messages:late", "subject", Code::NotFound),
    ("home/messages:timeless", "subject", Code::NotFound),
    ("home/messages:unreadable-time", "subject", Code::NotFound),
    ("home/messages:unlisted", "subject", Code::NotFound),
    ("home/messages:absent", "subject", Code::NotFound),
    ("home/messages:IN", "subject", Code::NotFound),
    ("home/messages:i%", "subject", Code::NotFound),
    ("messages:unlisted", "subject", Code::NotFound),
];

/// A caller under the narrow grant.
pub(crate) async fn narrow_caller(world: &World) -> Caller {
    fill(world).await;
    world.grant(vec![narrow()]).await
}
