//! `stepwell plugin list`: loads the tiers as a server would and says what came of it.

use crate::config_args::ConfigArguments;
use crate::output::{BOLD, DIM, Output};
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use stepwell_tiers::config::{Glob, Rule};
use stepwell_tiers::{Health, LockState, Phase, TierStatus};

/// Lists the tiers: on or off, where they come from, what they may use, and whether they load
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    config: ConfigArguments,
}

impl List {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let tiers = self.config.read()?.load_tiers()?.status();
        if output.is_json() {
            return output.json(&json!({ "tiers": tiers.iter().map(to_json).collect::<Vec<_>>() }));
        }
        tiers.iter().try_for_each(|tier| show(tier, output))
    }
}

/// Shows one tier to people.
pub(crate) fn show(tier: &TierStatus, output: &Output) -> anyhow::Result<()> {
    output.line(format_args!(
        "{BOLD}{:<14}{BOLD:#} {:<8} {}",
        tier.name,
        health(&tier.health),
        tier.origin
    ))?;
    if let Some(rule) = &tier.rule {
        output.line(format_args!("  a preview of {rule}"))?;
    }
    if tier.health == Health::Off {
        return Ok(());
    }
    if let (Some(digest), Some(version)) = (&tier.digest, &tier.wit_version) {
        let came = if tier.was_cached { "from the cache" } else { "compiled" };
        let state = tier.lock.and_then(lock).map_or_else(String::new, |state| format!(", {state}"));
        output.line(format_args!("{DIM}  sha256 {digest}{state}{DIM:#}"))?;
        output.line(format_args!(
            "{DIM}  stepwell:ladder@{version}, {came} in {:.1?}{DIM:#}",
            tier.load_time
        ))?;
    }
    let limits = &tier.limits;
    output.line(format_args!(
        "{DIM}  {} ms, {} MB, {} KB of output, {} reads of {} KB in all; on a fault: {}{DIM:#}",
        limits.deadline.as_millis(),
        limits.memory_mb,
        limits.output_kb,
        limits.reads,
        limits.read_kb,
        tier.on_fault,
    ))?;
    let faults: Vec<String> = faults(tier).map(|(phase, count)| format!("{count} {phase}")).collect();
    if !faults.is_empty() {
        output.line(format_args!("{DIM}  faults in {} calls: {}{DIM:#}", tier.calls, faults.join(", ")))?;
    }
    if let Health::Broken(fault) = &tier.health {
        output.line(format_args!("  {}: {fault}", fault.phase()))?;
    }
    Ok(())
}

/// How it stands to plugins.lock; what is built in needs no lock.
const fn lock(state: LockState) -> Option<&'static str> {
    match state {
        LockState::BuiltIn => None,
        LockState::Locked => Some("locked"),
        LockState::Changed => Some("changed"),
        LockState::Unlocked => Some("unlocked"),
    }
}

const fn health(health: &Health) -> &'static str {
    match health {
        Health::Off => "off",
        Health::Ready => "on",
        Health::Resting => "resting",
        Health::Broken(_) => "broken",
    }
}

/// The phases that it ever failed in.
fn faults(tier: &TierStatus) -> impl Iterator<Item = (Phase, u64)> {
    tier.faults.into_iter().filter(|(_, count)| *count > 0)
}

/// One tier for scripts.
pub(crate) fn to_json(tier: &TierStatus) -> Value {
    let broken = match &tier.health {
        Health::Broken(fault) => Some(fault),
        _ => tier.last_fault.as_ref(),
    };
    json!({
        "name": tier.name,
        "match": tier.rule.as_ref().map(rule),
        "health": health(&tier.health),
        "origin": tier.origin,
        "sha256": tier.digest,
        "wit_version": tier.wit_version,
        "lock": tier.lock.and_then(lock),
        "limits": {
            "deadline_ms": tier.limits.deadline.as_millis(),
            "memory_mb": tier.limits.memory_mb,
            "output_kb": tier.limits.output_kb,
            "reads": tier.limits.reads,
            "read_kb": tier.limits.read_kb,
        },
        "on_fault": Phase::ALL.map(|phase| (phase.as_str(), tier.on_fault.at(phase).to_string())).into_iter().collect::<BTreeMap<_, _>>(),
        "load_ms": tier.load_time.as_secs_f64() * 1_000.0,
        "cached": tier.was_cached,
        "calls": tier.calls,
        "faults": faults(tier).map(|(phase, count)| (phase.as_str(), count)).collect::<BTreeMap<_, _>>(),
        "fault": broken.map(|fault| {
            json!({ "phase": fault.phase().as_str(), "code": fault.code(), "message": fault.to_string() })
        }),
    })
}

/// A rule as it is written in plugins.toml.
fn rule(rule: &Rule) -> Value {
    let globs = |globs: &[Glob]| globs.iter().map(|glob| json!(glob.as_str())).collect::<Vec<_>>();
    Value::Object(rule.parts().map(|(name, part)| (name.to_owned(), json!(globs(part)))).collect())
}
