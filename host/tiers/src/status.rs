//! What an operator can see of a tier.

use crate::config::{FaultPolicy, Limits, Rule};
use crate::fault::TierFault;
use crate::lock::{LockState, Locked};
use crate::phase::Phase;
use std::time::Duration;

/// How a tier is doing.
#[derive(Clone, Debug, PartialEq)]
pub enum Health {
    /// Switched off.
    Off,
    /// Answers calls.
    Ready,
    /// Rests after repeated faults.
    Resting,
    /// Was not loaded.
    Broken(TierFault),
}

/// One tier, as `stepwell plugin list` shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct TierStatus {
    /// The tier's name in plugins.toml.
    pub name: String,
    /// Which records it is for, if it is a custom preview.
    pub rule: Option<Rule>,
    /// How it is doing.
    pub health: Health,
    /// `builtin`, or the component's path as configured.
    pub origin: String,
    /// The component's SHA-256.
    pub digest: Option<String>,
    /// The version of `stepwell:ladder` that it speaks.
    pub wit_version: Option<String>,
    /// How it stands to plugins.lock; none if too little is known of it.
    pub lock: Option<LockState>,
    /// What of it is locked, or would be.
    pub locked: Option<Locked>,
    /// What it may use in one call.
    pub limits: Limits,
    /// What happens when it fails.
    pub on_fault: FaultPolicy,
    /// How long loading took.
    pub load_time: Duration,
    /// Whether its machine code came from the cache.
    pub was_cached: bool,
    /// Calls so far.
    pub calls: u64,
    /// Calls that ended in a fault, by the phase that it happened in.
    pub faults: [(Phase, u64); Phase::ALL.len()],
    /// Time spent in calls, the wait for a turn included.
    pub spent: Duration,
    /// Messages that it wrote, which nobody read.
    pub messages: u64,
    /// The latest fault.
    pub last_fault: Option<TierFault>,
}
