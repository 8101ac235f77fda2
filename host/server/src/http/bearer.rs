//! The bearer token that every HTTP request brings.

use crate::request_id::request_id;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use serde_json::json;
use std::sync::Arc;
use stepwell_contract::{Code, Refusal};
use stepwell_ladder::LadderError;
use stepwell_source::{Source, Token};

/// Lets a request in whose token is good, with the caller in its extensions and without the token.
pub(super) async fn required(
    State(source): State<Arc<dyn Source>>,
    mut request: Request,
    next: Next,
) -> Response {
    let token = match token(request.headers()) {
        Ok(token) => token,
        Err(fault) => return fault.response(),
    };
    let caller = match source.authenticate(&token).await {
        Ok(caller) => caller,
        Err(error) => return refused(&LadderError::from(error)),
    };
    // What is not there cannot be logged.
    request.headers_mut().remove(AUTHORIZATION);
    request.extensions_mut().insert(caller);
    let mut response = next.run(request).await;
    // Answers hold personal data; nothing between us and the client may keep them.
    response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Why there is no token to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Absent,
    Malformed,
}

/// Takes the token from the one place where it belongs.
fn token(headers: &HeaderMap) -> Result<Token, Fault> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().ok_or(Fault::Absent)?;
    let text = value.to_str().map_err(|_| Fault::Malformed)?;
    let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
    if values.next().is_some() {
        return Err(Fault::Malformed);
    }
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Fault::Absent);
    }
    let is_token_char = |b: u8| b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b);
    if token.is_empty() || !token.bytes().all(is_token_char) {
        return Err(Fault::Malformed);
    }
    Ok(Token::new(token))
}

impl Fault {
    fn response(self) -> Response {
        let (status, error, message) = match self {
            Self::Absent => {
                (StatusCode::UNAUTHORIZED, "invalid_token", "the request carries no bearer token")
            }
            Self::Malformed => {
                (StatusCode::BAD_REQUEST, "invalid_request", "the Authorization header is malformed")
            }
        };
        let refusal = Refusal::new(Code::InvalidToken, message);
        respond(status, Some(error), &refusal.hint("send the header: Authorization: Bearer TOKEN"))
    }
}

/// Answers a token that does not count.
fn refused(error: &LadderError) -> Response {
    let refusal = error.for_client();
    match refusal.code {
        Code::OwnerTokenRefused => respond(StatusCode::FORBIDDEN, Some("insufficient_scope"), &refusal),
        Code::InvalidToken
        | Code::GrantExpired
        | Code::GrantRevoked
        | Code::GrantInvalid
        | Code::GrantConsumed => respond(StatusCode::UNAUTHORIZED, Some("invalid_token"), &refusal),
        _ => {
            if let LadderError::Failed(reason) = error {
                tracing::error!(reason, "cannot authenticate");
            }
            respond(StatusCode::SERVICE_UNAVAILABLE, None, &refusal)
        }
    }
}

fn respond(status: StatusCode, challenge: Option<&str>, refusal: &Refusal) -> Response {
    let id = request_id();
    tracing::info!(request_id = id, code = refusal.code.as_str(), status = status.as_u16(), "refused");
    let mut body = refusal.to_json();
    body["error"]["request_id"] = json!(id);
    body["error"]["http_status"] = json!(status.as_u16());
    let mut response = (status, body.to_string()).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(error) = challenge {
        let value = format!(
            "Bearer realm=\"stepwell\", error=\"{error}\", error_description=\"{}\"",
            refusal.message
        );
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(WWW_AUTHENTICATE, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str]) -> Result<String, Fault> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        token(&headers).map(|token| token.reveal().to_owned())
    }

    #[test]
    fn a_token_stands_in_one_place_and_shape() {
        assert_eq!(of(&["Bearer swc_abc-_1"]).unwrap(), "swc_abc-_1");
        assert_eq!(of(&["bearer x"]).unwrap(), "x");
        assert_eq!(of(&[]), Err(Fault::Absent));
        assert_eq!(of(&["Basic eDp5"]), Err(Fault::Absent));
        for broken in ["Bearer", "Bearer ", "Bearer a b", "Bearer  a", "Bearer a,b", "Bearer \"a\""] {
            assert_eq!(of(&[broken]), Err(Fault::Malformed), "{broken}");
        }
        assert_eq!(of(&["Bearer a", "Bearer a"]), Err(Fault::Malformed));
    }
}
