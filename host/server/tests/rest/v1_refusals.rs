//! What `/v1` refuses, each with its status, type and code; and that a refusal is one of the documented shape.

use crate::rest::client::send;
use crate::rest::openapi::assert_valid;
use crate::rest::world::{World, fields};
use stepwell_ladder::LedgerPolicy;
use stepwell_tiers::Config;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_refusal_has_its_status_type_and_code() {
    let world = World::sqlite().await;
    for (target, status, kind, code) in [
        ("/v1/nothing", 404, "not_found_error", "not_found"),
        ("/v1/streams?nothing=1", 400, "invalid_request_error", "invalid_request"),
        ("/v1/streams/mail/records?limit=none", 400, "invalid_request_error", "invalid_request"),
        ("/v1/streams/mail/records?filter=a", 400, "invalid_request_error", "invalid_request"),
        ("/v1/streams/mail/records?filter[size][like]=1", 400, "invalid_request_error", "invalid_request"),
        ("/v1/streams/mail/records?cursor=nonsense", 400, "invalid_request_error", "invalid_cursor"),
        ("/v1/streams/mail/records?expand=nothing", 400, "invalid_request_error", "invalid_expand"),
        ("/v1/streams/mail/records?expand_limit[replies]=2", 400, "invalid_request_error", "invalid_expand"),
        ("/v1/streams/mail/records?view=nothing", 400, "invalid_request_error", "unknown_view"),
        (
            "/v1/streams/mail/records?view=short&fields=subject",
            400,
            "invalid_request_error",
            "invalid_request",
        ),
        ("/v1/streams/mail/records?changes_since=2020-01-01", 400, "invalid_request_error", "invalid_cursor"),
        ("/v1/streams/mail/records?connection_id=nowhere", 404, "not_found_error", "connection_not_found"),
        ("/v1/streams/nothing", 403, "permission_error", "grant_stream_not_allowed"),
        ("/v1/streams/nothing/records", 403, "permission_error", "grant_stream_not_allowed"),
        ("/v1/streams/..%2Fmail/records", 400, "invalid_request_error", "invalid_request"),
        ("/v1/streams/mail/records/none", 404, "not_found_error", "not_found"),
        ("/v1/streams/mail/records/%FF", 400, "invalid_request_error", "invalid_request"),
        ("/v1/streams/mail/records/m1", 409, "api_error", "ambiguous_connection"),
        ("/v1/streams/mail/records/m1/field-window?field=body", 409, "api_error", "ambiguous_connection"),
        ("/v1/streams/mail", 409, "api_error", "ambiguous_connection"),
        ("/v1/schema?detail=full", 400, "invalid_request_error", "invalid_request"),
        ("/v1/schema?detail=full&stream=mail", 409, "api_error", "ambiguous_schema_detail"),
        ("/v1/streams/mail/records/m2/field-window", 400, "invalid_request_error", "invalid_request"),
        (
            "/v1/streams/mail/records/m2/field-window?field=%2Ftags%2F~9",
            400,
            "invalid_request_error",
            "invalid_field_path",
        ),
        (
            "/v1/streams/mail/records/m2/field-window?field=body&q=a&offset_chars=1",
            400,
            "invalid_request_error",
            "invalid_window",
        ),
        (
            "/v1/streams/mail/records/m2/field-window?field=body&before_chars=1",
            400,
            "invalid_request_error",
            "invalid_window",
        ),
        ("/v1/streams/mail/records/m2/field-window?field=size", 422, "api_error", "field_not_text"),
        (
            "/v1/streams/mail/records/m2/field-window?field=nothing",
            403,
            "permission_error",
            "field_not_granted",
        ),
        ("/v1/streams/mail/aggregate", 400, "invalid_request_error", "invalid_request"),
        ("/v1/streams/mail/aggregate?metric=median", 400, "invalid_request_error", "invalid_request"),
        (
            "/v1/streams/mail/aggregate?metric=count&group_by=a&group_by_time=b",
            400,
            "invalid_request_error",
            "invalid_request",
        ),
        ("/v1/search", 400, "invalid_request_error", "invalid_request"),
        ("/v1/search?q=a&streams=nothing", 403, "permission_error", "grant_stream_not_allowed"),
        ("/v1/search/semantic?q=a", 400, "invalid_request_error", "unsupported_search_mode"),
        ("/v1/search/hybrid?q=a", 400, "invalid_request_error", "unsupported_search_mode"),
    ] {
        let refused = world.get(target).await;
        assert_eq!(refused.error(), (status, kind.to_owned(), code.to_owned()), "{target}: {refused:?}");
        assert_valid("records", "default", &refused.json(), target);
        assert_eq!(refused.header("pdpp-version"), Some("2026-04-06"));
        assert!(!String::from_utf8_lossy(&refused.body).contains(&world.token));
    }
    let ambiguous = world.get("/v1/streams/mail/records/m1").await.json();
    assert_eq!(ambiguous["error"]["available_connections"].as_array().unwrap().len(), 2);
    assert_eq!(ambiguous["error"]["retry_with"], "connection_id");
    let unknown = world.get("/v1/streams/mail/records?filter[size][like]=1").await.json();
    assert_eq!(unknown["error"]["param"], "filter[size]");
    assert!(world.ledger().await.is_empty(), "nothing was shown");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_a_token_that_counts_comes_in() {
    let world = World::sqlite().await;
    let target = "/v1/streams?nothing=1";
    for headers in [
        &[][..],
        &[("authorization", "Bearer swc_unknown")],
        &[("authorization", "Basic dXNlcjpwYXNz")],
        &[("authorization", "Bearer two words")],
    ] {
        let refused = send(world.v1, "GET", target, headers, b"").await;
        let unauthorized = (401, "authentication_error".to_owned(), "authentication_error".to_owned());
        assert_eq!(refused.error(), unauthorized, "{headers:?}");
        assert!(refused.header("www-authenticate").unwrap().starts_with("Bearer "));
        assert!(!String::from_utf8_lossy(&refused.body).contains("swc_unknown"));
    }
    let owner = world.get_with("/v1/streams", &world.owner, &[]).await;
    assert_eq!(owner.error(), (403, "permission_error".into(), "owner_token_refused".into()));
    let version = world.get_with("/v1/streams", &world.token, &[("pdpp-version", "2020-01-01")]).await;
    assert_eq!(version.error(), (400, "invalid_request_error".into(), "unsupported_version".into()));
    assert_eq!(
        world.get_with("/v1/streams", &world.token, &[("pdpp-version", "2026-04-06")]).await.status,
        200
    );
    let method = send(world.v1, "DELETE", "/v1/streams", &[], b"").await;
    assert_eq!(method.error(), (405, "invalid_request_error".into(), "method_not_allowed".into()));
    world.revoke().await;
    assert_eq!(
        world.get("/v1/streams").await.error(),
        (403, "permission_error".into(), "grant_revoked".into())
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_written_down_is_not_shown() {
    let world = World::with(&Config::default(), LedgerPolicy::default()).await;
    let path = world.url.strip_prefix("sqlite:").unwrap();
    // Where a file should be in which entries wait, something else is.
    std::fs::create_dir(format!("{path}-pending")).unwrap();
    for target in
        ["/v1/streams/mail/records", "/v1/streams/mail/records/m2", "/v1/search?q=letter", "/v1/schema"]
    {
        let refused = world.get(target).await;
        assert_eq!(refused.error(), (503, "api_error".into(), "ledger_unavailable".into()), "{target}");
        assert!(!String::from_utf8_lossy(&refused.body).contains("Letter"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_outside_the_grant_is_told() {
    let world = World::sqlite().await;
    let narrow = world.granted(vec![fields("cin_home", "mail", &["subject"])]).await;
    for target in [
        "/v1/schema",
        "/v1/streams",
        "/v1/streams/mail",
        "/v1/streams/mail/records?limit=100&count=exact",
        "/v1/streams/mail/records/m2",
        "/v1/search?q=letter",
        "/v1/streams/mail/records?expand=replies",
        "/v1/streams/mail/aggregate?metric=sum&field=size",
        "/v1/streams/notes/records",
        "/v1/streams/mail/records/w2?connection_id=cin_work",
    ] {
        let answer = world.get_with(target, &narrow, &[]).await;
        let mut text = String::from_utf8(answer.body).unwrap();
        // What the question itself says may be repeated.
        for said in [target, "cin_work", "notes"] {
            text = if target.contains(said) { text.replace(said, "") } else { text };
        }
        for foreign in [
            "cin_work",
            "Work letter",
            "notes",
            "folder",
            "archive",
            "Zürich",
            "unread",
            "in_reply_to",
            "image/png",
        ] {
            assert!(!text.contains(foreign), "{target} tells {foreign}: {text}");
        }
    }
}
