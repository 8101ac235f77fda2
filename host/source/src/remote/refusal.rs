//! Keeps what a resource server means when it refuses: its code, status, type and the rest of what it says.

use crate::token::Token;
use serde_json::{Map, Value, json};
use std::time::Duration;
use stepwell_contract::budget::AMBIGUOUS_CONNECTIONS;
use stepwell_contract::quote::strip_control;
use stepwell_contract::unit::slice;
use stepwell_contract::{Chars, Code, Refusal, Span};

/// How much of a message is passed on.
const MESSAGE: Chars = Chars(300);
/// How much else of an error is passed on, in bytes of JSON.
const EXTRAS: usize = 4_096;

/// An answer that is no success.
pub(super) struct Refused<'a> {
    pub(super) status: u16,
    pub(super) body: &'a [u8],
    pub(super) request_id: Option<String>,
    pub(super) retry_after: Option<Duration>,
}

/// What the caller may know of it. A server that repeats the token does not make us repeat it.
pub(super) fn of(refused: &Refused<'_>, bearer: &Token) -> Refusal {
    let body: Value = serde_json::from_slice(refused.body).unwrap_or_default();
    let mut error = error_object(body);
    hide(&mut error, bearer.reveal());
    let word = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
    let (rs_code, rs_type) = (word("code"), word("type"));
    let code = code(rs_code.as_deref(), refused.status);
    let message = word("message").map(|message| tame(&message)).filter(|message| !message.is_empty());
    let message = message.unwrap_or_else(|| format!("the resource server answered {}", refused.status));
    let mut refusal = Refusal::new(code, message).with("http_status", refused.status);
    if let Some(param) = word("param") {
        refusal = refusal.param(tame(&param));
    }
    if let Some(rs_code) = rs_code.filter(|rs_code| rs_code != code.as_str()) {
        refusal = refusal.with("rs_code", tame(&rs_code));
    }
    if let Some(rs_type) = rs_type {
        refusal = refusal.with("rs_type", tame(&rs_type));
    }
    if let Some(id) = word("request_id").or_else(|| refused.request_id.clone()) {
        refusal = refusal.with("rs_request_id", tame(&id));
    }
    if let Some(wait) = refused.retry_after {
        refusal = refusal.with("retry_after_seconds", wait.as_secs());
    }
    if let Some(hint) = hint(code) {
        refusal = refusal.hint(hint);
    }
    extras(refusal, error)
}

/// The error in the forms that servers give it: PDPP's own, OAuth's, or an object by itself.
fn error_object(body: Value) -> Map<String, Value> {
    let Value::Object(mut body) = body else { return Map::new() };
    match body.remove("error") {
        Some(Value::Object(error)) => error,
        Some(Value::String(word)) => {
            let message = body.remove("error_description").or(body.remove("message"));
            let message = message.unwrap_or_else(|| json!(word));
            Map::from_iter([("code".to_owned(), json!(word)), ("message".to_owned(), message)])
        }
        _ => body,
    }
}

/// The code with the meaning of the server's. Its own name stays in `rs_code` where that differs.
fn code(rs_code: Option<&str>, status: u16) -> Code {
    let known = rs_code.and_then(|name| {
        let name = match name {
            "authentication_error" | "context.active_false" => "invalid_token",
            "context.stream_not_allowed" => "grant_stream_not_allowed",
            "context.instance_mismatch" => "connection_not_found",
            "invalid_window" => "invalid_window_selector",
            "invalid_sort" | "invalid_argument" | "unsupported_query" | "bad_request" => "invalid_request",
            other => other,
        };
        // Codes that say something about this host are not the server's to use.
        let own = [Code::TierError, Code::LedgerUnavailable, Code::InvalidHandle, Code::StaleCursor];
        Code::ALL.iter().copied().find(|code| code.as_str() == name && !own.contains(code))
    });
    known.unwrap_or(match status {
        401 => Code::InvalidToken,
        429 => Code::RateLimitExceeded,
        500..=599 => Code::SourceUnavailable,
        _ => Code::RsRefused,
    })
}

fn hint(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::AmbiguousConnection => "repeat the call with one of the available connection_ids",
        Code::RateLimitExceeded | Code::SourceUnavailable => "try again in a moment",
        Code::GrantExpired | Code::GrantRevoked | Code::GrantConsumed | Code::GrantInvalid => {
            "ask the owner of the data for a new grant"
        }
        Code::CursorExpired => "start again with changes_since \"beginning\"",
        _ => return None,
    })
}

/// The other members, as far as there is room for them.
fn extras(mut refusal: Refusal, error: Map<String, Value>) -> Refusal {
    const SAID: [&str; 5] = ["type", "code", "message", "param", "request_id"];
    let mut room = EXTRAS;
    for (name, value) in error {
        if SAID.contains(&name.as_str()) {
            continue;
        }
        let value = match value {
            Value::Array(mut list) if name == "available_connections" => {
                let count = list.len();
                list.truncate(AMBIGUOUS_CONNECTIONS);
                if count > AMBIGUOUS_CONNECTIONS {
                    refusal = refusal.with("available_connections_count", count).with("truncated", true);
                }
                Value::Array(list)
            }
            other => other,
        };
        let length = name.len() + value.to_string().len();
        if length <= room {
            room -= length;
            refusal.extras.entry(name).or_insert(value);
        }
    }
    refusal
}

/// One line of bounded length.
fn tame(text: &str) -> String {
    strip_control(slice(text, Span::at(Chars::ZERO, MESSAGE)))
}

