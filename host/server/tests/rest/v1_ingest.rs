//! `POST /v1/ingest/{stream}`: good lines are stored whatever stands beside them, and only an owner sends them.

use crate::rest::on_both_engines;
use crate::rest::openapi::assert_valid;
use crate::rest::world::{World, stream};
use serde_json::{Value, json};

on_both_engines!(
    bad_lines_do_not_undo_good_ones,
    only_an_owner_fills_streams,
    what_is_too_large_says_what_was_stored
);

async fn bad_lines_do_not_undo_good_ones(world: World) {
    let lines = [
        r#"{"key":"a","data":{"text":"first 🦢"}}"#,
        "not json",
        "",
        r#"{"key":"b/c","data":{}}"#,
        r#"{"key":"b","data":{"n":1},"emitted_at":"2025-01-01T00:00:00Z"}"#,
        r#"{"key":"d","emitted_at":"soon","data":{}}"#,
        r#"{"key":"a","data":{"text":"second"}}"#,
        "\u{1}",
        r#"{"key":"e","data":{"text":"the last line has no end"}}"#,
    ]
    .join("\n");
    let answer = world.post("/v1/ingest/things?connector_id=chat", &world.owner, lines.as_bytes()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let report = answer.json();
    assert_valid("ingest", "200", &report, "ingest");
    let counts = |name: &str| report[name].as_u64().unwrap();
    assert_eq!(
        (counts("records_attempted"), counts("records_accepted"), counts("records_rejected")),
        (8, 4, 4)
    );
    let rejected: Vec<(u64, &str)> = report["rejections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["input_index"].as_u64().unwrap(), one["code"].as_str().unwrap()))
        .collect();
    let expected = [(1, "malformed_ndjson"), (2, "unsafe_key"), (4, "invalid_time"), (6, "malformed_ndjson")];
    assert_eq!(rejected, expected);
    let connection = report["connection_id"].as_str().unwrap();
    assert!(connection.starts_with("cin_") && connection.len() == 28, "{connection}");

    let token = world.granted(vec![stream("things")]).await;
    let record = world.get_with("/v1/streams/things/records/a", &token, &[]).await.json();
    assert_eq!(record["data"], json!({ "text": "second" }));
    // The same connection again, and another one by its name.
    let again =
        world.post("/v1/ingest/things?connector_id=chat&run_id=7", &world.owner, lines.as_bytes()).await;
    assert_eq!((&again.json()["connection_id"], again.status), (&Value::from(connection), 200));
    let named = world
        .post("/v1/ingest/things?connection_id=cin_mine", &world.owner, b"{\"key\":\"a\",\"data\":{}}")
        .await;
    assert_eq!(named.json()["connection_id"], "cin_mine");
}

async fn only_an_owner_fills_streams(world: World) {
    let line = br#"{"key":"a","data":{}}"#;
    let target = "/v1/ingest/things?connector_id=chat";
    let client = world.post(target, &world.token, line).await;
    assert_eq!(client.error(), (403, "permission_error".into(), "insufficient_scope".into()));
    assert_eq!(world.post(target, "swo_unknown", line).await.error().0, 401);
    for wrong in
        ["/v1/ingest/things", "/v1/ingest/things?connection_id=a%2Fb", "/v1/ingest/things?connector_id=c&x=1"]
    {
        assert_eq!(world.post(wrong, &world.owner, line).await.error().2, "invalid_request", "{wrong}");
    }
    assert!(
        world.store.scopes().await.unwrap().iter().all(|scope| scope.stream != "things"),
        "nothing was made"
    );
}

async fn what_is_too_large_says_what_was_stored(world: World) {
    let line = format!("{{\"key\":\"k\",\"data\":{{\"text\":\"{}\"}}}}\n", "x".repeat(1 << 20));
    let mut body = line.into_bytes().repeat(51);
    let refused = world.post("/v1/ingest/things?connector_id=chat", &world.owner, &body).await;
    assert_eq!(refused.error(), (413, "invalid_request_error".into(), "request_too_large".into()));
    body.truncate(2 << 20);
    let answer = world.post("/v1/ingest/things?connector_id=chat", &world.owner, &body).await.json();
    assert_eq!(
        (&answer["records_accepted"], &answer["records_rejected"]),
        (&json!(1), &json!(1)),
        "{answer}"
    );
}
