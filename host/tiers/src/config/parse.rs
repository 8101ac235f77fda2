//! From TOML to [`Config`]: unknown keys first, because the nearest known one is what an operator wants to hear.

use super::{Config, ConfigError, Limits, Links, MOST, OnFault, Origin, ResourcesConfig, TierConfig};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;
use toml::{Table, Value};

const TIERS: &[&str] = &["preview", "field-window", "resources", "binary-export"];
const TIER: &[&str] = &["enabled", "component", "sha256", "limits", "on_fault", "options"];
const RESOURCES: &[&str] = &["enabled", "component", "sha256", "limits", "on_fault", "options", "links"];
const LIMITS: &[&str] = &["deadline_ms", "memory_mb", "output_kb", "reads", "read_kb"];

/// A tier's table, in which everything may be left out.
#[derive(Default, Deserialize)]
struct RawTier {
    enabled: Option<bool>,
    component: Option<String>,
    sha256: Option<String>,
    #[serde(default)]
    limits: RawLimits,
    on_fault: Option<OnFault>,
    #[serde(default)]
    options: BTreeMap<String, String>,
    links: Option<Links>,
}

#[derive(Default, Deserialize)]
struct RawLimits {
    deadline_ms: Option<u64>,
    memory_mb: Option<u32>,
    output_kb: Option<u32>,
    reads: Option<u32>,
    read_kb: Option<u32>,
}

pub(super) fn config(text: &str, rooms: &[&str]) -> Result<Config, ConfigError> {
    let file: Table =
        text.parse().map_err(|error: toml::de::Error| ConfigError::Syntax(error.to_string()))?;
    let known: Vec<_> = std::iter::once("tiers").chain(rooms.iter().copied()).collect();
    check_keys("", &file, &known)?;
    let empty = Table::new();
    let tiers = table("", &file, "tiers", &empty)?;
    check_keys("tiers.", tiers, TIERS)?;
    let defaults = Config::default();
    let (preview, _) = tier(tiers, "preview", TIER, defaults.preview)?;
    let (field_window, _) = tier(tiers, "field-window", TIER, defaults.field_window)?;
    let (resources, links) = tier(tiers, "resources", RESOURCES, defaults.resources.tier)?;
    let (binary_export, _) = tier(tiers, "binary-export", TIER, defaults.binary_export)?;
    let resources = ResourcesConfig { tier: resources, links: links.unwrap_or(defaults.resources.links) };
    Ok(Config { preview, field_window, resources, binary_export })
}

/// Reads one tier's table over its defaults.
fn tier(
    tiers: &Table,
    name: &str,
    known: &[&str],
    defaults: TierConfig,
) -> Result<(TierConfig, Option<Links>), ConfigError> {
    let empty = Table::new();
    let place = format!("tiers.{name}.");
    let own = table("tiers.", tiers, name, &empty)?;
    check_keys(&place, own, known)?;
    check_keys(&format!("{place}limits."), table(&place, own, "limits", &empty)?, LIMITS)?;
    let raw = RawTier::deserialize(Value::Table(own.clone()))
        .map_err(|error| ConfigError::Syntax(format!("[tiers.{name}]: {}", error.message())))?;
    let component = match raw.component.as_deref() {
        None => defaults.component,
        Some("builtin") => Origin::Builtin,
        Some("") => return Err(value(&place, "component", "must be \"builtin\" or the path of a file")),
        Some(path) => Origin::File(path.into()),
    };
    let config = TierConfig {
        enabled: raw.enabled.unwrap_or(defaults.enabled),
        component,
        sha256: raw.sha256.map(|digest| checked_digest(&place, digest)).transpose()?,
        limits: checked_limits(&place, &raw.limits, defaults.limits)?,
        on_fault: raw.on_fault.unwrap_or(defaults.on_fault),
        options: raw.options,
    };
    Ok((config, raw.links))
}

fn table<'a>(place: &str, parent: &'a Table, name: &str, empty: &'a Table) -> Result<&'a Table, ConfigError> {
    match parent.get(name) {
        None => Ok(empty),
        Some(Value::Table(table)) => Ok(table),
        Some(other) => Err(value(place, name, &format!("must be a table, not {}", other.type_str()))),
    }
}

fn check_keys(place: &str, table: &Table, known: &[&str]) -> Result<(), ConfigError> {
    let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
    // Dashes and underscores are mixed up more often than anything else.
    let plain = |name: &str| name.replace('-', "_").to_ascii_lowercase();
    let likeness = |name: &&&str| (strsim::damerau_levenshtein(&plain(key), &plain(name)), name.len());
    let nearest = known.iter().min_by_key(likeness).filter(|name| {
        strsim::damerau_levenshtein(&plain(key), &plain(name)) <= (name.len() / 2).clamp(1, 3)
    });
    Err(ConfigError::UnknownKey {
        key: format!("{place}{key}"),
        suggestion: nearest.map(|name| (*name).to_owned()),
        known: known.iter().map(|name| (*name).to_owned()).collect(),
    })
}

fn checked_digest(place: &str, digest: String) -> Result<String, ConfigError> {
    let digest = digest.to_ascii_lowercase();
    if digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Ok(digest);
    }
    Err(value(place, "sha256", "must be 64 hexadecimal digits, as sha256sum prints them"))
}

fn checked_limits(place: &str, raw: &RawLimits, defaults: Limits) -> Result<Limits, ConfigError> {
    let place = format!("{place}limits.");
    let within = |key: &str, given: Option<u64>, default: u64, least: u64, most: u64| match given {
        None => Ok(default),
        Some(n) if (least..=most).contains(&n) => Ok(n),
        Some(n) => Err(value(&place, key, &format!("is {n}, but must be from {least} to {most}"))),
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

fn value(place: &str, key: &str, problem: &str) -> ConfigError {
    ConfigError::Value { key: format!("{place}{key}"), problem: problem.to_owned() }
}
