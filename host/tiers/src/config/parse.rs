//! From TOML to [`Config`]: unknown keys first, because the nearest known one is what an operator wants to hear.

use super::file::{File, Section};
use super::tool::tools;
use super::{
    Config, ConfigError, FaultPolicy, Kind, Limits, Links, MOST, Origin, PreviewConfig, ResourcesConfig,
    Rule, TierConfig, Wasi,
};
use crate::limits::PREVIEWS;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

pub(super) const TIERS: &[&str] = &["preview", "field-window", "resources", "binary-export"];
const TIER: &[&str] =
    &["enabled", "kind", "component", "sha256", "trust", "wasi", "limits", "on_fault", "options"];
const RESOURCES: &[&str] =
    &["enabled", "kind", "component", "sha256", "trust", "wasi", "limits", "on_fault", "options", "links"];
const PREVIEW: &[&str] = &[
    "name",
    "match",
    "enabled",
    "kind",
    "component",
    "sha256",
    "trust",
    "wasi",
    "limits",
    "on_fault",
    "options",
];
const MATCH: &[&str] = &["streams", "connectors", "mime", "fields"];
const LIMITS: &[&str] = &["deadline_ms", "memory_mb", "output_kb", "reads", "read_kb"];

/// A tier's table, in which everything may be left out.
#[derive(Default, Deserialize)]
pub(super) struct RawTier {
    pub(super) name: Option<String>,
    #[serde(default, rename = "match")]
    rule: Rule,
    enabled: Option<bool>,
    #[serde(default)]
    kind: Kind,
    component: Option<String>,
    sha256: Option<String>,
    trust: Option<Trust>,
    wasi: Option<Wasi>,
    #[serde(default)]
    limits: RawLimits,
    #[serde(default)]
    options: BTreeMap<String, String>,
    links: Option<Links>,
}

/// What an operator must say before code runs that no sandbox holds.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Trust {
    Native,
}

#[derive(Default, Deserialize)]
struct RawLimits {
    deadline_ms: Option<u64>,
    memory_mb: Option<u32>,
    output_kb: Option<u32>,
    reads: Option<u32>,
    read_kb: Option<u32>,
}

pub(super) fn config(file: &File<'_>) -> Result<Config, ConfigError> {
    let tiers = file.top().inner("tiers")?;
    tiers.only(TIERS)?;
    let defaults = Config::default();
    let previews = previews(file, &defaults.preview)?;
    let tools = tools(file, &previews)?;
    let (preview, _) = tier(&tiers.inner("preview")?, TIER, defaults.preview)?;
    let (field_window, _) = tier(&tiers.inner("field-window")?, TIER, defaults.field_window)?;
    let (resources, raw) = tier(&tiers.inner("resources")?, RESOURCES, defaults.resources.tier)?;
    let (binary_export, _) = tier(&tiers.inner("binary-export")?, TIER, defaults.binary_export)?;
    let resources = ResourcesConfig { tier: resources, links: raw.links.unwrap_or(defaults.resources.links) };
    Ok(Config { previews, preview, field_window, resources, binary_export, tools })
}

/// Reads the custom previews. Each has a name of its own, so that logs and the ledger can tell them apart.
fn previews(file: &File<'_>, defaults: &TierConfig) -> Result<Vec<PreviewConfig>, ConfigError> {
    let mut previews: Vec<PreviewConfig> = Vec::new();
    for (index, section) in file.top().list("preview")?.iter().enumerate() {
        if index == PREVIEWS {
            return Err(section.wrong("name", format!("comes too late: there may be {PREVIEWS} previews")));
        }
        let (tier, raw) = tier(section, PREVIEW, defaults.clone())?;
        let rule = section.inner("match")?;
        if let Some((key, _)) = raw.rule.parts().find(|(_, globs)| globs.is_empty()) {
            return Err(rule.wrong(key, "is an empty list, which nothing matches; leave it out to match all"));
        }
        let name = raw.name.unwrap_or_else(|| format!("preview-{}", index + 1));
        if !is_name(&name) {
            return Err(section.wrong("name", "must be 1 to 64 of a-z, 0-9, - and _"));
        }
        if TIERS.contains(&name.as_str()) || previews.iter().any(|other| other.name == name) {
            return Err(section.wrong("name", format!("is {name:?}, which another tier has")));
        }
        previews.push(PreviewConfig { name, rule: raw.rule, tier });
    }
    Ok(previews)
}

