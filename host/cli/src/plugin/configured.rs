//! plugins.toml and plugins.lock, as the verbs that change them see them.

mod document;

pub(super) use document::{Document, Entry};

use crate::config_args::{ConfigArguments, folder};
use crate::exit::UsageError;
use crate::files::{Fresh, replace};
use crate::settings::Settings;
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stepwell_tiers::lock::FILE;
use stepwell_tiers::{Lock, Runtime, Terms, TierStatus, Tiers};

/// A plugins.toml and the lock beside it.
pub(super) struct Configured {
    path: PathBuf,
    text: String,
}

impl Configured {
    /// Reads the file. One that is not there yet is empty.
    pub(super) fn read(config: &ConfigArguments) -> anyhow::Result<Self> {
        let path = config.file();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("cannot read the configuration {}", path.display()));
            }
        };
        Ok(Self { path, text })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that components' paths are relative to.
    pub(super) fn folder(&self) -> &Path {
        folder(&self.path)
    }

    /// The file, ready to be changed. A mistake that is in it already is told before anything is.
    pub(super) fn document(&self) -> anyhow::Result<Document> {
        self.parse(&self.text)?;
        Document::parse(&self.text)
    }

    /// What a server would make of a text in the file's place.
    fn parse(&self, text: &str) -> anyhow::Result<Settings> {
        let settings = Settings::parse(text, &self.path);
        Ok(settings.map_err(|error| UsageError(error.to_string()))?)
    }

    /// Loads the tiers of a text in the file's place, whatever the lock says about them.
    pub(super) fn load(&self, text: &str) -> anyhow::Result<Vec<TierStatus>> {
        let settings = self.parse(text)?;
        let terms = Terms { lock: self.lock().opened(), watch: None };
        let tiers = Tiers::load_on(&terms, &Arc::new(Runtime::new()?), &settings.tiers, &settings.place);
        Ok(tiers.status())
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn lock(&self) -> Lock {
        Lock::read(self.folder())
    }

    /// The lock, if it can be read: one that cannot must not be written over, and its other entries be lost.
    pub(super) fn sound_lock(&self) -> anyhow::Result<Lock> {
        let lock = self.lock();
        if let Some(reason) = lock.broken() {
            let file = self.folder().join(FILE);
            anyhow::bail!(
                "{} cannot be used ({reason}); repair it, or look at all plugins and run: stepwell plugin accept",
                file.display()
            );
        }
        Ok(lock)
    }

    /// Writes the lock.
    pub(super) fn write_lock(&self, lock: &Lock) -> anyhow::Result<()> {
        replace(&self.folder().join(FILE), &lock.print()?, Fresh::Shared)
    }

    /// Writes the file, if a server would take it.
    pub(super) fn write(&self, text: &str) -> anyhow::Result<()> {
        self.parse(text)?;
        replace(&self.path, text, Fresh::Shared)
    }
}
