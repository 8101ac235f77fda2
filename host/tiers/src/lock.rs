//! `plugins.lock`: what each plugin was when the operator accepted it.
//!
//! plugins.toml says which file is loaded, and the lock says which content of that file was meant. A plugin that is no
//! longer what its entry says is not loaded until somebody looked at the difference and accepted it. A plugin without an
//! entry is loaded with a warning: whoever wrote its path into plugins.toml decided about it, and nothing was accepted
//! yet that it could differ from.

mod difference;

pub use difference::Difference;

use crate::config::Limits;
use crate::fault::TierFault;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The lock's name, beside plugins.toml.
pub const FILE: &str = "plugins.lock";

const VERSION: u32 = 1;
const HEAD: &str = "\
# What each plugin was when it was accepted. Written by `stepwell plugin add` and `stepwell plugin accept`; keep it with
# plugins.toml. A plugin that differs from its entry is not loaded.
";

/// What of a plugin is locked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    /// The tier that it is.
    pub tier: String,
    /// What kind of code it is.
    pub kind: String,
    /// The file's SHA-256, in hex.
    pub sha256: String,
    /// The version of `stepwell:ladder` that it speaks; none for code that speaks it by other means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wit: Option<String>,
    /// What it imports.
    #[serde(default)]
    pub imports: Vec<String>,
    /// What it may use in one call.
    pub limits: LockedLimits,
    /// The tools that it adds, each with the SHA-256 of its definition.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
}

/// Limits as plugins.toml spells them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedLimits {
    deadline_ms: u64,
    memory_mb: u32,
    output_kb: u32,
    reads: u32,
    read_kb: u32,
}

impl From<Limits> for LockedLimits {
    fn from(limits: Limits) -> Self {
        Self {
            deadline_ms: u64::try_from(limits.deadline.as_millis()).unwrap_or(u64::MAX),
            memory_mb: limits.memory_mb,
            output_kb: limits.output_kb,
            reads: limits.reads,
            read_kb: limits.read_kb,
        }
    }
}

/// How a plugin stands to the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockState {
    /// A part of the program needs no lock.
    BuiltIn,
    /// It is what was accepted.
    Locked,
    /// It is not what was accepted.
    Changed,
    /// Nothing was accepted yet.
    Unlocked,
}

/// The lock beside a plugins.toml.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    plugins: BTreeMap<String, Locked>,
    /// Why the file cannot be used. Then no plugin is as accepted.
    broken: Option<String>,
    /// Whether plugins are loaded whatever it says.
    open: bool,
}

/// The file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    #[serde(default)]
    plugins: BTreeMap<String, Locked>,
}

impl Lock {
    /// Reads the lock in a folder. One that is not there is empty; one that cannot be read refuses all plugins.
    #[must_use]
    pub fn read(folder: &Path) -> Self {
        match std::fs::read_to_string(folder.join(FILE)) {
            Ok(text) => {
                Self::parse(&text).unwrap_or_else(|broken| Self { broken: Some(broken), ..Self::default() })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::default(),
            Err(error) => Self { broken: Some(error.kind().to_string()), ..Self::default() },
        }
    }

    /// Reads a lock's text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.message().replace('\n', ", "))?;
        if file.version != VERSION {
            return Err(format!("it has version {}, and this program knows {VERSION}", file.version));
        }
        Ok(Self { plugins: file.plugins, ..Self::default() })
    }

    /// The same lock, but nothing is refused by it: for looking at what is there before it is accepted.
    #[must_use]
    pub fn opened(self) -> Self {
        Self { open: true, ..self }
    }

    /// Why the lock cannot be used, if it cannot.
    #[must_use]
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// The lock's text.
    pub fn print(&self) -> Result<String, toml::ser::Error> {
        let file = File { version: VERSION, plugins: self.plugins.clone() };
        Ok(format!("{HEAD}{}", toml::to_string(&file)?))
    }

    /// The plugins that were accepted.
    #[must_use]
    pub const fn plugins(&self) -> &BTreeMap<String, Locked> {
        &self.plugins
    }

    /// Accepts a plugin as it is now.
    pub fn accept(&mut self, name: &str, now: Locked) {
        self.plugins.insert(name.to_owned(), now);
    }

    /// Forgets the plugins that are not kept.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.plugins.retain(|name, _| keep(name));
    }

    /// How a plugin stands to its entry, and in what it differs.
    #[must_use]
    pub fn compare(&self, name: &str, now: &Locked) -> (LockState, Vec<Difference>) {
        let Some(accepted) = self.plugins.get(name) else { return (LockState::Unlocked, Vec::new()) };
        let differences = difference::between(accepted, now);
        if differences.is_empty() {
            (LockState::Locked, differences)
        } else {
            (LockState::Changed, differences)
        }
    }

    /// Refuses a plugin that is not what was accepted.
    pub(crate) fn check(&self, name: &str, now: &Locked) -> Result<LockState, TierFault> {
        if let (Some(reason), false) = (&self.broken, self.open) {
            return Err(TierFault::LockUnreadable(reason.clone()));
        }
        match self.compare(name, now) {
            (LockState::Changed, differences) if !self.open => {
                Err(TierFault::NotAsLocked { name: name.to_owned(), differences })
            }
            (state, _) => Ok(state),
        }
    }
}

#[cfg(test)]
mod tests;
