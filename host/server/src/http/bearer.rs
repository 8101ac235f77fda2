//! The bearer token that every HTTP request brings.

use super::front::{Front, Voice};
use super::refusal::Challenge;
use crate::note::Note;
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL};
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::middleware::Next;
use axum::response::Response;
use std::time::Duration;
use stepwell_contract::{Class, Code, Refusal};
use stepwell_ladder::LadderError;
use stepwell_source::{Caller, Token};

/// The longest token. A JWT with many claims has two kilobytes.
const LONGEST_TOKEN: usize = 8 * 1024;
/// What a token in an address would be called. Addresses end up in logs, histories and referrers.
const NAMES_OF_TOKENS: &[&str] =
    &["access_token", "token", "bearer", "bearer_token", "authorization", "api_key"];

/// The door as a layer.
pub(super) async fn required(
    State(front): State<Front>,
    Extension(note): Extension<Note>,
    request: Request,
    next: Next,
) -> Response {
    pass(&front, &note, request, |_, request| next.run(request)).await
}

/// Lets a request in whose token is good, with the caller in its extensions and without the token.
pub(super) async fn pass<F: Future<Output = Response>>(
    front: &Front,
    note: &Note,
    mut request: Request,
    next: impl FnOnce(Caller, Request) -> F,
) -> Response {
    let token = match front.presented(note, &request) {
        Ok(token) => token,
        Err(refused) => return *refused,
    };
    let source = front.source();
    let caller = match front.0.authority.caller(&*source, &token).await {
        Ok(caller) => caller,
        Err(error) => return front.unadmitted(note, &error),
    };
    // What is not there cannot be logged.
    request.headers_mut().remove(AUTHORIZATION);
    request.extensions_mut().insert(caller.clone());
    let mut response = next(caller, request).await;
    // Answers hold personal data; nothing between us and the client may keep them.
    response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

impl Front {
    /// The token that a request brings in the one place where it belongs, or the answer to one that does not.
    pub(crate) fn presented(&self, note: &Note, request: &Request) -> Result<Token, Box<Response>> {
        if names_a_token(request.uri()) {
            let refusal = Refusal::new(Code::InvalidRequest, "a token does not belong into an address").hint(
                "send the header: Authorization: Bearer TOKEN, and make a new token, because this one was shown",
            );
            return Err(Box::new(self.challenge(note, Challenge::InvalidRequest, &refusal)));
        }
        token(request.headers()).map_err(|fault| {
            let (challenge, message) = match fault {
                Fault::Absent => (Challenge::InvalidToken, "the request carries no bearer token"),
                Fault::Malformed => (Challenge::InvalidRequest, "the Authorization header is malformed"),
            };
            let refusal = Refusal::new(self.0.voice.code(fault), message)
                .hint("send the header: Authorization: Bearer TOKEN");
            Box::new(self.challenge(note, challenge, &refusal))
        })
    }

    /// Answers a token that does not count.
    pub(crate) fn unadmitted(&self, note: &Note, error: &LadderError) -> Response {
        let refusal = error.for_client();
        match refusal.code {
            Code::OwnerTokenRefused | Code::InsufficientScope => {
                self.challenge(note, Challenge::InsufficientScope, &refusal)
            }
            Code::AuthorizationUnavailable => {
                self.refuse_until(note, refusal.code, &refusal.message, Duration::from_secs(1))
            }
            code if code.class() == Class::Authorization => {
                self.challenge(note, Challenge::InvalidToken, &refusal)
            }
            _ => {
                if let LadderError::Failed(reason) = error {
                    tracing::error!(request_id = note.id(), reason, "cannot authenticate");
                }
                self.refuse(note, &refusal)
            }
        }
    }
}

impl Voice {
    /// What a request is refused with that has no token to check.
    const fn code(self, fault: Fault) -> Code {
        match (self, fault) {
            (Self::Ladder, Fault::Malformed) => Code::InvalidRequest,
            // A resource server makes no difference between no token and no good one.
            (Self::ResourceServer, _) | (Self::Ladder, Fault::Absent) => Code::InvalidToken,
        }
    }
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
    if token.is_empty() || token.len() > LONGEST_TOKEN || !token.bytes().all(is_token_char) {
        return Err(Fault::Malformed);
    }
    Ok(Token::new(token))
}

/// Whether a part of the address is called as a token would be.
fn names_a_token(uri: &Uri) -> bool {
    // Some programs part the pairs of an address by semicolons.
    let query = uri.query().unwrap_or_default().replace(';', "&");
    form_urlencoded::parse(query.as_bytes())
        .any(|(name, _)| NAMES_OF_TOKENS.contains(&name.to_ascii_lowercase().as_str()))
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
        assert_eq!(of(&[&format!("Bearer {}", "a".repeat(LONGEST_TOKEN + 1))]), Err(Fault::Malformed));
    }

    #[test]
    fn an_address_with_a_token_is_seen_however_it_is_spelled() {
        for uri in [
            "/mcp?access_token=x",
            "/mcp?a=b&ACCESS_TOKEN=x",
            "/mcp?a=b;access%5Ftoken=x",
            "/mcp?token",
            "/mcp?%61%70%69_key=",
        ] {
            assert!(names_a_token(&uri.parse().unwrap()), "{uri}");
        }
        for uri in ["/mcp", "/mcp?", "/mcp?a=token", "/token", "/mcp?tokens=1", "/mcp?%zz=%"] {
            assert!(!names_a_token(&uri.parse().unwrap()), "{uri}");
        }
    }
}
