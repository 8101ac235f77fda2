//! Whether a bearer token counts, and for which grant.
//!
//! A token is either one of the store's own, or one of an authorization server that the operator trusts. Such a server
//! only vouches: what may be read is always said by a grant of the store, which is looked up again for every request, so
//! that its end counts at once whatever a token says.

mod answers;
mod claims;
mod client;
pub mod config;
mod introspection;
mod jwks;
mod jwt;
mod trust;

pub use config::AuthConfig;

use config::Mode;
use introspection::Introspection;
use jwt::Jwt;
use stepwell_contract::{Code, Refusal};
use stepwell_ladder::LadderError;
use stepwell_source::{Caller, Source, Token};
use trust::Trust;

/// Decides about bearer tokens.
#[derive(Debug)]
pub(crate) struct Authority {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// The store knows its tokens.
    Grants,
    /// Another server is asked.
    Introspection(Box<Introspection>),
    /// The token says it, and another server's signature proves it.
    Jwt(Box<Jwt>),
}

/// Why no authority could be set up.
#[derive(Debug, thiserror::Error)]
#[error("the authorization server cannot be talked to: {0}")]
pub(crate) struct NoAuthority(String);

/// A grant that an authorization server vouches for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Vouched {
    grant_id: String,
    /// The second from which on it does not, where it said one.
    expires: Option<u64>,
}

impl Authority {
    /// Sets up what the operator decided, for a server that is known by the address `resource`.
    pub(crate) fn new(config: &AuthConfig, resource: &str) -> Result<Self, NoAuthority> {
        let trust = Trust::new(config, resource);
        let kind = match &config.mode {
            Mode::Grants => Kind::Grants,
            Mode::Introspection(asked) => {
                Kind::Introspection(Box::new(Introspection::new(asked, trust, client::new()?)))
            }
            Mode::Jwt(signed) => Kind::Jwt(Box::new(Jwt::new(signed, trust, client::new()?))),
        };
        Ok(Self { kind })
    }

    /// Turns a token into a caller, or refuses it.
    pub(crate) async fn caller(&self, source: &dyn Source, token: &Token) -> Result<Caller, LadderError> {
        let vouched = match &self.kind {
            Kind::Grants => return Ok(source.authenticate(token).await?),
            Kind::Introspection(server) => server.vouch(token).await?,
            Kind::Jwt(keys) => keys.vouch(token).await?,
        };
        Ok(source.admit(&vouched.grant_id).await?)
    }
}

/// A token that does not count, and why.
fn untrusted(reason: &str) -> Refusal {
    Refusal::new(Code::InvalidToken, reason)
}

/// Nobody can say whether the token counts. The reason is for the operator.
fn unavailable(reason: &str) -> Refusal {
    tracing::error!(reason, "the authorization server did not help");
    Refusal::new(
        Code::AuthorizationUnavailable,
        "the authorization server could not be asked about the token",
    )
    .hint("try again in a moment")
}
