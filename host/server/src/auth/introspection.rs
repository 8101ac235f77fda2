//! Asks the authorization server about a token (RFC 7662).

use super::answers::{Answers, Verdict};
use super::claims::{Claims, now};
use super::config::IntrospectionConfig;
use super::trust::Trust;
use super::{Vouched, client, unavailable, untrusted};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Client;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use serde_json::Value;
use std::time::{Duration, Instant};
use stepwell_contract::Refusal;
use stepwell_source::Token;
use tokio::sync::Semaphore;

/// How long a refusal is remembered: long enough to spare the server a client that keeps trying.
const NO: Duration = Duration::from_secs(5);
/// How long it is remembered that the server did not answer: for those who waited for the same answer, and no longer.
const SILENCE: Duration = Duration::from_secs(1);
/// How many questions are asked at a time. Tokens that nobody knows must not become a flood at the other end.
const AT_A_TIME: usize = 32;
/// What is said of a token that does not count, whatever the reason.
const UNKNOWN: &str = "the token is unknown, expired or revoked";
/// How long a question waits for its turn.
const TURN: Duration = Duration::from_secs(2);

/// An authorization server that knows its tokens.
#[derive(Debug)]
pub(super) struct Introspection {
    client: Client,
    url: String,
    credentials: HeaderValue,
    trust: Trust,
    /// How long a good answer is believed, and so how late a revocation is seen at worst.
    keep: Duration,
    answers: Answers,
    turns: Semaphore,
}

impl Introspection {
    pub(super) fn new(config: &IntrospectionConfig, trust: Trust, client: Client) -> Self {
        Self {
            client,
            url: config.url.clone(),
            credentials: basic(&config.client_id, config.client_secret.reveal()),
            trust,
            keep: Duration::from_secs(config.cache_seconds),
            answers: Answers::default(),
            turns: Semaphore::new(AT_A_TIME),
        }
    }

    /// Finds the grant that a token stands for.
    pub(super) async fn vouch(&self, token: &Token) -> Result<Vouched, Refusal> {
        // A token that someone sent here by mistake is not shown to another server.
        if token.is_of_a_store() {
            return Err(untrusted(UNKNOWN));
        }
        let slot = self.answers.slot(token.digest());
        let mut answer = slot.lock().await;
        if let Some((verdict, until)) = &*answer
            && Instant::now() < *until
        {
            return verdict.clone();
        }
        let (verdict, lifetime) = match self.ask(token).await {
            Ok(verdict) => {
                let lifetime = self.lifetime(&verdict);
                (verdict, lifetime)
            }
            Err(silence) => (Err(silence), SILENCE),
        };
        *answer = Some((verdict.clone(), Instant::now() + lifetime));
        verdict
    }

    /// How long an answer may be given again.
    fn lifetime(&self, verdict: &Verdict) -> Duration {
        match verdict {
            Err(_) => NO.min(self.keep),
            Ok(Vouched { expires: Some(at), .. }) => {
                Duration::from_secs(at.saturating_sub(now())).min(self.keep)
            }
            Ok(_) => self.keep,
        }
    }

    /// What the server says of a token; an error if it says nothing of use.
    async fn ask(&self, token: &Token) -> Result<Verdict, Refusal> {
        let turn = tokio::time::timeout(TURN, self.turns.acquire()).await;
        let Ok(Ok(_turn)) = turn else { return Err(unavailable("too many tokens wait to be asked about")) };
        let form = format!("token={}&token_type_hint=access_token", form_encoded(token.reveal()));
        let request = self
            .client
            .post(&self.url)
            .header(AUTHORIZATION, self.credentials.clone())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form);
        let body = client::answer(request).await.map_err(|reason| unavailable(&reason))?;
        let claims: Claims =
            serde_json::from_slice(&body).map_err(|_| unavailable("its answer is no JSON object"))?;
        match claims.get("active") {
            Some(Value::Bool(true)) => Ok(self.trust.check(&claims, now())),
            Some(Value::Bool(false)) => Ok(Err(untrusted(UNKNOWN))),
            _ => Err(unavailable("its answer does not say whether the token is active")),
        }
    }
}

/// The credentials by which this server may ask (RFC 6749, 2.3.1).
fn basic(id: &str, secret: &str) -> HeaderValue {
    let pair = format!("{}:{}", form_encoded(id), form_encoded(secret));
    // Base64 has no character that a header could not carry.
    let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair)))
        .unwrap_or_else(|_| HeaderValue::from_static(""));
    value.set_sensitive(true);
    value
}

/// Spells a text so that a form can carry it.
fn form_encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_spelled_for_a_form_first() {
        assert_eq!(form_encoded("a b+é:/~"), "a+b%2B%C3%A9%3A%2F%7E");
        let header = basic("the server", "p:w");
        assert!(header.is_sensitive());
        let decoded = STANDARD.decode(header.to_str().unwrap().strip_prefix("Basic ").unwrap()).unwrap();
        assert_eq!(decoded, b"the+server:p%3Aw");
    }
}