/// Takes a secret out of everything that is passed on.
fn hide(error: &mut Map<String, Value>, secret: &str) {
    let text = Value::Object(std::mem::take(error)).to_string();
    let text = if secret.is_empty() { text } else { text.replace(secret, "***") };
    if let Ok(Value::Object(clean)) = serde_json::from_str(&text) {
        *error = clean;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, body: &str) -> Refusal {
        let refused =
            Refused { status, body: body.as_bytes(), request_id: Some("req-9".into()), retry_after: None };
        of(&refused, &Token::new("s3cret"))
    }

    #[test]
    fn code_status_type_and_extras_are_kept() {
        let body = r#"{"error":{"type":"permission_error","code":"grant_revoked","message":"gone","request_id":"r1","next_step":"ask"}}"#;
        let error = &refusal(403, body).to_json()["error"];
        assert_eq!(
            (&error["type"], &error["code"]),
            (&json!("authorization_error"), &json!("grant_revoked"))
        );
        assert_eq!((&error["http_status"], &error["rs_type"]), (&json!(403), &json!("permission_error")));
        assert_eq!((&error["rs_request_id"], &error["next_step"]), (&json!("r1"), &json!("ask")));
        // An unknown code is told by its own name, and its status counts.
        let error = &refusal(418, r#"{"error":{"code":"teapot","message":"short"}}"#).to_json()["error"];
        assert_eq!((&error["code"], &error["rs_code"]), (&json!("rs_refused"), &json!("teapot")));
        assert_eq!((&error["http_status"], &error["rs_request_id"]), (&json!(418), &json!("req-9")));
    }

    #[test]
    fn every_code_of_the_read_surface_keeps_its_meaning() {
        for (status, theirs, ours) in [
            (400, "invalid_request", Code::InvalidRequest),
            (400, "invalid_cursor", Code::InvalidCursor),
            (400, "invalid_expand", Code::InvalidExpand),
            (400, "unknown_field", Code::UnknownField),
            (400, "invalid_window", Code::InvalidWindowSelector),
            (400, "invalid_field_path", Code::InvalidFieldPath),
            (401, "authentication_error", Code::InvalidToken),
            (401, "context.active_false", Code::InvalidToken),
            (401, "context.stream_not_allowed", Code::GrantStreamNotAllowed),
            (401, "context.instance_mismatch", Code::ConnectionNotFound),
            (401, "context.something_else", Code::InvalidToken),
            (403, "field_not_granted", Code::FieldNotGranted),
            (403, "insufficient_scope", Code::InsufficientScope),
            (403, "grant_stream_not_allowed", Code::GrantStreamNotAllowed),
            (403, "grant_time_range_exceeded", Code::GrantTimeRangeExceeded),
            (403, "grant_expired", Code::GrantExpired),
            (403, "grant_invalid", Code::GrantInvalid),
            (403, "grant_consumed", Code::GrantConsumed),
            (404, "not_found", Code::NotFound),
            (404, "blob_not_found", Code::BlobNotFound),
            (404, "field_not_found", Code::FieldNotFound),
            (404, "query_not_found", Code::QueryNotFound),
            (404, "connection_not_found", Code::ConnectionNotFound),
            (409, "ambiguous_schema_detail", Code::RsRefused),
            (410, "cursor_expired", Code::CursorExpired),
            (422, "field_not_text", Code::FieldNotText),
            (429, "rate_limit_exceeded", Code::RateLimitExceeded),
            (500, "api_error", Code::SourceUnavailable),
            // What only this host can say is not believed from afar.
            (409, "stale_cursor", Code::RsRefused),
            (500, "tier_error", Code::SourceUnavailable),
        ] {
            let body = format!(r#"{{"error":{{"code":"{theirs}","message":"m"}}}}"#);
            let refusal = refusal(status, &body);
            assert_eq!(refusal.code, ours, "{theirs}");
            let error = &refusal.to_json()["error"];
            assert_eq!(error["http_status"], status, "{theirs}");
            let kept = error["code"] == theirs || error["rs_code"] == theirs;
            assert!(kept, "{error}");
        }
    }

    #[test]
    fn many_connections_are_counted_and_twelve_named() {
        let many: Vec<Value> = (0..40).map(|n| json!({ "connection_id": format!("cin_{n}") })).collect();
        let body = json!({ "error": { "code": "ambiguous_connection", "message": "which?",
            "available_connections": many, "retry_with": "connection_id" } });
        let error = &refusal(409, &body.to_string()).to_json()["error"];
        assert_eq!(error["available_connections"].as_array().unwrap().len(), 12);
        assert_eq!((&error["available_connections_count"], &error["truncated"]), (&json!(40), &json!(true)));
        assert_eq!(
            (&error["retry_with"], &error["code"]),
            (&json!("connection_id"), &json!("ambiguous_connection"))
        );
    }

    #[test]
    fn a_refusal_is_short_clean_and_without_the_token() {
        let long = format!("you sent s3cret\u{202e}\n{}", "x".repeat(10_000));
        let body = json!({ "error": { "code": "s3cret", "message": long, "echo": { "auth": "Bearer s3cret" },
            "huge": "y".repeat(10_000) } });
        let text = refusal(400, &body.to_string()).to_json().to_string();
        assert!(!text.contains("s3cret") && !text.contains('\n') && text.len() < 2_000, "{text}");
        assert_eq!(refusal(400, "<html>s3cret").message, "the resource server answered 400");
        assert_eq!(
            refusal(401, r#"{"error":"invalid_token","error_description":"old"}"#).code,
            Code::InvalidToken
        );
        assert_eq!(refusal(502, "").code, Code::SourceUnavailable);
    }
}
