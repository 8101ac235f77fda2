//! What is allowed and still worth a second look. A server says it when it starts, and `stepwell config check` any time.

use super::Settings;
use std::net::SocketAddr;
use stepwell_server::auth::config::Mode;
use stepwell_server::http::PublicUrl;
use stepwell_server::ledger;
use stepwell_tiers::{Health, OnFault, TierStatus};

impl Settings {
    /// What follows from these settings that an operator may not have meant.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.server.http.is_some_and(|address| address.ip().is_unspecified())
            && self.server.allow_hosts.is_empty()
        {
            warnings.push(
                "server.http is every address of this machine, but allow_hosts names none: only clients on this \
                 machine are let in"
                    .to_owned(),
            );
        }
        warnings.extend(self.exposed());
        if !self.tiers.field_window.enabled {
            warnings.push(
                "tiers.field-window is off: where a result cuts a field, there is no way to read the rest"
                    .to_owned(),
            );
        }
        if !self.ledger.enabled {
            warnings.push("ledger is off: nothing says afterwards what was read, or by whom".to_owned());
        } else if self.ledger.on_fault == ledger::OnFault::Serve {
            warnings.push(
                "ledger.on_fault is \"serve\": a read that cannot be written down is answered all the same"
                    .to_owned(),
            );
        }
        warnings.extend(self.unreached_previews());
        warnings
    }

    /// What a network could see or mistake.
    fn exposed(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let (server, mut public) = (&self.server, self.server.public_url.iter());
        let is_open = |address: SocketAddr| !address.ip().is_loopback();
        let has_https = |url: &PublicUrl| url.as_str().starts_with("https:");
        let is_encrypted = server.tls_key.is_some() || public.any(has_https);
        if server.http.is_some_and(is_open) && !is_encrypted {
            warnings.push(
                "server.http is open to the network without tls_certificate and without a public_url of https: tokens \
                 and records can be read on the way"
                    .to_owned(),
            );
        }
        let is_encrypted = server.tls_key.is_some() || self.v1.public_url.as_ref().is_some_and(has_https);
        if self.v1.listen.is_some_and(is_open) && !is_encrypted {
            warnings.push(
                "v1.listen is open to the network without server.tls_certificate and without a v1.public_url of https: \
                 tokens and records can be read on the way"
                    .to_owned(),
            );
        }
        if server.admin.is_some_and(is_open) {
            warnings.push("server.admin is open to the network, and asks for no token".to_owned());
        }
        if self.auth.mode != Mode::Grants && self.auth.audience.is_none() && server.public_url.is_none() {
            warnings.push(
                "auth.mode needs tokens that are meant for this server, but neither public_url nor auth.audience says \
                 what they call it"
                    .to_owned(),
            );
        }
        warnings
    }

    /// A preview behind one that is for every record is never asked.
    fn unreached_previews(&self) -> Vec<String> {
        let mut on = self.tiers.previews.iter().filter(|preview| preview.tier.enabled);
        let Some(first) = on.by_ref().find(|preview| preview.rule.is_for_all()) else { return Vec::new() };
        let never = |name: &str| {
            format!("preview {name:?} is never asked: {:?} comes first and is for every record", first.name)
        };
        on.map(|preview| never(&preview.name)).collect()
    }
}

/// What a tier that was not loaded means for requests.
pub(crate) fn broken(tier: &TierStatus) -> Option<String> {
    let Health::Broken(fault) = &tier.health else { return None };
    let then = match tier.on_fault.of(fault) {
        OnFault::Fallback => "the host's own plain rendering takes its place",
        OnFault::Refuse => "every request that needs it ends in a tier_error",
    };
    let phase = fault.phase();
    Some(format!("the tier {:?} does not load ({phase}): {fault}; on_fault says that {then}", tier.name))
}
