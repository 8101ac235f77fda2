//! `stepwell plugin accept`: writes into plugins.lock what the plugins are now.

use super::configured::Configured;
use crate::config_args::ConfigArguments;
use crate::exit::{AlreadySaid, UsageError};
use crate::output::{BOLD, Output};
use clap::Args;
use serde_json::{Value, json};
use stepwell_tiers::{Health, LockState};

/// Accepts plugins as they are now; one that differs from what was accepted is not loaded until then
#[derive(Debug, Args)]
#[command(after_help = "\
It says in what each differs from what was accepted before. Without a name it is about all plugins, and forgets those that
plugins.toml does not name any more.

  stepwell plugin accept --config plugins.toml
  stepwell plugin accept reading-time --config plugins.toml")]
pub(crate) struct Accept {
    /// The plugin [default: all of them]
    name: Option<String>,
    #[command(flatten)]
    config: ConfigArguments,
}

impl Accept {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let configured = Configured::read(&self.config)?;
        let tiers = configured.load(configured.text())?;
        let mut plugins: Vec<_> = tiers.iter().filter(|tier| tier.origin != "builtin").collect();
        let known: Vec<&str> = plugins.iter().map(|tier| tier.name.as_str()).collect();
        let mut lock = match &self.name {
            Some(_) => configured.sound_lock()?,
            None => configured.lock(),
        };
        match &self.name {
            Some(name) if !known.contains(&name.as_str()) => {
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let path = configured.path().display();
                let message =
                    format!("{path} has no plugin {name:?} with a file of its own; it has: {known}");
                return Err(UsageError(message).into());
            }
            Some(name) => plugins.retain(|tier| tier.name == *name),
            None => lock.retain(|name| known.contains(&name)),
        }
        let mut told = Vec::new();
        let mut all_load = true;
        for tier in plugins {
            let Some(now) = &tier.locked else {
                // One that is off was not looked at, and one that cannot be read is not accepted.
                if let Health::Broken(fault) = &tier.health {
                    all_load = false;
                    told.push(json!({ "name": tier.name, "accepted": false, "fault": fault.to_string() }));
                    output.line(format_args!("{BOLD}{}{BOLD:#} is not accepted: {fault}", tier.name))?;
                }
                continue;
            };
            let (state, differences) = lock.compare(&tier.name, now);
            let what = match state {
                LockState::Locked => "is as accepted before",
                LockState::Changed => "is accepted, and differs from before",
                LockState::Unlocked | LockState::BuiltIn => "is accepted for the first time",
            };
            output.line(format_args!("{BOLD}{}{BOLD:#} {what}", tier.name))?;
            differences.iter().try_for_each(|one| output.line(format_args!("  {one}")))?;
            let differences: Vec<Value> = differences.iter().map(|one| json!(one.to_string())).collect();
            told.push(json!({ "name": tier.name, "accepted": true, "differences": differences }));
            lock.accept(&tier.name, now.clone());
        }
        configured.write_lock(&lock)?;
        if output.is_json() {
            output.json(&json!({ "plugins": told }))?;
        }
        if all_load { Ok(()) } else { Err(AlreadySaid.into()) }
    }
}
