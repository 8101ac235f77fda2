//! `GET /v1/schema`: what the grant lets a client read, by connector.

use super::answer::Answer;
use super::fault::Fault;
use super::{Call, stream_json};
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use stepwell_contract::budget::AMBIGUOUS_CONNECTIONS;
use stepwell_contract::quote::excerpt;
use stepwell_contract::{Bytes, Code, Refusal};
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::{Caller, Disclosure};

/// What a connector is called that was not named at the ingest.
const NAMELESS: &str = "local";

pub(super) async fn schema(call: &Call<'_>, caller: &Caller) -> Result<Answer, Fault> {
    let text = |name: &str| call.asked.arguments.get(name).and_then(Value::as_str);
    let (stream, full_detail) = (text("stream"), text("detail") == Some("full"));
    if full_detail && stream.is_none() {
        return Err(Fault::invalid("detail", "detail=full needs a stream"));
    }
    let mut scopes = call.scopes(caller, stream).await?;
    if let Some(connector) = text("connector_id") {
        scopes.retain(|scope| connector_of(scope) == connector);
    }
    if full_detail && scopes.len() > 1 {
        return Err(ambiguous("ambiguous_schema_detail", &scopes));
    }
    let compact = text("view") == Some("compact") || text("detail") == Some("compact");
    let mut by_connector: BTreeMap<&str, Vec<&GrantedScope>> = BTreeMap::new();
    for scope in &scopes {
        by_connector.entry(connector_of(scope)).or_default().push(scope);
    }
    let connectors: Vec<Value> =
        by_connector.into_iter().map(|(key, scopes)| connector(key, &scopes, compact)).collect();
    let mut document = json!({
        "object": "schema",
        "detail": if compact { "compact" } else { "full" },
        "bearer": { "token_kind": "client", "grant_id": caller.grant(), "client_id": caller.client() },
        "connector_count": connectors.len(),
        "stream_count": scopes.len(),
        "connectors": connectors,
    });
    if compact {
        document["field_capability_legend"] = legend();
    }
    let document = call.enveloped(document, None, json!({}));
    let shown = Disclosure {
        connection: text("connection_id").and_then(|id| id.parse().ok()),
        stream: stream.and_then(|name| name.parse().ok()),
        bytes: Bytes::of(&document.to_string()),
        ..Disclosure::default()
    };
    call.json(caller, document, &[shown]).await
}

impl Call<'_> {
    /// The granted streams that a question is about, or why there are none.
    pub(super) async fn scopes(
        &self,
        caller: &Caller,
        stream: Option<&str>,
    ) -> Result<Vec<GrantedScope>, Fault> {
        let mut scopes = self.source().catalogue(caller).await?;
        if let Some(stream) = stream {
            scopes.retain(|scope| scope.stream.as_str() == stream);
            if scopes.is_empty() {
                let message = format!("the grant does not cover the stream {}", excerpt(stream));
                return Err(Refusal::new(Code::GrantStreamNotAllowed, message).param("stream").into());
            }
        }
        if let Some(connection) = self.asked.arguments.get("connection_id").and_then(Value::as_str) {
            scopes.retain(|scope| scope.connection.as_str() == connection);
            if scopes.is_empty() {
                let message = format!("the grant does not cover a connection {}", excerpt(connection));
                return Err(Refusal::new(Code::ConnectionNotFound, message).param("connection_id").into());
            }
        }
        Ok(scopes)
    }
}

/// Asks which of several connections is meant.
pub(super) fn ambiguous(code: &'static str, scopes: &[GrantedScope]) -> Fault {
    let available = |scope: &GrantedScope| match &scope.label {
        Some(label) => json!({ "connection_id": scope.connection.as_str(), "display_name": label }),
        None => json!({ "connection_id": scope.connection.as_str() }),
    };
    let listed: Vec<Value> = scopes.iter().take(AMBIGUOUS_CONNECTIONS).map(available).collect();
    let message = format!("{} connections have this stream; name one of them", scopes.len());
    Fault::new(StatusCode::CONFLICT, code, message)
        .param("connection_id")
        .with("available_connections", json!(listed))
        .with("available_connections_count", json!(scopes.len()))
        .with("retry_with", json!("connection_id"))
}

fn connector_of(scope: &GrantedScope) -> &str {
    scope.connector.as_deref().unwrap_or(NAMELESS)
}

fn connector(key: &str, scopes: &[&GrantedScope], compact: bool) -> Value {
    let describe = if compact { stream_json::compact } else { stream_json::full };
    let mut connections: Vec<Value> = Vec::new();
    for scope in scopes {
        let mut entry = json!({ "connection_id": scope.connection.as_str() });
        if let Some(label) = &scope.label {
            entry["display_name"] = json!(label);
        }
        if !connections.contains(&entry) {
            connections.push(entry);
        }
    }
    json!({
        "object": "connector",
        "connector_id": key,
        "connector_key": key,
        "source": { "kind": "connector", "id": key },
        "stream_count": scopes.len(),
        "granted_connections": connections,
        "streams": scopes.iter().map(|scope| describe(scope)).collect::<Vec<_>>(),
    })
}

fn legend() -> Value {
    json!({
        "t": "type",
        "role": "what it is for people",
        "eq": "exact filter",
        "r": "range filter, with its operators",
        "lex": "found by words",
        "a": "can be aggregated by",
    })
}
