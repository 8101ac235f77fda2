//! Windows: exact in every script, and never by way of a whole record.

use super::desk::{Desk, mail, refusal, scripts};
use crate::world::record;
use proptest::prelude::*;
use serde_json::json;
use stepwell_contract::selector::Query;
use stepwell_contract::{Chars, Code, FieldPath, Span};
use stepwell_source::{Field, FieldKind, Source as _, SourceError};
use stepwell_testkit::resource_server::{Fault, Shelf};

async fn field(desk: &Desk, id: &str, path: &str) -> Result<Field, SourceError> {
    desk.remote.field(&desk.caller, &record(id), &FieldPath::parse(path).unwrap()).await
}

fn span(start: u64, length: u64) -> Span {
    Span::at(Chars(start), Chars(length))
}

#[tokio::test]
async fn windows_join_to_the_field_in_any_script() {
    let desk = Desk::new(mail()).await;
    let body = field(&desk, "cin_a/inbox:m2", "body").await.unwrap();
    let whole = scripts().repeat(3_000);
    assert_eq!(
        (body.shape.chars, body.shape.digest, body.shape.bytes),
        (Some(Chars::of(&whole)), None, None)
    );
    let total = Chars::of(&whole).get();
    for step in [1_000, 4_096, 16_384, 20_000] {
        let mut text = String::new();
        for start in (0..total).step_by(step) {
            text.push_str(&desk.remote.text(&desk.caller, &body, span(start, step as u64)).await.unwrap());
        }
        assert!(text == whole, "windows of {step} lose something");
    }
    assert_eq!(desk.remote.text(&desk.caller, &body, span(total, 10)).await.unwrap(), "");
    assert_eq!(desk.remote.text(&desk.caller, &body, span(total - 2, 10)).await.unwrap(), "🇭\n");
    for asked in desk.server.asked() {
        assert!(asked.path.ends_with("/field-window"), "{asked:?}");
        assert!(asked.param("limit_chars").unwrap().parse::<u64>().unwrap() <= 16_384, "{asked:?}");
    }
}

