//! `plugins.toml`, as far as it is about tiers.

mod error;
mod expand;
mod faults;
mod file;
mod mistakes;
mod parse;
mod rule;
mod tool;

pub use error::{ConfigError, Mistake};
pub use faults::{FaultPolicy, OnFault};
pub use file::{File, Section};
pub use mistakes::Mistakes;
pub use rule::{Glob, Rule};

use crate::limits;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// What an operator decided about the tiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// `[[preview]]`: the custom previews, in the order in which they are tried.
    pub previews: Vec<PreviewConfig>,
    /// `[tiers.preview]`: for the records that no custom preview is for.
    pub preview: TierConfig,
    /// `[tiers.field-window]`
    pub field_window: TierConfig,
    /// `[tiers.resources]`
    pub resources: ResourcesConfig,
    /// `[tiers.binary-export]`
    pub binary_export: TierConfig,
    /// `[[tool]]`: tools of third parties. There is none unless one is named.
    pub tools: Vec<ToolConfig>,
}

impl Default for Config {
    /// All four tiers on, built in, with limits that a hundred times their usual work fits into.
    fn default() -> Self {
        let tier = |deadline_ms: u64, reads: u32, read_kb: u32| TierConfig {
            limits: Limits {
                deadline: Duration::from_millis(deadline_ms),
                memory_mb: 64,
                output_kb: 256,
                reads,
                read_kb,
            },
            ..TierConfig::default()
        };
        Self {
            previews: Vec::new(),
            preview: tier(500, 128, 512),
            field_window: tier(250, 8, 64),
            resources: ResourcesConfig { tier: tier(250, 8, 64), links: Links::Supported },
            binary_export: tier(250, 0, 0),
            tools: Vec::new(),
        }
    }
}

impl Config {
    /// The top-level tables that are read here.
    pub const ROOMS: &'static [&'static str] = &["tiers", "preview", "tool"];

    /// Reads the `[tiers]`, `[[preview]]` and `[[tool]]` of a file. Who else reads from it has the other tables checked with
    /// [`Section::only`].
    pub fn read(file: &File<'_>) -> Result<Self, ConfigError> {
        parse::config(file)
    }

    /// Where the components of the tiers that are on come from.
    pub fn components(&self) -> impl Iterator<Item = &Origin> {
        let tiers = [&self.preview, &self.field_window, &self.resources.tier, &self.binary_export];
        let tools = self.tools.iter().map(|tool| &tool.tier);
        let all = self.previews.iter().map(|preview| &preview.tier).chain(tiers).chain(tools);
        all.filter(|tier| tier.enabled).map(|tier| &tier.component)
    }
}

/// What an operator decided about a custom preview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewConfig {
    /// Its name, which no other tier has.
    pub name: String,
    /// Which records it is for.
    pub rule: Rule,
    /// The tier itself.
    pub tier: TierConfig,
}

/// What an operator decided about a plugin that adds tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolConfig {
    /// Its name, which no other tier has. It stands before a tool's name where that alone is taken.
    pub name: String,
    /// The tier itself.
    pub tier: TierConfig,
}

/// What an operator decided about one tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierConfig {
    /// Whether it is on. A tier that is off leaves no trace in what a client sees.
    pub enabled: bool,
    /// What it is.
    pub kind: Kind,
    /// Where the component, or the library, comes from.
    pub component: Origin,
    /// The file's digest, in lower-case hex; any other file is refused. A native tier always has one.
    pub sha256: Option<String>,
    /// What it finds of WASI.
    pub wasi: Wasi,
    /// How much it may use in one call.
    pub limits: Limits,
    /// What happens when it fails.
    pub on_fault: FaultPolicy,
    /// What it is told in every call.
    pub options: BTreeMap<String, String>,
}

impl Default for TierConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            kind: Kind::Component,
            component: Origin::Builtin,
            sha256: None,
            wasi: Wasi::None,
            limits: Limits::default(),
            on_fault: OnFault::Fallback.into(),
            options: BTreeMap::new(),
        }
    }
}

/// What an operator decided about the resources tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourcesConfig {
    /// The tier itself.
    pub tier: TierConfig,
    /// Who gets `resource_link` blocks.
    pub links: Links,
}

/// Where a component comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The default tier, which is part of the binary.
    Builtin,
    /// A file, relative to the folder of `plugins.toml`.
    File(PathBuf),
}

/// What a tier is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A WebAssembly component, which is not trusted.
    #[default]
    Component,
    /// A shared library, which the operator trusts, in a process of its own.
    Native,
}

/// What a component finds of WASI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wasi {
    /// Nothing: a component that imports any of it is refused.
    #[default]
    None,
    /// Empty versions of what standard libraries import without being asked to. Clocks, files and networks stay refused.
    Inert,
}

/// How much a tier may use in one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time, from the start of the call to its answer.
    pub deadline: Duration,
    /// Memory, in MB.
    pub memory_mb: u32,
    /// What it may hand over in one go, in KB.
    pub output_kb: u32,
    /// Spans that it may read.
    pub reads: u32,
    /// What it may read in all, in KB.
    pub read_kb: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { deadline: Duration::from_millis(250), memory_mb: 64, output_kb: 256, reads: 8, read_kb: 64 }
    }
}

/// Who gets `resource_link` blocks. The URI stands in the text in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Links {
    /// Clients that are known to take them.
    Supported,
    /// Every client.
    Always,
    /// No client.
    Never,
}

/// The largest values that can be configured.
pub(crate) const MOST: Limits = Limits {
    deadline: Duration::from_secs(60),
    memory_mb: limits::MEMORY_MB,
    output_kb: 16 * 1_024,
    reads: 10_000,
    read_kb: 64 * 1_024,
};

#[cfg(test)]
mod tests;
