//! `GET /v1/streams/{stream}`: all that the grant lets one know about a stream.

use super::answer::Answer;
use super::fault::Fault;
use super::schema::ambiguous;
use super::streams::{freshness, newest};
use super::{Call, stream_json};
use serde_json::{Value, json};
use stepwell_contract::Bytes;
use stepwell_source::{Caller, Disclosure};

pub(super) async fn stream(call: &Call<'_>, caller: &Caller) -> Result<Answer, Fault> {
    let scopes = call.scopes(caller, Some(call.in_path("stream"))).await?;
    let [first, others @ ..] = scopes.as_slice() else { return Err(Fault::no_such_route()) };
    // One answer speaks for several connections only if they do not differ.
    if others.iter().any(|other| (&other.fields, &other.views) != (&first.fields, &first.views)) {
        return Err(ambiguous("ambiguous_connection", &scopes));
    }
    let mut document = stream_json::full(first);
    let ids: Vec<&str> = scopes.iter().map(|scope| scope.connection.as_str()).collect();
    document["instance_ids"] = json!(ids);
    if !others.is_empty() {
        document["granted_connections"] = scopes
            .iter()
            .map(stream_json::compact)
            .map(|mut one| one["granted_connections"][0].take())
            .collect();
        for single in ["connection_id", "display_name", "connector_key"] {
            if let Some(object) = document.as_object_mut() {
                object.shift_remove(single);
            }
        }
    }
    let mut last: Option<String> = None;
    for scope in &scopes {
        last = last.max(newest(call, caller, scope).await?);
    }
    document["freshness"] = freshness(last.as_deref());
    let document: Value = call.enveloped(document, None, json!({}));
    let shown = Disclosure {
        connection: others.is_empty().then(|| first.connection.clone()),
        stream: Some(first.stream.clone()),
        bytes: Bytes::of(&document.to_string()),
        ..Disclosure::default()
    };
    call.json(caller, document, &[shown]).await
}