#[tokio::test]
async fn without_the_route_nothing_is_fetched_instead() {
    let desk = Desk::new(mail()).await;
    desk.server.behave(|habits| habits.field_windows = false);
    let told = refusal(field(&desk, "cin_a/inbox:m2", "body").await);
    assert_eq!((told.code, &told.extras["http_status"]), (Code::FieldWindowUnsupported, &json!(404)));
    for status in [405, 501] {
        desk.server.breaks("/field-window", Fault::typed(status, "text/plain", "no"), 1);
        let told = refusal(field(&desk, "cin_a/inbox:m2", "body").await);
        assert_eq!(told.code, Code::FieldWindowUnsupported);
    }
    let words = r#"{"statusCode":404,"error":"Not Found","message":"no such route"}"#;
    desk.server.breaks("/field-window", Fault::json(404, words), 1);
    assert_eq!(refusal(field(&desk, "cin_a/inbox:m2", "body").await).code, Code::FieldWindowUnsupported);
    // A code of the interface is an answer of the route.
    desk.server.breaks("/field-window", Fault::json(404, r#"{"error":{"code":"stream_not_declared"}}"#), 1);
    assert_eq!(refusal(field(&desk, "cin_a/inbox:m2", "body").await).code, Code::RsRefused);
    let asked = desk.server.asked();
    assert!(asked.len() == 5 && asked.iter().all(|asked| asked.path.ends_with("/field-window")), "{asked:?}");
}

#[tokio::test]
async fn refusals_of_the_route_keep_their_meaning() {
    let desk = Desk::new(mail()).await;
    for (id, path, code) in [
        ("cin_a/inbox:nobody", "body", Code::NotFound),
        ("cin_a/inbox:m1", "nothing", Code::FieldNotFound),
        ("cin_a/inbox:m1", "secret", Code::FieldNotGranted),
        ("cin_a/orders:m1", "body", Code::GrantStreamNotAllowed),
        ("cin_z/inbox:m1", "body", Code::ConnectionNotFound),
        ("inbox:m2", "body", Code::AmbiguousConnection),
        ("cin_a/inbox:m1", "/to/0", Code::FieldWindowUnsupported),
    ] {
        assert_eq!(refusal(field(&desk, id, path).await).code, code, "{id} {path}");
    }
    let told = refusal(field(&desk, "inbox:m2", "body").await);
    assert_eq!(told.extras["available_connections"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&told.extras["retry_with"], &told.extras["http_status"]),
        (&json!("connection_id"), &json!(409))
    );
}

#[tokio::test]
async fn an_id_without_a_connection_is_completed() {
    let desk = Desk::new(mail()).await;
    // Two connections have the stream, one of them the record.
    let found = field(&desk, "inbox:m3", "subject").await.unwrap();
    assert_eq!(found.record.id().to_string(), "cin_b/inbox:m3");
    assert_eq!(field(&desk, "notes:n:1", "text").await.unwrap().record.id().to_string(), "cin_a/notes:n:1");
}

#[tokio::test]
async fn values_that_are_no_text_are_measured_and_short_json_is_read() {
    let desk = Desk::new(mail()).await;
    let size = field(&desk, "cin_a/inbox:m1", "size").await.unwrap();
    assert_eq!((size.shape.kind, size.shape.windows), (FieldKind::Number, false));
    let told = refusal(desk.remote.text(&desk.caller, &size, span(0, 9)).await);
    assert_eq!((told.code, &told.extras["kind"]), (Code::FieldNotText, &json!("number")));
    let to = field(&desk, "cin_a/inbox:m1", "to").await.unwrap();
    assert_eq!(to.shape.kind, FieldKind::Json);
    assert_eq!(desk.remote.text(&desk.caller, &to, span(1, 5)).await.unwrap(), "\"ann\"");
    let asked = desk.server.asked();
    let fetched = asked.iter().filter(|asked| asked.path.ends_with("/records/m1"));
    assert!(fetched.clone().count() == 2 && fetched.clone().all(|asked| asked.param("fields").is_some()));
}

#[tokio::test]
async fn phrases_are_found_whatever_the_server_folds() {
    let text = format!("{} ZÜRICH heron \u{212a}ey ... Heron {}", "x😀".repeat(9_000), "y".repeat(20_000));
    let desk = Desk::new(Shelf::default().with("cin_a/inbox:m", json!({ "body": text }))).await;
    let body = field(&desk, "cin_a/inbox:m", "body").await.unwrap();
    let find = async |q: &str, from: u64| {
        let q = Query::new(q).unwrap();
        desk.remote.find(&desk.caller, &body, &q, Chars(from)).await.unwrap().map(|hit| hit.start().get())
    };
    assert_eq!(find("zürich", 0).await, Some(18_001));
    assert_eq!(find("key", 0).await, Some(18_014));
    let _ = desk.server.asked();
    assert_eq!(find("HERON", 0).await, Some(18_008));
    // The server said where, and one window showed that it is so.
    assert_eq!(desk.server.asked().len(), 2);
    assert_eq!(find("heron", 18_009).await, Some(18_022));
    assert_eq!((find("heron", 18_023).await, find("nowhere", 0).await), (None, None));
}

#[tokio::test]
async fn a_hint_that_is_off_is_not_believed() {
    // Where lower-casing makes a text longer, the server counts in the longer one.
    let desk = Desk::new(Shelf::default().with("cin_a/inbox:m", json!({ "body": "İaaaa the end" }))).await;
    let body = field(&desk, "cin_a/inbox:m", "body").await.unwrap();
    for (start, text) in [(2, "a"), (90, "a"), (0, "İ")] {
        let window = json!({ "window": { "text": text, "start_chars": 0, "total_chars": 13, "match_start_chars": start } });
        desk.server.breaks("/field-window", Fault::json(200, &window.to_string()), 1);
        let q = Query::new("a").unwrap();
        let found = desk.remote.find(&desk.caller, &body, &q, Chars::ZERO).await.unwrap();
        assert_eq!(found, Some(span(1, 1)));
        desk.server.heals();
    }
}

#[tokio::test]
async fn a_field_that_changes_under_the_read_is_noticed() {
    let desk = Desk::new(mail()).await;
    let mut body = field(&desk, "cin_a/inbox:m2", "body").await.unwrap();
    body.shape.chars = body.shape.chars.map(|chars| chars + Chars(1));
    let outcome = desk.remote.text(&desk.caller, &body, span(0, 10)).await;
    assert!(matches!(outcome, Err(SourceError::Changed)), "{outcome:?}");
}

#[tokio::test]
async fn a_text_that_ends_at_a_nul_over_there_is_read_as_far_as_it_is_shown() {
    let desk = Desk::new(Shelf::default().with("cin_a/inbox:m", json!({ "body": "before\u{0}after" }))).await;
    desk.server.behave(|habits| habits.ends_at_nul = true);
    let body = field(&desk, "cin_a/inbox:m", "body").await.unwrap();
    assert_eq!(desk.remote.text(&desk.caller, &body, body.whole()).await.unwrap(), "before");
    // The record itself tells how long the field really is.
    let view = desk.remote.record(&desk.caller, &record("cin_a/inbox:m"), None).await.unwrap();
    assert_eq!(view.fields[0].shape.chars, Some(Chars(12)));
}

#[tokio::test]
async fn windows_of_wrong_lengths_are_refused() {
    let desk = Desk::new(mail()).await;
    let body = field(&desk, "cin_a/inbox:m2", "body").await.unwrap();
    let total = body.shape.chars.unwrap().get();
    for window in [
        json!({ "text": "x".repeat(11), "start_chars": 0, "total_chars": total }),
        json!({ "text": "", "start_chars": 0, "total_chars": total }),
        json!({ "text": "x", "start_chars": 5, "total_chars": total }),
        json!({ "text": "xx", "start_chars": 0, "total_chars": 1 }),
        json!({ "text": "x", "start_chars": -1, "total_chars": total }),
        json!({ "text": "x", "start_chars": "0", "total_chars": total }),
        json!({ "text": 7, "start_chars": 0, "total_chars": total }),
        json!({ "text": "x", "start_chars": 0 }),
        json!([]),
        json!(null),
    ] {
        desk.server.breaks("/field-window", Fault::json(200, &json!({ "window": window }).to_string()), 1);
        let told = refusal(desk.remote.text(&desk.caller, &body, span(0, 10)).await);
        assert_eq!(told.code, Code::InvalidRsResponse, "{window}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_text_is_read_to_its_last_character(
        text in "[a😀é\u{301}漢\u{0}\u{fffd}\n\"\\\\]{1,40}",
        step in 1_u64..7,
        utf16_ends: bool,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let joined = runtime.block_on(async {
            let desk = Desk::new(Shelf::default().with("c/s:r", json!({ "body": text }))).await;
            desk.server.behave(|habits| habits.utf16_ends = utf16_ends);
            let body = field(&desk, "c/s:r", "body").await.unwrap();
            let mut joined = String::new();
            while Chars::of(&joined) < body.shape.chars.unwrap() {
                let at = Chars::of(&joined);
                joined += &desk.remote.text(&desk.caller, &body, Span::at(at, Chars(step))).await.unwrap();
            }
            joined
        });
        prop_assert_eq!(joined, text);
    }
}
