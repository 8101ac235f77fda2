//! `on_fault`: one policy, or one for each phase.

use super::{ConfigError, Section};
use crate::fault::TierFault;
use crate::phase::Phase;
use std::collections::BTreeMap;
use std::fmt;

/// What happens when a tier fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFault {
    /// The host's own plain rendering takes its place.
    Fallback,
    /// The request ends with a typed `tier_error`.
    Refuse,
}

impl fmt::Display for OnFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fallback => "fallback",
            Self::Refuse => "refuse",
        })
    }
}

/// What happens when a tier fails, by the phase that it fails in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultPolicy([OnFault; Phase::ALL.len()]);

impl From<OnFault> for FaultPolicy {
    /// The same for all phases.
    fn from(policy: OnFault) -> Self {
        Self([policy; Phase::ALL.len()])
    }
}

impl FaultPolicy {
    /// What happens after a fault.
    #[must_use]
    pub const fn of(&self, fault: &TierFault) -> OnFault {
        self.at(fault.phase())
    }

    /// What happens after a fault in this phase.
    #[must_use]
    pub const fn at(&self, phase: Phase) -> OnFault {
        self.0[phase as usize]
    }

    /// Reads the `on_fault` of a tier. A phase that it leaves out keeps its default.
    pub(super) fn read(tier: &Section<'_>, defaults: Self) -> Result<Self, ConfigError> {
        #[derive(serde::Deserialize)]
        struct One {
            on_fault: Option<OnFault>,
        }
        if !tier.has_table(KEY) {
            let One { on_fault } = tier.read()?;
            return Ok(on_fault.map_or(defaults, Self::from));
        }
        let table = tier.inner(KEY)?;
        table.only(&Phase::ALL.map(Phase::as_str))?;
        let given: BTreeMap<String, OnFault> = table.read()?;
        let at = |phase: Phase| given.get(phase.as_str()).copied().unwrap_or(defaults.at(phase));
        Ok(Self(Phase::ALL.map(at)))
    }
}

const KEY: &str = "on_fault";

impl fmt::Display for FaultPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refusing: Vec<&str> = Phase::ALL
            .into_iter()
            .filter(|phase| self.at(*phase) == OnFault::Refuse)
            .map(Phase::as_str)
            .collect();
        match refusing.len() {
            0 => write!(f, "{}", OnFault::Fallback),
            n if n == Phase::ALL.len() => write!(f, "{}", OnFault::Refuse),
            _ => write!(f, "{} ({}), else {}", OnFault::Refuse, refusing.join(", "), OnFault::Fallback),
        }
    }
}
