//! Which plugins.toml a verb goes by.

use crate::exit::UsageError;
use anyhow::Context as _;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stepwell_contract::cursor::Keyring;
use stepwell_ladder::{self as ladder, Ladder};
use stepwell_server::{LedgerConfig, ServerConfig};
use stepwell_source::Embedded;
use stepwell_tiers::{Config, ConfigError, File, Place, Tiers};

/// What `provider_url` says for an embedded store: that it is one, and not where its file is.
const PROVIDER: &str = "stepwell:local";

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
    pub(crate) tiers: Config,
    pub(crate) place: Place,
}

impl ConfigArguments {
    /// The file that is edited: the one that was named, else one in this folder.
    pub(crate) fn file(&self) -> PathBuf {
        self.config.clone().unwrap_or_else(|| PathBuf::from("plugins.toml"))
    }

    /// Reads the configuration. Without one, the defaults hold.
    pub(crate) fn read(&self) -> anyhow::Result<Settings> {
        let Some(file) = &self.config else { return Ok(Settings::default()) };
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read the configuration {}", file.display()))?;
        let base = file.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Settings::parse(&text, base).map_err(|error| UsageError(error.to_string()))?)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            server: ServerConfig::default(),
            ledger: LedgerConfig::default(),
            tiers: Config::default(),
            place: compiled(),
        }
    }
}

/// Where compiled tiers are kept: compiling takes longer than everything else that a start does.
pub(crate) fn compiled() -> Place {
    let cache = dirs::cache_dir().map(|folder| folder.join("stepwell").join("tiers"));
    Place { base: PathBuf::new(), cache }
}

impl Settings {
    /// Reads all tables of a file that stands in the folder `base`.
    pub(crate) fn parse(text: &str, base: PathBuf) -> Result<Self, ConfigError> {
        // A name that is no Unicode is no name, and a value that is none cannot stand in TOML.
        let file = File::parse(text, &|name| std::env::var(name).ok())?;
        file.top().only(&[Config::ROOMS, &[ServerConfig::ROOM, LedgerConfig::ROOM]].concat())?;
        Ok(Self {
            server: ServerConfig::read(&file)?,
            ledger: LedgerConfig::read(&file)?,
            tiers: Config::read(&file)?,
            place: Place { base, ..compiled() },
        })
    }

    /// The keys that seal cursors, where the configuration names some.
    fn keyring(&self) -> anyhow::Result<Option<Keyring>> {
        Ok(self.server.keyring(&self.place.base).map_err(|error| UsageError(error.to_string()))?)
    }

    /// Puts a store and tiers together.
    pub(crate) async fn ladder(&self, store: Arc<Embedded>, tiers: Tiers) -> anyhow::Result<Ladder> {
        let (provider_url, keys) = (PROVIDER.to_owned(), self.keyring()?);
        let decided = ladder::Settings { provider_url, keys, ledger: self.ledger.into() };
        Ladder::new(store, Arc::new(tiers), decided).await.context("cannot read the store's keys")
    }

    /// Loads the tiers. One that is broken does not stop the others.
    pub(crate) fn load_tiers(&self) -> anyhow::Result<Tiers> {
        Ok(Tiers::load(&self.tiers, &self.place)?)
    }
}
