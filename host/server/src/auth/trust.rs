//! What an operator trusts an authorization server with.

use super::config::AuthConfig;

/// Whose tokens count, and where they name their grant.
#[derive(Clone, Debug)]
pub(super) struct Trust {
    /// The authorization server.
    pub(super) issuer: String,
    /// Whom its tokens have to be meant for.
    pub(super) audience: String,
    /// The claim that names the grant.
    pub(super) grant_claim: String,
}

impl Trust {
    /// What a configuration says, for a server that is known by the address `resource`.
    pub(super) fn new(config: &AuthConfig, resource: &str) -> Self {
        Self {
            issuer: config.issuer.clone().unwrap_or_default(),
            audience: config.audience.clone().unwrap_or_else(|| resource.to_owned()),
            grant_claim: config.grant_claim.clone(),
        }
    }
}
