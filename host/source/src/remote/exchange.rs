//! Exchanges a caller's token for one that the resource server takes (RFC 8693).

use super::address::RemoteUrl;
use super::authorities::Authorities;
use super::client::{http, invalid};
use super::credential::unusable;
use super::limits::{ERROR, Limits};
use super::memory::Memory;
use crate::error::{Failure, Result};
use crate::token::Token;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;
use std::time::Duration;
use stepwell_contract::{Code, Refusal};

/// How long before its end a token is no longer used.
const MARGIN: Duration = Duration::from_secs(10);

/// Where tokens are exchanged, and who asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangeOptions {
    /// The token endpoint of the authorization server.
    pub token_endpoint: RemoteUrl,
    /// The name under which this host is known there.
    pub client_id: String,
    /// What proves it. It prints as stars.
    pub client_secret: Token,
    /// What the new token is for, where that is not the resource server's address.
    pub resource: Option<String>,
}

#[derive(Debug)]
pub(super) struct Exchange {
    options: ExchangeOptions,
    resource: String,
    http: reqwest::Client,
    known: Memory<Token>,
}

impl Exchange {
    pub(super) fn new(
        options: ExchangeOptions,
        rs: &RemoteUrl,
        limits: &Limits,
        authorities: &Authorities,
    ) -> Result<Self, Failure> {
        let resource = options.resource.clone().unwrap_or_else(|| rs.to_string());
        let http = http(&options.token_endpoint, limits, authorities)?;
        Ok(Self { options, resource, http, known: Memory::new() })
    }

    /// The token for the resource server that stands for a caller's.
    pub(super) async fn token(&self, of: &Token) -> Result<Token> {
        let key = of.digest();
        if let Some(token) = self.known.get(&key) {
            return Ok(token);
        }
        let (token, lives) = self.ask(of).await?;
        self.known.put_for(key, token.clone(), lives.saturating_sub(MARGIN));
        Ok(token)
    }

    pub(super) fn forget(&self, of: &Token) {
        self.known.forget(&of.digest());
    }

    async fn ask(&self, of: &Token) -> Result<(Token, Duration)> {
        const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";
        let pairs = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("subject_token", of.reveal()),
            ("subject_token_type", ACCESS_TOKEN),
            ("requested_token_type", ACCESS_TOKEN),
            ("resource", &self.resource),
        ];
        let endpoint = self.options.token_endpoint.route(&[], &[]);
        // Spelled as a query would be, but sent as the body.
        let mut form = endpoint.clone();
        form.query_pairs_mut().clear().extend_pairs(pairs);
        let request = self
            .http
            .post(endpoint)
            .basic_auth(
                form_encoded(&self.options.client_id),
                Some(form_encoded(self.options.client_secret.reveal())),
            )
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.query().unwrap_or_default().to_owned());
        let unreachable = |_| {
            let message = "the authorization server did not answer";
            Refusal::new(Code::SourceUnavailable, message).hint("try again in a moment")
        };
        let mut response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(unreachable)? {
            body.extend_from_slice(&piece);
            if body.len() > ERROR {
                return Err(invalid("that of the authorization server is too large").into());
            }
        }
        if status.as_u16() == 400 || status.as_u16() == 403 {
            return Err(unusable("the token cannot be exchanged for one of the resource server").into());
        }
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        let token = answer["access_token"].as_str().filter(|token| !token.is_empty());
        let Some(token) = token.filter(|_| status.is_success()) else {
            let message = "the authorization server exchanges no tokens for this host";
            return Err(Refusal::new(Code::SourceUnavailable, message).into());
        };
        let lives = Duration::from_secs(answer["expires_in"].as_u64().unwrap_or_default());
        Ok((Token::new(token), lives))
    }
}

/// Spells a text as a form does, which is how a client's name and secret stand in its header (RFC 6749, 2.3.1).
fn form_encoded(text: &str) -> String {
    let Ok(mut url) = reqwest::Url::parse("data:") else { return String::new() };
    url.query_pairs_mut().append_key_only(text);
    url.query().unwrap_or_default().to_owned()
}
