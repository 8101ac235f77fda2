//! What an operator decided: all tables of plugins.toml, and what follows from them.

mod source;
mod warnings;

pub(crate) use source::SourceConfig;
pub(crate) use warnings::broken;

use crate::config_args::folder;
use crate::exit::UsageError;
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stepwell_contract::cursor::Keyring;
use stepwell_ladder::{self as ladder, Ladder};
use stepwell_server::http::Tls;
use stepwell_server::{AuthConfig, LedgerConfig, LimitsConfig, ServerConfig, V1Config};
use stepwell_source::Embedded;
use stepwell_tiers::{Config, ConfigError, File, Mistakes, Origin, Place, Runtime, Tiers};

/// What `provider_url` says for an embedded store: that it is one, and not where its file is.
const PROVIDER: &str = "stepwell:local";

/// What an operator decided.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) server: ServerConfig,
    pub(crate) auth: AuthConfig,
    pub(crate) limits: LimitsConfig,
    pub(crate) source: SourceConfig,
    pub(crate) ledger: LedgerConfig,
    pub(crate) v1: V1Config,
    pub(crate) tiers: Config,
    pub(crate) place: Place,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            server: ServerConfig::default(),
            auth: AuthConfig::default(),
            limits: LimitsConfig::default(),
            source: SourceConfig::default(),
            ledger: LedgerConfig::default(),
            v1: V1Config::default(),
            tiers: Config::default(),
            place: compiled(),
        }
    }
}

/// Where compiled tiers are kept: compiling takes longer than everything else that a start does.
pub(crate) fn compiled() -> Place {
    let cache = dirs::cache_dir().map(|folder| folder.join("stepwell").join("tiers"));
    // Native tiers run in this same program, started once more.
    Place { base: PathBuf::new(), cache, tier_host: std::env::current_exe().ok() }
}

/// What the environment holds. A name that is no Unicode is no name, and a value that is none cannot stand in TOML.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

impl Settings {
    /// Reads all tables of a file.
    pub(crate) fn parse(text: &str, path: &Path) -> Result<Self, Mistakes> {
        File::read_all(text, &variable, |file| Self::read(file, folder(path)))
    }

    /// Reads all tables of a file, if there is one. Without one, the defaults hold.
    pub(crate) fn of(file: Option<(PathBuf, String)>) -> anyhow::Result<Self> {
        let Some((path, text)) = file else { return Ok(Self::default()) };
        Ok(Self::parse(&text, &path).map_err(|mistakes| UsageError(mistakes.to_string()))?)
    }

    /// Reads the `[source]` table of a file and nothing else: a mistake elsewhere in it does not concern whoever only
    /// wants the store.
    pub(crate) fn parse_source(text: &str, path: &Path) -> Result<SourceConfig, ConfigError> {
        SourceConfig::read(&File::parse(text, &variable)?, folder(path))
    }

    fn read(file: &File<'_>, base: &Path) -> Result<Self, ConfigError> {
        let own = [
            ServerConfig::ROOM,
            AuthConfig::ROOM,
            LimitsConfig::ROOM,
            SourceConfig::ROOM,
            LedgerConfig::ROOM,
            V1Config::ROOM,
        ];
        file.top().only(&[Config::ROOMS, &own].concat())?;
        Ok(Self {
            server: ServerConfig::read(file)?,
            auth: AuthConfig::read(file, base)?,
            limits: LimitsConfig::read(file)?,
            source: SourceConfig::read(file, base)?,
            ledger: LedgerConfig::read(file)?,
            v1: V1Config::read(file)?,
            tiers: Config::read(file)?,
            place: Place { base: base.to_owned(), ..compiled() },
        })
    }

    /// The keys that seal cursors, where the configuration names some.
    pub(crate) fn keyring(&self) -> anyhow::Result<Option<Keyring>> {
        Ok(self.server.keyring(&self.place.base).map_err(|error| UsageError(error.to_string()))?)
    }

    /// What HTTP is encrypted with, where the configuration names it.
    pub(crate) fn tls(&self) -> anyhow::Result<Option<Tls>> {
        Ok(self.server.tls(&self.place.base).map_err(|error| UsageError(error.to_string()))?)
    }

    /// Puts a store and the tiers together.
    pub(crate) async fn ladder(&self, store: Arc<Embedded>, tiers: Tiers) -> anyhow::Result<Ladder> {
        let (provider_url, keys) = (PROVIDER.to_owned(), self.keyring()?);
        let decided = ladder::Settings { provider_url, keys, ledger: self.ledger.into() };
        Ladder::new(store, Arc::new(tiers), decided).await.context("cannot read the store's keys")
    }

    /// Loads the tiers. One that is broken does not stop the others.
    pub(crate) fn load_tiers(&self) -> anyhow::Result<Tiers> {
        Ok(Tiers::load(&self.tiers, &self.place)?)
    }

    /// Loads the tiers into an engine that is already running.
    pub(crate) fn load_tiers_in(&self, runtime: &Arc<Runtime>) -> Tiers {
        Tiers::load_in(runtime, &self.tiers, &self.place)
    }

    /// The files that these settings name, besides the store.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let components = self.tiers.components().filter_map(|origin| match origin {
            Origin::File(path) => Some(path),
            Origin::Builtin => None,
        });
        let server = &self.server;
        let named =
            components.chain(&server.cursor_keys).chain(&server.tls_certificate).chain(&server.tls_key);
        named.map(|path| self.place.base.join(path)).collect()
    }

    /// Which settings differ from others and cannot be changed while a server runs.
    pub(crate) fn fixed_besides(&self, other: &Self) -> Vec<&'static str> {
        let (new, old) = (&self.server, &other.server);
        let fixed = [
            ("server.http", new.http == old.http),
            ("server.allow_hosts", new.allow_hosts == old.allow_hosts),
            ("server.allow_origins", new.allow_origins == old.allow_origins),
            ("server.public_url", new.public_url == old.public_url),
            ("server.tls_certificate", new.tls_certificate.is_some() == old.tls_certificate.is_some()),
            ("server.admin", new.admin == old.admin),
            ("server.log", new.log == old.log),
            ("server.log_format", new.log_format == old.log_format),
            ("auth", self.auth == other.auth),
            ("limits", self.limits == other.limits),
            ("source.url", self.source == other.source),
            ("v1", self.v1 == other.v1),
        ];
        fixed.into_iter().filter(|(_, is_same)| !is_same).map(|(name, _)| name).collect()
    }
}