pub(super) fn is_name(name: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b);
    (1..=64).contains(&name.len()) && name.bytes().all(is_plain)
}

/// Reads one tier's table over its defaults.
pub(super) fn tier(
    section: &Section<'_>,
    known: &[&str],
    defaults: TierConfig,
) -> Result<(TierConfig, RawTier), ConfigError> {
    section.only(known)?;
    let limits = section.inner("limits")?;
    limits.only(LIMITS)?;
    section.inner("match")?.only(MATCH)?;
    let mut raw: RawTier = section.read()?;
    let component = match raw.component.as_deref() {
        None => defaults.component,
        Some("builtin") => Origin::Builtin,
        Some("") => return Err(section.wrong("component", "must be \"builtin\" or the path of a file")),
        Some(path) => Origin::File(path.into()),
    };
    let config = TierConfig {
        enabled: raw.enabled.unwrap_or(defaults.enabled),
        kind: raw.kind,
        component,
        sha256: raw.sha256.take().map(|digest| checked_digest(section, digest)).transpose()?,
        wasi: raw.wasi.unwrap_or_default(),
        limits: checked_limits(&limits, &raw.limits, defaults.limits)?,
        on_fault: FaultPolicy::read(section, defaults.on_fault)?,
        options: std::mem::take(&mut raw.options),
    };
    check_kind(section, &config, &raw)?;
    Ok((config, raw))
}

/// Checks what must stand together: a native tier is never one by chance, and never any file that happens to lie there.
fn check_kind(section: &Section<'_>, config: &TierConfig, raw: &RawTier) -> Result<(), ConfigError> {
    match (config.kind, raw.trust) {
        (Kind::Component, None) => return Ok(()),
        (Kind::Component, Some(Trust::Native)) => {
            return Err(
                section.wrong("trust", "is for native tiers; write kind = \"native\" too, or leave it out")
            );
        }
        (Kind::Native, None) => {
            let problem =
                "is \"native\", code that no sandbox holds; if you trust it, write trust = \"native\" too";
            return Err(section.wrong("kind", problem));
        }
        (Kind::Native, Some(Trust::Native)) => {}
    }
    if config.component == Origin::Builtin {
        return Err(
            section.wrong("component", "must be the path of a shared library where kind is \"native\"")
        );
    }
    if config.sha256.is_none() {
        let problem = "is missing; a native tier needs the digest of its file, as sha256sum prints it";
        return Err(section.wrong("sha256", problem));
    }
    if raw.wasi.is_some() {
        return Err(section.wrong("wasi", "is for components; leave it out where kind is \"native\""));
    }
    Ok(())
}

fn checked_digest(section: &Section<'_>, digest: String) -> Result<String, ConfigError> {
    let digest = digest.to_ascii_lowercase();
    if digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Ok(digest);
    }
    Err(section.wrong("sha256", "must be 64 hexadecimal digits, as sha256sum prints them"))
}

fn checked_limits(section: &Section<'_>, raw: &RawLimits, defaults: Limits) -> Result<Limits, ConfigError> {
    let within = |key: &str, given: Option<u64>, default: u64, least: u64, most: u64| match given {
        None => Ok(default),
        Some(n) if (least..=most).contains(&n) => Ok(n),
        Some(n) => Err(section.wrong(key, format!("is {n}, but must be from {least} to {most}"))),
    };
    let within_u32 = |key, given: Option<u32>, default: u32, least, most: u32| {
        within(key, given.map(u64::from), default.into(), least, most.into())
            .map(|n| u32::try_from(n).unwrap_or(default))
    };
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let deadline =
        within("deadline_ms", raw.deadline_ms, millis(defaults.deadline), 1, millis(MOST.deadline))?;
    Ok(Limits {
        deadline: Duration::from_millis(deadline),
        memory_mb: within_u32("memory_mb", raw.memory_mb, defaults.memory_mb, 1, MOST.memory_mb)?,
        output_kb: within_u32("output_kb", raw.output_kb, defaults.output_kb, 1, MOST.output_kb)?,
        reads: within_u32("reads", raw.reads, defaults.reads, 0, MOST.reads)?,
        read_kb: within_u32("read_kb", raw.read_kb, defaults.read_kb, 0, MOST.read_kb)?,
    })
}
