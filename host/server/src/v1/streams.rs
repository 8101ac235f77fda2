//! `GET /v1/streams`: the granted streams, a row for each connection.

use super::Call;
use super::answer::Answer;
use super::fault::Fault;
use serde_json::{Value, json};
use stepwell_contract::Bytes;
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::query::{AggregateQuery, Metric, Order, RecordsQuery};
use stepwell_source::{Caller, Disclosure, time};

pub(super) async fn streams(call: &Call<'_>, caller: &Caller) -> Result<Answer, Fault> {
    let scopes = call.scopes(caller, None).await?;
    let mut rows = Vec::with_capacity(scopes.len());
    for scope in &scopes {
        rows.push(row(call, caller, scope).await?);
    }
    let mut list = call.list(None, json!({}));
    list.insert("data".to_owned(), json!(rows));
    let list = Value::Object(list);
    let shown = Disclosure { bytes: Bytes::of(&list.to_string()), ..Disclosure::default() };
    call.json(caller, list, &[shown]).await
}

async fn row(call: &Call<'_>, caller: &Caller, scope: &GrantedScope) -> Result<Value, Fault> {
    let connection = scope.connection.as_str();
    let captured_at = newest(call, caller, scope).await?;
    let mut row = json!({
        "object": "stream",
        "name": scope.stream.as_str(),
        "record_count": count(call, caller, scope).await?,
        "last_updated": captured_at,
        "connection_id": connection,
        "connector_instance_id": connection,
        "freshness": freshness(captured_at.as_deref()),
    });
    for (name, label) in [("connector_key", &scope.connector), ("display_name", &scope.label)] {
        if let Some(label) = label {
            row[name] = json!(label);
        }
    }
    Ok(row)
}

/// How many records the grant covers.
async fn count(call: &Call<'_>, caller: &Caller, scope: &GrantedScope) -> Result<u64, Fault> {
    let all = AggregateQuery {
        stream: scope.stream.clone(),
        connection: Some(scope.connection.clone()),
        metric: Metric::Count,
        field: None,
        group: None,
        conditions: Vec::new(),
        limit: 1,
    };
    Ok(call.source().aggregate(caller, &all).await?.records)
}

/// When the newest record that the grant covers was emitted.
pub(super) async fn newest(
    call: &Call<'_>,
    caller: &Caller,
    scope: &GrantedScope,
) -> Result<Option<String>, Fault> {
    let last = RecordsQuery {
        stream: scope.stream.clone(),
        connection: Some(scope.connection.clone()),
        fields: Some(Vec::new()),
        view: None,
        conditions: Vec::new(),
        sort: Some("emitted_at".to_owned()),
        order: Order::Descending,
        limit: 1,
        cursor: None,
        changes_since: None,
    };
    let page = call.source().records(caller, &last).await?;
    Ok(page.records.first().map(|view| time::print(view.emitted_at)))
}

/// How current a stream is: as of its newest record, for more is not known here.
pub(super) fn freshness(captured_at: Option<&str>) -> Value {
    match captured_at {
        Some(at) => json!({ "status": "unknown", "captured_at": at }),
        None => json!({ "status": "unknown" }),
    }
}
