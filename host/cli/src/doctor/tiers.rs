//! The tiers and their lock.

use super::finding::Finding;
use crate::settings::{Settings, broken};
use stepwell_tiers::{Health, LockState, TierStatus};

const AREA: &str = "tiers";

pub(super) fn look(settings: &Settings) -> Vec<Finding> {
    let tiers = match settings.load_tiers() {
        Ok(tiers) => tiers.status(),
        Err(error) => {
            let fix = "this machine cannot run WebAssembly as it should; see the message";
            return vec![Finding::broken(AREA, format!("{error:#}"), fix)];
        }
    };
    let on = tiers.iter().filter(|tier| tier.health == Health::Ready).count();
    let off = tiers.iter().filter(|tier| tier.health == Health::Off).count();
    let mut findings = vec![Finding::good(AREA, format!("on: {on}, off: {off}"))];
    findings.extend(tiers.iter().filter_map(not_loaded));
    findings.extend(tiers.iter().filter_map(not_locked));
    findings
}

fn not_loaded(tier: &TierStatus) -> Option<Finding> {
    let fix = match tier.lock {
        Some(LockState::Changed) => "look at what changed and accept it with: stepwell plugin accept",
        _ => "see why with: stepwell plugin list; or switch it off in plugins.toml",
    };
    Some(Finding::broken(AREA, broken(tier)?, fix))
}

fn not_locked(tier: &TierStatus) -> Option<Finding> {
    let is_unlocked = tier.health == Health::Ready && tier.lock == Some(LockState::Unlocked);
    let message = || format!("nothing says that the file of {:?} is the one you chose", tier.name);
    is_unlocked.then(|| Finding::warning(AREA, message(), "lock it with: stepwell plugin accept"))
}
