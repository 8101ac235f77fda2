//! Which plugins.toml a verb goes by.

use crate::exit::UsageError;
use anyhow::Context as _;
use clap::Args;
use std::path::{Path, PathBuf};
use stepwell_server::{LedgerConfig, ServerConfig};
use stepwell_tiers::{Config, Place, Tiers};

/// Names the configuration.
#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    /// The configuration (plugins.toml) [default: all tiers, built in]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// What an operator decided.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) server: ServerConfig,
    pub(crate) ledger: LedgerConfig,
    tiers: Config,
    place: Place,
}

impl ConfigArguments {
    /// Reads the configuration. Without one, the defaults hold.
    pub(crate) fn read(&self) -> anyhow::Result<Settings> {
        let cache = dirs::cache_dir().map(|folder| folder.join("stepwell").join("tiers"));
        let Some(file) = &self.config else {
            let place = Place { base: PathBuf::new(), cache };
            let (server, ledger) = (ServerConfig::default(), LedgerConfig::default());
            return Ok(Settings { server, ledger, tiers: Config::default(), place });
        };
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read the configuration {}", file.display()))?;
        let tiers = Config::parse(&text, &[ServerConfig::ROOM, LedgerConfig::ROOM])
            .map_err(|error| UsageError(error.to_string()))?;
        let server = ServerConfig::parse(&text).map_err(|error| UsageError(error.to_string()))?;
        let ledger = LedgerConfig::parse(&text).map_err(|error| UsageError(error.to_string()))?;
        let base = file.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Settings { server, ledger, tiers, place: Place { base, cache } })
    }
}

impl Settings {
    /// Loads the tiers. One that is broken does not stop the others.
    pub(crate) fn load_tiers(&self) -> anyhow::Result<Tiers> {
        Ok(Tiers::load(&self.tiers, &self.place)?)
    }
}
