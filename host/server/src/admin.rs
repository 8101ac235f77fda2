//! The operator's own listener: whether the server lives, whether it is ready, and what it counted. It knows no tokens and
//! tells nothing about data, and is meant for a network that only operators and their machines reach.

use crate::http::Times;
use crate::http::listen::Listening;
use crate::metrics::Now;
use crate::server::Server;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::json;
use std::time::Duration;
use stepwell_tiers::{Health, OnFault};
use tokio::net::TcpListener;

/// How long the store may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(2);
/// How many connections are open at a time. A monitor has one or two.
const CONNECTIONS: usize = 64;
/// The format that the counters are written in.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves until the server ends.
pub(crate) async fn serve(server: Server, listener: TcpListener, times: Times) {
    let closing = server.shared.closing.clone();
    let router = Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .with_state(server);
    Listening { listener, tls: None, most: CONNECTIONS, times, closing }.serve(router).await;
}

/// Says that the process answers, and nothing else.
pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

/// Says whether requests can be answered, and by name what stands in the way.
async fn ready(State(server): State<Server>) -> Response {
    let source = server.offer().ladder.source().clone();
    let mut wrong = Vec::new();
    let mut degraded = Vec::new();
    // The keys are the smallest thing that every store has.
    match tokio::time::timeout(PATIENCE, source.keyring()).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            tracing::warn!(reason = %error, "the store is not ready");
            wrong.push("store".to_owned());
        }
        Err(_) => wrong.push("store".to_owned()),
    }
    for tier in server.tiers() {
        if let Health::Broken(fault) = &tier.health {
            // A tier that the host stands in for costs quality, which is no reason to send clients elsewhere.
            match tier.on_fault.of(fault) {
                OnFault::Refuse => wrong.push(format!("tier {}", tier.name)),
                OnFault::Fallback => degraded.push(format!("tier {}", tier.name)),
            }
        }
    }
    if server.shared.closing.is_cancelled() {
        wrong.push("ending".to_owned());
    }
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = json!({ "ready": wrong.is_empty(), "wrong": wrong, "degraded": degraded });
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

async fn metrics(State(server): State<Server>) -> Response {
    let store = server.offer().ladder.source().usage();
    let now = Now { tiers: server.tiers(), store };
    match server.shared.metrics.text(&now) {
        Ok(text) => ([(CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
