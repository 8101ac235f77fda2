//! A server that breaks gives a typed refusal in bounded time, and is asked again only where that is safe.

use super::desk::{Desk, mail, refusal};
use crate::world::record;
use serde_json::json;
use std::time::Duration;
use stepwell_contract::{Code, Refusal};
use stepwell_source::{Source as _, SourceError};
use stepwell_testkit::resource_server::{Fault, ResourceServer};

async fn fetch(desk: &Desk) -> Result<(), SourceError> {
    desk.remote.record(&desk.caller, &record("cin_a/inbox:m1"), None).await.map(|_| ())
}

/// What a fetch is refused with when every answer breaks in this way, and how often it was asked.
async fn broken(desk: &Desk, fault: Fault) -> (Refusal, usize) {
    desk.server.breaks("/records/m1", fault, 99);
    let _ = desk.server.asked();
    let told = refusal(fetch(desk).await);
    desk.server.heals();
    (told, desk.server.asked().len())
}

#[tokio::test]
async fn every_fault_is_a_typed_refusal() {
    let desk = Desk::new(mail()).await;
    let record = r#"{"id":"m1","connection_id":"cin_a","data":{"body":"x"#;
    let packed = Fault::json(200, "{}").with("content-encoding", "gzip");
    for (what, fault, code, times) in [
        ("silence", Fault::Silence(Duration::from_secs(30)), Code::SourceUnavailable, 1),
        ("cut", Fault::Cut(record.into()), Code::SourceUnavailable, 1),
        ("ends early", Fault::json(200, record), Code::InvalidRsResponse, 1),
        ("html", Fault::typed(200, "text/html", "<html>Sign in"), Code::InvalidRsResponse, 1),
        ("html as json", Fault::json(200, "<html>Sign in"), Code::InvalidRsResponse, 1),
        ("empty", Fault::json(200, ""), Code::InvalidRsResponse, 1),
        ("a list", Fault::json(200, "[]"), Code::InvalidRsResponse, 1),
        ("no id", Fault::json(200, r#"{"data":{}}"#), Code::InvalidRsResponse, 1),
        (
            "no connection",
            Fault::json(200, r#"{"id":7,"connection_id":"cin_a","data":{}}"#),
            Code::InvalidRsResponse,
            1,
        ),
        (
            "another record",
            Fault::json(200, r#"{"id":"m9","connection_id":"cin_a","data":{}}"#),
            Code::InvalidRsResponse,
            1,
        ),
        (
            "another connection",
            Fault::json(200, r#"{"id":"m1","connection_id":"cin_b","data":{}}"#),
            Code::InvalidRsResponse,
            1,
        ),
        (
            "unsafe id",
            Fault::json(200, r#"{"id":"../m1","connection_id":"cin_a","data":{}}"#),
            Code::InvalidRsResponse,
            1,
        ),
        ("deep", Fault::json(200, &"[".repeat(10_000)), Code::InvalidRsResponse, 1),
        ("packed", packed, Code::InvalidRsResponse, 1),
        (
            "redirect",
            Fault::json(302, "").with("location", "http://127.0.0.1:1/"),
            Code::InvalidRsResponse,
            1,
        ),
        ("redirect back", Fault::json(307, "").with("location", "/v1/schema"), Code::InvalidRsResponse, 1),
        ("401", Fault::json(401, r#"{"error":{"code":"context.active_false"}}"#), Code::InvalidToken, 1),
        ("403", Fault::json(403, r#"{"error":{"code":"grant_expired"}}"#), Code::GrantExpired, 1),
        ("410", Fault::json(410, r#"{"error":{"code":"cursor_expired"}}"#), Code::CursorExpired, 1),
        ("429", Fault::json(429, ""), Code::RateLimitExceeded, 3),
        ("429 for long", Fault::json(429, "").with("retry-after", "3600"), Code::RateLimitExceeded, 1),
        ("500", Fault::json(500, r#"{"error":{"code":"api_error"}}"#), Code::SourceUnavailable, 1),
        ("502", Fault::typed(502, "text/html", "<html>Bad gateway"), Code::SourceUnavailable, 1),
        ("503", Fault::json(503, ""), Code::SourceUnavailable, 3),
        ("an endless error", Fault::json(400, &"x".repeat(1 << 20)), Code::RsRefused, 1),
    ] {
        let (told, asked) = broken(&desk, fault).await;
        assert_eq!((told.code, asked), (code, times), "{what}: {told}");
    }
    fetch(&desk).await.expect("it works again");
}

#[tokio::test]
async fn a_trickle_ends_with_the_time_for_the_whole() {
    let server = ResourceServer::start(mail());
    let mut options = super::desk::options(&server);
    options.limits.whole = Duration::from_millis(900);
    server.knows(super::desk::OWN, stepwell_testkit::resource_server::Bearer::Client("g".into()));
    let folder = tempfile::tempdir().unwrap();
    let remote = stepwell_source::Remote::new(options, super::desk::local(&folder).await).unwrap();
    let caller = remote.authenticate(&remote.process_token()).await.unwrap();
    server.breaks("/records/m1", Fault::Trickle(Duration::from_millis(50)), 1);
    let m1 = record("cin_a/inbox:m1");
    let outcome = remote.record(&caller, &m1, None);
    let told = tokio::time::timeout(Duration::from_secs(15), outcome).await.expect("an end");
    assert_eq!(refusal(told).code, Code::SourceUnavailable);
}

#[tokio::test]
async fn what_passes_is_tried_again() {
    let desk = Desk::new(mail()).await;
    for fault in [Fault::json(503, ""), Fault::json(429, "").with("retry-after", "0")] {
        desk.server.breaks("/records/m1", fault, 2);
        let _ = desk.server.asked();
        fetch(&desk).await.expect("the third time");
        assert_eq!(desk.server.asked().len(), 3);
        desk.server.heals();
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_said_to_be_so() {
    let desk = Desk::new(mail()).await;
    let folder = tempfile::tempdir().unwrap();
    let mut options = super::desk::options(&desk.server);
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    options.url = format!("http://{}", gone.local_addr().unwrap()).parse().unwrap();
    drop(gone);
    let remote = stepwell_source::Remote::new(options, super::desk::local(&folder).await).unwrap();
    let told = refusal(remote.authenticate(&remote.process_token()).await);
    assert_eq!(told.code, Code::SourceUnavailable);
    assert!(told.message.contains("cannot be reached"), "{told}");
}

#[tokio::test]
async fn what_the_server_says_is_kept_without_the_token() {
    let desk = Desk::new(mail()).await;
    let body = json!({ "error": { "type": "permission_error", "code": "insufficient_scope", "param": "fields",
        "message": format!("your {} is too small", super::desk::OWN), "next_step": "ask" } });
    let fault = Fault::json(403, &body.to_string()).with("x-request-id", "rq-1").with("request-id", "rq-2");
    let error = broken(&desk, fault).await.0.to_json()["error"].clone();
    assert_eq!((&error["code"], &error["http_status"]), (&json!("insufficient_scope"), &json!(403)));
    assert_eq!((&error["rs_request_id"], &error["param"]), (&json!("rq-2"), &json!("fields")));
    assert_eq!((&error["next_step"], &error["message"]), (&json!("ask"), &json!("your *** is too small")));
    let (told, _) =
        broken(&desk, Fault::json(404, r#"{"error":{"code":"not_found"}}"#).with("x-request-id", "rq-3"))
            .await;
    assert!(
        told.extras["rs_request_id"].as_str().unwrap().starts_with("req_")
            || told.extras["rs_request_id"] == "rq-3"
    );
}
