//! `stepwell plugin remove`, `enable` and `disable`: one line in plugins.toml each.

use super::configured::Configured;
use crate::config_args::ConfigArguments;
use crate::output::{BOLD, Output};
use clap::Args;
use serde_json::json;

/// Names a plugin.
#[derive(Debug, Args)]
pub(crate) struct Switch {
    /// The plugin, or a tier such as field-window
    name: String,
    #[command(flatten)]
    config: ConfigArguments,
}

/// What is done to it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    Remove,
    Enable,
    Disable,
}

impl Change {
    const fn done(self) -> &'static str {
        match self {
            Self::Remove => "removed",
            Self::Enable => "enabled",
            Self::Disable => "disabled",
        }
    }
}

impl Switch {
    pub(super) fn run(self, change: Change, output: &Output) -> anyhow::Result<()> {
        let configured = Configured::read(&self.config)?;
        let mut document = configured.document()?;
        let name = &self.name;
        match change {
            Change::Remove => document.remove(name)?,
            Change::Enable => document.enable(name, true)?,
            Change::Disable => document.enable(name, false)?,
        }
        configured.write(&document.print())?;
        if matches!(change, Change::Remove) {
            let mut lock = configured.sound_lock()?;
            if lock.plugins().contains_key(name) {
                lock.retain(|other| other != name);
                configured.write_lock(&lock)?;
            }
        }
        let (done, path) = (change.done(), configured.path().display());
        if output.is_json() {
            return output.json(&json!({ done: name, "config": configured.path() }));
        }
        output.line(format_args!("{BOLD}{name}{BOLD:#} is {done} in {path}"))
    }
}
