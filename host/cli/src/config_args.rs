//! Which plugins.toml a verb goes by.

use crate::exit::UsageError;
use crate::settings::{Settings, SourceConfig};
use anyhow::Context as _;
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};

/// Names the configuration.
#[derive(Clone, Debug, Args)]
pub(crate) struct ConfigArguments {
    /// The configuration [default: plugins.toml in your configuration directory, if it is there]
    #[arg(long, value_name = "FILE", env = "STEPWELL_CONFIG", hide_env_values = true)]
    config: Option<PathBuf>,
}

/// The file with the settings.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) path: PathBuf,
    /// Whether someone named it. A file that nobody named may be missing.
    pub(crate) is_named: bool,
}

impl ConfigArguments {
    /// The file that was named, or the one in the usual place. None on a system without such a place.
    pub(crate) fn locate(&self) -> Option<Located> {
        let named = self.config.clone().map(|path| Located { path, is_named: true });
        named.or_else(|| Some(Located { path: usual()?, is_named: false }))
    }

    /// The file that is edited: the one that was named, or the one in the usual place, else one in this folder.
    pub(crate) fn file(&self) -> PathBuf {
        self.locate().map_or_else(|| PathBuf::from(NAME), |located| located.path)
    }

    /// Reads the configuration. Without one, the defaults hold.
    pub(crate) fn read(&self) -> anyhow::Result<Settings> {
        Settings::of(self.text()?)
    }

    /// Reads which store the configuration names.
    pub(crate) fn source(&self) -> anyhow::Result<SourceConfig> {
        let Some((path, text)) = self.text()? else { return Ok(SourceConfig::default()) };
        Ok(Settings::parse_source(&text, &path).map_err(|mistake| UsageError(mistake.to_string()))?)
    }

    /// The file's path and what it says.
    pub(crate) fn text(&self) -> anyhow::Result<Option<(PathBuf, String)>> {
        let Some(Located { path, is_named }) = self.locate() else { return Ok(None) };
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some((path, text))),
            Err(error) if !is_named && error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                Err(error).with_context(|| format!("cannot read the configuration {}", path.display()))
            }
        }
    }
}

/// Where the configuration is if nobody says otherwise.
pub(crate) fn usual() -> Option<PathBuf> {
    Some(dirs::config_dir()?.join("stepwell").join(NAME))
}

/// What the configuration is called.
pub(crate) const NAME: &str = "plugins.toml";

/// The folder that a file stands in.
pub(crate) fn folder(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => Path::new("."),
    }
}
