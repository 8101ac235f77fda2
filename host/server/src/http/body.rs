//! Reads a message whole before the protocol library sees it, and says in the protocol's words what is no message.

use super::front::Front;
use crate::note::Note;
use axum::body::Bytes;
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde_json::{Value, json};
use stepwell_contract::{Code, Refusal};

/// The largest request: arguments are short, and whatever is larger is a mistake or an attack.
pub(super) const LARGEST_REQUEST: usize = 1024 * 1024;

/// Hands on a request whose body is there, and answers what is no message of the protocol.
pub(super) async fn pass<F: Future<Output = Response>>(
    front: &Front,
    note: &Note,
    request: Request,
    next: impl FnOnce(Parts, Bytes) -> F,
) -> Response {
    let (parts, body) = request.into_parts();
    let arrived =
        tokio::time::timeout(front.0.times.body, Limited::new(body, LARGEST_REQUEST).collect()).await;
    let bytes = match arrived {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!("the request is larger than {LARGEST_REQUEST} bytes");
            return front.refuse(note, &Refusal::new(Code::RequestTooLarge, message));
        }
        Ok(Err(_)) => {
            return front.refuse(note, &Refusal::new(Code::InvalidRequest, "the request broke off"));
        }
        Err(_) => {
            return front
                .refuse(note, &Refusal::new(Code::RequestTimeout, "the request did not arrive in time"));
        }
    };
    let is_json = is_json(&parts.headers);
    let response = next(parts, bytes.clone()).await;
    // The protocol library calls a message that it cannot read one of an unsupported type, although the type was right.
    if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && is_json {
        return unreadable(&bytes);
    }
    response
}

fn is_json(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}

/// Says what is wrong with a message that cannot be read (JSON-RPC 2.0, 5.1).
fn unreadable(bytes: &Bytes) -> Response {
    let (code, message, id) = match serde_json::from_slice::<Value>(bytes) {
        Err(_) => (-32700, "the message is no JSON", Value::Null),
        Ok(Value::Array(_)) => (-32600, "a batch of messages is not taken; send one at a time", Value::Null),
        Ok(message) => {
            let id = message.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64());
            (-32600, "the message is no request of JSON-RPC 2.0", id.cloned().unwrap_or_default())
        }
    };
    let body = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
    let mut response = (StatusCode::BAD_REQUEST, body.to_string()).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
