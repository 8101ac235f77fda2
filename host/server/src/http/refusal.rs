//! How HTTP says no.

use super::front::{Front, Voice};
use crate::note::Note;
use crate::v1;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;
use std::time::Duration;
use stepwell_contract::{Code, Refusal};

/// The `error` of a challenge (RFC 6750).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Challenge {
    InvalidRequest,
    InvalidToken,
    InsufficientScope,
}

impl Challenge {
    const fn status(self) -> StatusCode {
        match self {
            Self::InvalidRequest => StatusCode::BAD_REQUEST,
            Self::InvalidToken => StatusCode::UNAUTHORIZED,
            Self::InsufficientScope => StatusCode::FORBIDDEN,
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidToken => "invalid_token",
            Self::InsufficientScope => "insufficient_scope",
        }
    }
}

impl Front {
    /// Answers with a refusal, in the status of its code.
    pub(crate) fn refuse(&self, note: &Note, refusal: &Refusal) -> Response {
        let status = refusal.code.http_status().and_then(|status| StatusCode::from_u16(status).ok());
        self.refuse_as(note, status.unwrap_or(StatusCode::BAD_REQUEST), refusal)
    }

    /// Answers with a refusal that says when to come again.
    pub(super) fn refuse_until(&self, note: &Note, code: Code, message: &str, wait: Duration) -> Response {
        // A fraction of a second is worth a whole one: nobody is to come too early.
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let refusal = Refusal::new(code, message).hint(format!("ask again in {} s", seconds.max(1)));
        let mut response = self.refuse(note, &refusal);
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds.max(1)));
        response
    }

    /// Answers with a refusal and says how to do better.
    pub(crate) fn challenge(&self, note: &Note, challenge: Challenge, refusal: &Refusal) -> Response {
        let mut response = self.refuse_as(note, challenge.status(), refusal);
        let mut value = format!(
            "Bearer realm=\"stepwell\", error=\"{}\", error_description=\"{}\"",
            challenge.as_str(),
            description(&refusal.message)
        );
        let scopes = self.0.scopes.join(" ");
        if !scopes.is_empty() && !matches!(challenge, Challenge::InvalidRequest) {
            value.push_str(&format!(", scope=\"{scopes}\""));
        }
        value.push_str(&format!(", resource_metadata=\"{}\"", self.0.public_url.metadata()));
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(WWW_AUTHENTICATE, value);
        }
        response
    }

    fn refuse_as(&self, note: &Note, status: StatusCode, refusal: &Refusal) -> Response {
        note.refuse(refusal.code);
        self.0.server.shared.metrics.refused(refusal.code);
        if self.0.voice == Voice::ResourceServer {
            // It has a status for each code, and says for example 403 of a grant that ended.
            return v1::refused(refusal, note.id());
        }
        let mut body = refusal.to_json();
        body["error"]["request_id"] = json!(note.id());
        body["error"]["http_status"] = json!(status.as_u16());
        let mut response = (status, body.to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// A message as a challenge can carry it. It may be another server's, in any script; a header that cannot be sent would leave
/// the client without the way to a token.
fn description(message: &str) -> String {
    let is_plain = |c: char| (c.is_ascii_graphic() && !matches!(c, '"' | '\\')) || c == ' ';
    message.chars().map(|c| if is_plain(c) { c } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_message_says_a_header_can_carry_it() {
        for (message, said) in [
            ("the token has expired", "the token has expired"),
            ("ungültig: \"x\"\r\nset-cookie: a", "ung?ltig: ?x???set-cookie: a"),
            ("期限切れ \\ \u{7f}", "???? ? ?"),
        ] {
            assert_eq!(description(message), said);
            assert!(HeaderValue::from_str(&description(message)).is_ok());
        }
    }
}
