//! All tiers together.

mod export;
mod preview;
mod previews;
mod resources;
mod tool;
mod window;

pub use export::ExportTier;
pub use preview::PreviewTier;
pub use previews::{Composed, Previews};
pub use resources::ResourcesTier;
pub use tool::{ToolCall, ToolTier};
pub use window::WindowTier;

use crate::config::{Config, Links, TierConfig};
use crate::lock::Lock;
use crate::runtime::{Cache, LoadError, Runtime};
use crate::status::{Health, TierStatus};
use crate::tier::{Tier, World, status_of};
use crate::watch::Watch;
use std::path::PathBuf;
use std::sync::Arc;

/// Where files are.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The folder of plugins.toml, which components' paths are relative to.
    pub base: PathBuf,
    /// A private folder for compiled components; without one, every start compiles.
    pub cache: Option<PathBuf>,
    /// The program that native tiers run in: it calls [`tier_host`](crate::tier_host) when its first argument is
    /// `tier-host`. Without one there are no native tiers.
    pub tier_host: Option<PathBuf>,
}

/// On which terms tiers are loaded.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// What was accepted.
    pub lock: Lock,
    /// Who sees what happens in calls: nobody in a server.
    pub watch: Option<Arc<Watch>>,
}

/// The tiers that a configuration switches on, loaded. A reload makes a new one with the same [`Runtime`] and swaps it.
#[derive(Debug)]
pub struct Tiers {
    previews: Previews,
    window: Option<WindowTier>,
    resources: Option<ResourcesTier>,
    export: Option<ExportTier>,
    tools: Vec<ToolTier>,
    config: Config,
}

impl Tiers {
    /// Loads the tiers with an engine of their own. A component that cannot be loaded does not stop the others: calls
    /// to it end in its fault, and its policy says what then.
    pub fn load(config: &Config, place: &Place) -> Result<Self, LoadError> {
        Ok(Self::load_in(&Arc::new(Runtime::new()?), config, place))
    }

    /// Loads the tiers into an engine that is already running, as far as the lock beside plugins.toml allows.
    #[must_use]
    pub fn load_in(runtime: &Arc<Runtime>, config: &Config, place: &Place) -> Self {
        let terms = Terms { lock: Lock::read(&place.base), watch: None };
        Self::load_on(&terms, runtime, config, place)
    }

    /// Loads the tiers on other terms than a server does.
    #[must_use]
    pub fn load_on(terms: &Terms, runtime: &Arc<Runtime>, config: &Config, place: &Place) -> Self {
        let cache = place.cache.as_ref().and_then(|dir| {
            let opened = Cache::open(dir, runtime.engine());
            let warn = |error: &std::io::Error| {
                tracing::warn!("no cache for compiled tiers in {}: {error}", dir.display());
            };
            opened.inspect_err(warn).ok()
        });
        let cache = cache.as_ref();
        Self {
            previews: Previews::load(config, |name, tier| {
                tier.enabled.then(|| PreviewTier(Tier::load(runtime, name, tier, place, cache, terms)))
            }),
            window: load(runtime, &config.field_window, place, cache, terms).map(WindowTier),
            resources: load(runtime, &config.resources.tier, place, cache, terms).map(ResourcesTier),
            export: load(runtime, &config.binary_export, place, cache, terms).map(ExportTier),
            tools: config
                .tools
                .iter()
                .filter(|tool| tool.tier.enabled)
                .map(|tool| ToolTier::load(runtime, tool, place, cache, terms))
                .collect(),
            config: config.clone(),
        }
    }

    /// All previews: the custom ones and the default one.
    #[must_use]
    pub const fn previews(&self) -> &Previews {
        &self.previews
    }

    /// The default preview, unless it is off. It is only for the records that no custom one is for.
    #[must_use]
    pub const fn preview(&self) -> Option<&PreviewTier> {
        self.previews.last()
    }

    /// The field-window tier, unless it is off.
    #[must_use]
    pub const fn window(&self) -> Option<&WindowTier> {
        self.window.as_ref()
    }

    /// The resources tier, unless it is off.
    #[must_use]
    pub const fn resources(&self) -> Option<&ResourcesTier> {
        self.resources.as_ref()
    }

    /// The binary-export tier, unless it is off.
    #[must_use]
    pub const fn export(&self) -> Option<&ExportTier> {
        self.export.as_ref()
    }

    /// The plugins that add tools, as far as they are on.
    #[must_use]
    pub fn tools(&self) -> &[ToolTier] {
        &self.tools
    }

    /// Who gets `resource_link` blocks: nobody while the resources tier is off.
    #[must_use]
    pub const fn links(&self) -> Links {
        if self.resources.is_some() { self.config.resources.links } else { Links::Never }
    }

    /// How the tiers are doing: the previews in the order in which they are tried, then the others, then the plugins that
    /// add tools.
    #[must_use]
    pub fn status(&self) -> Vec<TierStatus> {
        let mut all = self.previews.status(&self.config);
        all.extend([
            status(self.window.as_ref().map(|tier| &tier.0), &self.config.field_window),
            status(self.resources.as_ref().map(|tier| &tier.0), &self.config.resources.tier),
            status(self.export.as_ref().map(|tier| &tier.0), &self.config.binary_export),
        ]);
        all.extend(self.config.tools.iter().map(|tool| {
            let loaded = self.tools.iter().find(|loaded| loaded.name() == tool.name);
            loaded.map_or_else(|| status_of(&tool.name, &tool.tier, Health::Off), ToolTier::status)
        }));
        all
    }
}

fn load<W: World>(
    runtime: &Arc<Runtime>,
    config: &TierConfig,
    place: &Place,
    cache: Option<&Cache>,
    terms: &Terms,
) -> Option<Tier<W>> {
    config.enabled.then(|| Tier::load(runtime, W::NAME, config, place, cache, terms))
}

fn status<W: World>(tier: Option<&Tier<W>>, config: &TierConfig) -> TierStatus {
    tier.map_or_else(|| status_of(W::NAME, config, Health::Off), Tier::status)
}
