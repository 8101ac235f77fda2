//! What an operator sees.

use crate::client::Ask;
use crate::limits::{Lock, call};
use crate::world::World;
use serde_json::json;
use std::net::SocketAddr;
use stepwell_server::http::HttpOptions;
use stepwell_tiers::{Config, Origin};
use tokio::net::TcpListener;

async fn with_admin() -> (HttpOptions, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (HttpOptions { admin: Some(listener), ..HttpOptions::default() }, address)
}

fn get(path: &str) -> Ask {
    Ask::new("GET", path)
}

#[tokio::test]
async fn counters_have_shapes_and_never_names() {
    let world = World::new().await;
    let (grant, token) = world.grant().await;
    let (options, admin) = with_admin().await;
    let server = world.serve(options).await;
    server.ask(&call(&token)).await;
    server.ask(&call("swc_unknown")).await;
    let refused = json!({ "name": "fetch", "arguments": { "id": "home/notes:absent" } });
    server.ask(&Ask::legacy("tools/call", refused).bearing(&token)).await;
    let unknown = json!({ "name": "a_tool_of_someone", "arguments": {} });
    server.ask(&Ask::legacy("tools/call", unknown).bearing(&token)).await;
    server.ask(&get("/somebody/s/path")).await;
    let answer = get("/metrics").send(admin).await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("content-type").unwrap().starts_with("application/openmetrics-text"));
    for line in [
        r#"stepwell_requests_total{method="tools/call",tool="query_records",outcome="ok"} 1"#,
        r#"stepwell_requests_total{method="tools/call",tool="fetch",outcome="not_found"} 1"#,
        r#"stepwell_requests_total{method="tools/call",tool="",outcome="error"} 1"#,
        r#"stepwell_request_duration_seconds_count{method="tools/call"} 3"#,
        r#"stepwell_refusals_total{code="invalid_token"} 1"#,
        r#"stepwell_refusals_total{code="not_found"} 1"#,
        r#"stepwell_http_responses_total{status="401"} 1"#,
        r#"stepwell_http_responses_total{status="404"} 1"#,
        r#"stepwell_ledger_writes_total 1"#,
        r#"stepwell_store_connections{state="busy"} 0"#,
        r#"stepwell_in_flight 0"#,
    ] {
        assert!(answer.body.contains(line), "{line} is not in:\n{}", answer.body);
    }
    for name in ["home", "notes", "n1", "absent", &grant, &token, "a_tool_of_someone", "somebody", "a client"]
    {
        assert!(!answer.body.contains(name), "{name} is in:\n{}", answer.body);
    }
}

#[tokio::test]
async fn health_is_told_to_everyone_and_readiness_to_the_operator() {
    let world = World::on_postgres().await;
    let (options, admin) = with_admin().await;
    let server = world.serve(options).await;
    for address in [server.address, admin] {
        let answer = get("/healthz").instead("host", "10.1.2.3").send(address).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"));
    }
    for path in ["/readyz", "/metrics"] {
        assert_eq!(server.ask(&get(path)).await.status, 404, "{path} is not for everyone");
    }
    let answer = get("/readyz").send(admin).await;
    assert_eq!((answer.status, answer.json()), (200, json!({ "ready": true, "wrong": [], "degraded": [] })));
    let lock = Lock::on(&world, "sealing_key").await;
    let answer = get("/readyz").send(admin).await;
    assert_eq!((answer.status, answer.json()["wrong"].clone()), (503, json!(["store"])));
    lock.release().await;
    assert_eq!(get("/readyz").send(admin).await.status, 200);
}

#[tokio::test]
async fn a_tier_that_is_missing_is_named() {
    let world = World::new().await;
    let mut tiers = Config::default();
    for tier in
        [&mut tiers.preview, &mut tiers.field_window, &mut tiers.binary_export, &mut tiers.resources.tier]
    {
        tier.enabled = false;
    }
    tiers.preview.enabled = true;
    tiers.preview.component = Origin::File("/no/such/file.wasm".into());
    let (options, admin) = with_admin().await;
    world.serve_with(options, &tiers).await;
    let answer = get("/readyz").send(admin).await;
    assert_eq!(answer.status, 200, "the host stands in for it");
    assert_eq!(answer.json()["degraded"], json!(["tier preview"]));
    assert!(!answer.body.contains("/no/such"), "{answer:?}");
}
