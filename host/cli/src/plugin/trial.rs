//! A component on trial: loaded as a server would, with its limits, and watched by its author.

pub(super) mod records;

use super::limits::{LimitsArguments, only};
use crate::exit::UsageError;
use crate::settings::compiled;
use anyhow::Context as _;
use std::path::Path;
use std::sync::Arc;
use stepwell_contract::Bytes;
use stepwell_tiers::{
    Budget, Config, Context, Examined, Health, Limits, Origin, PreviewTier, Purpose, Runtime, Terms,
    TierFault, TierStatus, Tiers, Watch, examine,
};

/// What a preview has for one record of a page, and for a document: the same as a server gives.
const ROW_BYTES: u64 = 240;
const DOCUMENT_BYTES: u64 = 1_024;

/// A component on trial.
pub(super) struct Trial {
    tiers: Tiers,
    pub(super) watch: Arc<Watch>,
    pub(super) limits: Limits,
}

impl Trial {
    /// Loads a component as the tier that it says it is.
    pub(super) fn load(file: &Path, tier: &str, limits: &LimitsArguments) -> anyhow::Result<Self> {
        let mut config = limits.config(tier)?;
        let file = file.canonicalize().with_context(|| format!("cannot find {}", file.display()))?;
        let one = only(&mut config).with_context(|| format!("a {tier} tier cannot be tried"))?;
        one.component = Origin::File(file);
        let limits = one.limits;
        Self::of(&config, limits)
    }

    /// Loads the built-in preview.
    pub(super) fn builtin() -> anyhow::Result<Self> {
        let config = LimitsArguments::default().config("preview")?;
        let limits = config.preview.limits;
        Self::of(&config, limits)
    }

    fn of(config: &Config, limits: Limits) -> anyhow::Result<Self> {
        let watch = Arc::new(Watch::default());
        // What is on trial was not accepted yet.
        let terms = Terms { watch: Some(Arc::clone(&watch)), ..Terms::default() };
        let tiers = Tiers::load_on(&terms, &Arc::new(Runtime::new()?), config, &compiled());
        Ok(Self { tiers, watch, limits })
    }

    /// The one tier that is on.
    pub(super) fn status(&self) -> anyhow::Result<TierStatus> {
        let mut on = self.tiers.status().into_iter().filter(|tier| tier.health != Health::Off);
        on.next().context("no tier is on")
    }

    /// Why it was not loaded.
    pub(super) fn broken(&self) -> anyhow::Result<Option<TierFault>> {
        Ok(match self.status()?.health {
            Health::Broken(fault) => Some(fault),
            _ => None,
        })
    }

    pub(super) const fn tiers(&self) -> &Tiers {
        &self.tiers
    }

    pub(super) fn preview(&self) -> anyhow::Result<&PreviewTier> {
        self.tiers.preview().context("no preview is on")
    }
}

/// Reads a component's file and says which tier it is for.
pub(super) fn tier_of(file: &Path) -> anyhow::Result<(Examined, &'static str)> {
    let found = examine(file)?;
    let tier = found.tier.ok_or_else(|| {
        let exports =
            if found.exports.is_empty() { "nothing".to_owned() } else { format!("{:?}", found.exports) };
        UsageError(format!(
            "{} is no tier: it exports {exports}; a preview exports stepwell:ladder/previewer@0.1.0",
            file.display()
        ))
    })?;
    Ok((found, tier))
}

/// What a tier knows of the moment of a call, always the same one.
pub(super) fn context(purpose: Purpose) -> Context {
    let bytes = match purpose {
        Purpose::Row => ROW_BYTES,
        Purpose::Document => DOCUMENT_BYTES,
    };
    let budget = Budget { bytes: Bytes(bytes), lines: 4, anchors: 20 };
    Context::new(purpose, budget, "2026-01-01T00:00:00Z")
}
