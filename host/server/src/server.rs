//! What the server has to offer, and how that is replaced while it runs.

use crate::config::ServerConfig;
use crate::door::Door;
use crate::metrics::Metrics;
use crate::tools::Tools;
use rmcp::model::{Implementation, MetaObject, ServerCapabilities, ServerConfig as ServerInfo};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use stepwell_contract::budget::{PLUGIN_TOOLS, PLUGIN_TOOLS_LIST};
use stepwell_contract::tool::{ToolSet, instructions};
use stepwell_ladder::Ladder;
use stepwell_source::Token;
use stepwell_tiers::TierStatus;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Where a result says who it is from.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The server, ready for a transport. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Server {
    pub(crate) shared: Arc<Shared>,
    pub(crate) door: Door,
}

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// What is offered now. Whoever waits for a change learns of it here.
    pub(crate) offers: watch::Sender<Arc<Offer>>,
    /// Fires when the server is to end: open subscriptions end then, and calls in flight finish.
    pub(crate) closing: CancellationToken,
    /// Whether a client ever subscribed.
    pub(crate) subscribed: AtomicBool,
    /// Whether the one client of a process that opened a session is told of changes.
    pub(crate) is_told: AtomicBool,
    /// What was counted since the start.
    pub(crate) metrics: Metrics,
}

/// What one request goes by, from its start to its end: all of it was made from one configuration.
#[derive(Debug)]
pub(crate) struct Offer {
    pub(crate) ladder: Ladder,
    pub(crate) tools: Tools,
    pub(crate) info: ServerInfo,
    /// Which optional parts are on.
    pub(crate) on: ToolSet,
    /// Who answers, as every result of the newer era says.
    identity: Value,
}

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A tool's schema is broken, which its tests should have seen.
    #[error("the schema of {tool} does not compile: {reason}")]
    Schema {
        /// The tool.
        tool: String,
        /// What the validator says.
        reason: String,
    },
    /// Plugins add more tools than a model can choose from.
    #[error(
        "plugins.toml: the plugins add {tools} tools of {bytes} bytes, but there may be {PLUGIN_TOOLS} of {PLUGIN_TOOLS_LIST} \
         bytes; disable a [[tool]]"
    )]
    TooManyTools {
        /// How many they add.
        tools: usize,
        /// How long their definitions are.
        bytes: u64,
    },
    /// A plugin or a reserve that leaves no names.
    #[error("plugins.toml: {0}")]
    Name(String),
}

impl Server {
    /// A server whose HTTP requests bring their own tokens.
    pub fn new(ladder: Ladder, config: &ServerConfig) -> Result<Self, StartError> {
        let shared = Shared {
            offers: watch::Sender::new(Arc::new(Offer::new(ladder, config)?)),
            closing: CancellationToken::new(),
            subscribed: AtomicBool::new(false),
            is_told: AtomicBool::new(false),
            metrics: Metrics::default(),
        };
        Ok(Self { shared: Arc::new(shared), door: Door::Request { exports: None } })
    }

    /// The same server for requests that could ask for an export at an address that begins like this.
    pub(crate) fn with_exports(&self, exports: &str) -> Self {
        Self { shared: self.shared.clone(), door: Door::Request { exports: Some(exports.into()) } }
    }

    /// Offers something else from now on. Requests in flight go on with what they started with; clients that can be told
    /// learn that a list changed. The ladder has to be on the same source.
    pub fn replace(&self, ladder: Ladder, config: &ServerConfig) -> Result<(), StartError> {
        self.shared.offers.send_replace(Arc::new(Offer::new(ladder, config)?));
        Ok(())
    }

    /// How the tiers that are offered now are doing.
    #[must_use]
    pub fn tiers(&self) -> Vec<TierStatus> {
        self.offer().ladder.tiers().status()
    }

    /// What is offered now. A request asks once and keeps it, so that it never sees half of two configurations.
    pub(crate) fn offer(&self) -> Arc<Offer> {
        self.shared.offers.borrow().clone()
    }

    /// The same server for one client whose token the process holds.
    pub(crate) fn with_token(&self, token: Token) -> Self {
        Self { shared: self.shared.clone(), door: Door::Process(token) }
    }
}

impl Offer {
    fn new(ladder: Ladder, config: &ServerConfig) -> Result<Self, StartError> {
        let tiers = ladder.tiers();
        let on = ToolSet {
            field_window: tiers.window().is_some(),
            resources: tiers.resources().is_some(),
            export: tiers.export().is_some(),
        };
        let tools = Tools::new(on, config.schemas.into(), tiers.tools(), config.tool_name_reserve)?;
        let info = info(on);
        let identity = serde_json::to_value(&info.server_info).unwrap_or_default();
        Ok(Self { tools, info, on, identity, ladder })
    }

    /// Adds to what a result says beside itself who it is from, where the client's era expects that.
    pub(crate) fn signed(&self, says_version: bool, meta: Option<MetaObject>) -> Option<MetaObject> {
        if !says_version {
            return meta;
        }
        let mut meta = meta.unwrap_or_default();
        meta.0.insert(SERVER_INFO.to_owned(), self.identity.clone());
        Some(meta)
    }

    /// Whether there are resources to list and to read.
    pub(crate) fn has_resources(&self) -> bool {
        self.info.capabilities.resources.is_some()
    }
}

/// Name, version, instructions, and nothing that is not there.
fn info(on: ToolSet) -> ServerInfo {
    let mut capabilities =
        ServerCapabilities::builder().enable_tools().enable_tool_list_changed().enable_prompts().build();
    capabilities.completions = Some(Default::default());
    if on.resources {
        let resources = capabilities.resources.insert(Default::default());
        resources.list_changed = Some(true);
    }
    let name = Implementation::new("stepwell", env!("CARGO_PKG_VERSION")).with_title("Stepwell");
    ServerInfo::new(capabilities).with_server_info(name).with_instructions(instructions(on))
}

/// Takes back the promise to tell of changes, for a client that cannot be told.
pub(crate) fn without_notices(mut info: ServerInfo) -> ServerInfo {
    if let Some(tools) = &mut info.capabilities.tools {
        tools.list_changed = None;
    }
    if let Some(resources) = &mut info.capabilities.resources {
        resources.list_changed = None;
    }
    info
}
