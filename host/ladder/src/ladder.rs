//! The ladder as the server sees it. Its methods, one for each tool and each kind of resource, stand in `tools.rs`.

use crate::keys::Keys;
use crate::ledger::{LedgerPolicy, Recorded};
use crate::reply::{LadderError, Reply, Resource};
use crate::seal::now_unix;
use crate::window::{FieldWindow, WindowRequest, read_window};
use serde_json::{Value, json};
use std::sync::Arc;
use stepwell_contract::cursor::Keyring;
use stepwell_source::{Caller, Source};
use stepwell_tiers::Tiers;

/// Composes every result from a source and the tiers.
#[derive(Debug)]
pub struct Ladder {
    pub(crate) source: Arc<dyn Source>,
    pub(crate) tiers: Arc<Tiers>,
    pub(crate) keys: Keys,
    pub(crate) settings: Settings,
}

/// What an operator decides about results.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What `provider_url` says; never a file path.
    pub provider_url: String,
    /// The keys that seal cursors; without them, those of the source.
    pub keys: Option<Keyring>,
    /// How the ledger is kept.
    pub ledger: LedgerPolicy,
}

/// What the server knows about the client that asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Client {
    /// Whether the client is known to cope with `resource_link` blocks.
    pub follows_links: bool,
}

/// The result of a tool call.
pub type ToolResult = Result<Recorded<Reply>, LadderError>;

/// The result of a resource read.
pub type ResourceResult = Result<Recorded<Resource>, LadderError>;

/// A tool's answer before the ledger has it.
pub(crate) type Draft = Result<Reply, LadderError>;

/// A resource before the ledger has it.
pub(crate) type ResourceDraft = Result<Resource, LadderError>;

/// The arguments of a tool call, checked against the tool's schema by the server.
pub type ToolArguments<'a> = &'a Value;

impl Ladder {
    /// Puts a source and tiers together.
    pub async fn new(
        source: Arc<dyn Source>,
        tiers: Arc<Tiers>,
        settings: Settings,
    ) -> Result<Self, LadderError> {
        let keys = match settings.keys.clone() {
            Some(keys) => Keys::fixed(keys),
            None => Keys::of_source(source.clone(), source.keyring().await?),
        };
        Ok(Self { source, tiers, keys, settings })
    }

    /// The source, for authenticating callers.
    #[must_use]
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// How the ledger is kept.
    #[must_use]
    pub fn ledger(&self) -> LedgerPolicy {
        self.settings.ledger
    }

    /// Reads a window as the resource server does: where it was asked for, whatever a tier would prefer.
    pub async fn plain_window(
        &self,
        caller: &Caller,
        request: &WindowRequest,
    ) -> Result<FieldWindow, LadderError> {
        let keys = self.keys.current(None).await;
        read_window(&*self.source, &keys, caller, request, now_unix()).await
    }

    /// The frame of a result that carries an answer of the resource server.
    pub(crate) fn envelope(&self, data: Value, warnings: Vec<Value>) -> Value {
        json!({
            "data": data,
            "provider_url": self.settings.provider_url,
            "request_id": "",
            "warnings": warnings,
        })
    }

    /// The tiers, for saying which tools and templates there are.
    #[must_use]
    pub fn tiers(&self) -> &Tiers {
        &self.tiers
    }
}

/// A caller and its client, together for one request.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    /// Proof that the token was checked.
    pub caller: &'a Caller,
    /// What is known about the client.
    pub client: Client,
    /// What an export's address begins with, up to its handle, where the client could ask for one.
    pub exports: Option<&'a str>,
}
