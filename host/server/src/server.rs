//! What the server has to offer.

use crate::config::ServerConfig;
use crate::door::Door;
use crate::tools::Tools;
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig as ServerInfo};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use stepwell_contract::budget::{PLUGIN_TOOLS, PLUGIN_TOOLS_LIST};
use stepwell_contract::tool::{ToolSet, instructions};
use stepwell_ladder::Ladder;
use stepwell_source::Token;
use tokio_util::sync::CancellationToken;

/// The server, ready for a transport. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Server {
    pub(crate) offer: Arc<Offer>,
    pub(crate) door: Door,
}

/// What every request shares.
#[derive(Debug)]
pub(crate) struct Offer {
    pub(crate) ladder: Ladder,
    pub(crate) tools: Tools,
    pub(crate) info: ServerInfo,
    /// Fires when the server is to end: open subscriptions end then, and calls in flight finish.
    pub(crate) closing: CancellationToken,
    /// Whether a client ever subscribed.
    pub(crate) subscribed: AtomicBool,
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
        let tiers = ladder.tiers();
        let on = ToolSet { field_window: tiers.window().is_some(), resources: tiers.resources().is_some() };
        let offer = Offer {
            tools: Tools::new(on, config.schemas.into(), tiers.tools(), config.tool_name_reserve)?,
            info: info(on),
            closing: CancellationToken::new(),
            subscribed: AtomicBool::new(false),
            ladder,
        };
        Ok(Self { offer: Arc::new(offer), door: Door::Request })
    }

    /// The same server for one client whose token the process holds.
    pub(crate) fn with_token(&self, token: Token) -> Self {
        Self { offer: self.offer.clone(), door: Door::Process(token) }
    }

    /// Whether there are resources to list and to read.
    pub(crate) fn has_resources(&self) -> bool {
        self.offer.info.capabilities.resources.is_some()
    }
}

/// Name, version, instructions, and nothing that is not there: no change notices either, since nothing changes while
/// the process runs.
fn info(on: ToolSet) -> ServerInfo {
    let mut capabilities = ServerCapabilities::builder().enable_tools().build();
    if on.resources {
        capabilities.resources = Some(Default::default());
        capabilities.completions = Some(Default::default());
    }
    let name = Implementation::new("stepwell", env!("CARGO_PKG_VERSION")).with_title("Stepwell");
    ServerInfo::new(capabilities).with_server_info(name).with_instructions(instructions(on))
}
