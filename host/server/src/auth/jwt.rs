//! Checks tokens that say themselves what they are good for, under a signature (RFC 7515, 7519, 9068).

use super::claims::{Claims, now};
use super::config::{Algorithm, JwtConfig};
use super::jwks::KeySet;
use super::trust::Trust;
use super::{Vouched, untrusted};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Client;
use serde::Deserialize;
use serde_json::Value;
use stepwell_contract::Refusal;
use stepwell_source::Token;

/// An authorization server whose signature is enough.
#[derive(Debug)]
pub(super) struct Jwt {
    keys: KeySet,
    algorithms: Vec<Algorithm>,
    trust: Trust,
}

/// The head of a token. Keys that it brings along (`jwk`, `jku`, `x5c`) are not even read: whoever forges a token can add
/// them too.
#[derive(Debug, Deserialize)]
struct Head {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    crit: Option<Value>,
}

/// A token, taken apart.
struct Signed<'t> {
    head: Head,
    claims: Claims,
    /// What the signature is about.
    message: &'t [u8],
    signature: Vec<u8>,
}

impl<'t> Signed<'t> {
    fn parse(token: &'t str) -> Option<Self> {
        let (message, signature) = token.rsplit_once('.')?;
        let (head, claims) = message.split_once('.')?;
        let bytes = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
        Some(Self {
            head: serde_json::from_slice(&bytes(head)?).ok()?,
            claims: serde_json::from_slice(&bytes(claims)?).ok()?,
            message: message.as_bytes(),
            signature: bytes(signature)?,
        })
    }
}

impl Jwt {
    pub(super) fn new(config: &JwtConfig, trust: Trust, client: Client) -> Self {
        let keys = KeySet::new(config.jwks_url.clone(), client);
        Self { keys, algorithms: config.algorithms.clone(), trust }
    }

    /// Finds the grant that a token stands for. What costs nothing is checked first, and nothing that it says is believed
    /// before its signature.
    pub(super) async fn vouch(&self, token: &Token) -> Result<Vouched, Refusal> {
        let signed = Signed::parse(token.reveal()).ok_or_else(|| untrusted("the token is no signed JWT"))?;
        let algorithm = self.algorithm(&signed.head)?;
        let key = self.keys.find(signed.head.kid.as_deref(), algorithm).await?;
        if !key.verify(signed.message, &signed.signature) {
            return Err(untrusted("the signature of the token is not right"));
        }
        if !signed.claims.contains_key("exp") {
            return Err(untrusted("the token does not say when it expires"));
        }
        self.trust.check(&signed.claims, now())
    }

    /// The algorithm of a token, if the operator allows it and the token asks for nothing beyond it.
    fn algorithm(&self, head: &Head) -> Result<Algorithm, Refusal> {
        let allowed = self.algorithms.iter().find(|algorithm| algorithm.name() == head.alg);
        let algorithm =
            *allowed.ok_or_else(|| untrusted("the token is signed in a way that does not count here"))?;
        if head.crit.is_some() {
            return Err(untrusted("the token insists on an extension that is not known here"));
        }
        // An access token says so or says nothing special. Tokens for other ends name those.
        let kind = head.typ.as_deref().unwrap_or("jwt").to_ascii_lowercase();
        if !["jwt", "at+jwt", "application/at+jwt", "application/jwt"].contains(&kind.as_str()) {
            return Err(untrusted("the token is of another type than an access token"));
        }
        Ok(algorithm)
    }
}
