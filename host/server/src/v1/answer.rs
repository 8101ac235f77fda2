//! The shape of answers: links, remarks, and the headers that all of them have.

use super::Call;
use super::door::{VERSION, VERSION_HEADER};
use crate::note::Note;
use axum::Extension;
use axum::body::Body;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value, json};
use stepwell_ladder::percent;

/// An answer that may leave.
pub(crate) struct Answer(pub(super) Response);

impl Answer {
    /// A JSON document.
    pub(super) fn json(document: &Value) -> Self {
        Self::of_json(Body::from(document.to_string()))
    }

    /// A JSON document that is still being written.
    pub(super) fn of_json(body: Body) -> Self {
        let mut response = body.into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Self(response)
    }
}

impl Call<'_> {
    /// Adds what every successful answer says about itself.
    pub(super) fn enveloped(&self, mut document: Value, next_cursor: Option<&str>, meta: Value) -> Value {
        let mut links = json!({ "self": self.target });
        if let Some(cursor) = next_cursor {
            links["next"] = json!(self.with_cursor(cursor));
        }
        document["links"] = links;
        let mut all = json!({ "warnings": self.asked.warnings });
        if let (Some(all), Value::Object(meta)) = (all.as_object_mut(), meta) {
            all.extend(meta);
        }
        document["meta"] = all;
        document
    }

    /// A list, up to its entries.
    pub(super) fn list(&self, next_cursor: Option<&str>, meta: Value) -> Map<String, Value> {
        let path = self.target.split('?').next().unwrap_or_default();
        let mut list = json!({ "object": "list", "url": path, "has_more": next_cursor.is_some() });
        if let Some(cursor) = next_cursor {
            list["next_cursor"] = json!(cursor);
        }
        match self.enveloped(list, next_cursor, meta) {
            Value::Object(list) => list,
            _ => Map::new(),
        }
    }

    /// The address of the next page.
    fn with_cursor(&self, cursor: &str) -> String {
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        let kept = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("cursor="));
        let cursor = format!("cursor={}", percent(cursor));
        let pairs: Vec<&str> = kept.chain([cursor.as_str()]).collect();
        format!("{path}?{}", pairs.join("&"))
    }
}

/// Adds the headers of every answer and refusal, and names the request in the spelling that PDPP has. The other spelling
/// is added where all requests get their names.
pub(super) async fn finished(Extension(note): Extension<Note>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(VERSION_HEADER, HeaderValue::from_static(VERSION));
    // Answers hold personal data; nothing between us and the client may keep them. What is for everyone says so.
    let is_for_everyone = headers.get(ACCESS_CONTROL_ALLOW_ORIGIN).is_some_and(|origin| origin == "*");
    if !is_for_everyone {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Ok(id) = HeaderValue::from_str(note.id()) {
        headers.insert("request-id", id);
    }
    response
}
