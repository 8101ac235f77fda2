//! `stepwell config check`: says what a server would say when it starts.

use crate::config_args::ConfigArguments;
use crate::exit::{AlreadySaid, UsageError};
use crate::output::{BAD, BOLD, DIM, GOOD, Output};
use crate::plugin::list;
use crate::settings::{Settings, broken};
use clap::Args;
use serde_json::{Value, json};
use stepwell_tiers::{ConfigError, Health, TierStatus};

/// Checks the configuration: every mistake with its line, and whether every tier loads
#[derive(Debug, Args)]
#[command(after_help = "\
It reads the file and loads the tiers as a server does when it starts, and opens no store.
A server starts with a tier that does not load, and goes by its on_fault. A server that is
running does not take such a file up.

Exit codes: 0 nothing is wrong, 1 something is. Warnings alone are no reason for 1.")]
pub(crate) struct Check {
    #[command(flatten)]
    config: ConfigArguments,
}

/// What was found.
#[derive(Debug, Default)]
struct Found {
    mistakes: Vec<Value>,
    tiers: Vec<TierStatus>,
    warnings: Vec<String>,
}

impl Check {
    pub(super) fn run(self, output: &Output) -> anyhow::Result<()> {
        let (file, found) = match self.config.text()? {
            None => (None, Found::of(&Settings::default())?),
            Some((path, text)) => match Settings::parse(&text, &path) {
                Ok(settings) => (Some(path), Found::of(&settings)?),
                Err(mistakes) => {
                    let mistakes = mistakes.0.iter().map(mistake).collect();
                    (Some(path), Found { mistakes, ..Found::default() })
                }
            },
        };
        let is_broken = |tier: &TierStatus| matches!(tier.health, Health::Broken(_));
        let is_good = found.mistakes.is_empty() && !found.tiers.iter().any(is_broken);
        if output.is_json() {
            output.json(&json!({
                "file": file,
                "ok": is_good,
                "mistakes": found.mistakes,
                "warnings": found.warnings,
                "tiers": found.tiers.iter().map(list::to_json).collect::<Vec<_>>(),
            }))?;
        } else {
            match &file {
                Some(path) => output.line(format_args!("{BOLD}{}{BOLD:#}", path.display()))?,
                None => output.line(format_args!("{DIM}no configuration: the defaults hold{DIM:#}"))?,
            }
            found.show(output)?;
            if is_good {
                output.line(format_args!("{GOOD}nothing is wrong{GOOD:#}"))?;
            }
        }
        if is_good { Ok(()) } else { Err(AlreadySaid.into()) }
    }
}

impl Found {
    /// Goes through what a start does, but for the store.
    fn of(settings: &Settings) -> anyhow::Result<Self> {
        let mut mistakes = Vec::new();
        for files in [settings.keyring().map(drop), settings.tls().map(drop)] {
            match files {
                Err(error) if error.is::<UsageError>() => {
                    mistakes.push(json!({ "line": null, "message": error.to_string() }));
                }
                other => other?,
            }
        }
        let tiers = settings.load_tiers()?.status();
        let warnings = settings.warnings().into_iter().chain(tiers.iter().filter_map(broken)).collect();
        Ok(Self { mistakes, tiers, warnings })
    }

    fn show(&self, output: &Output) -> anyhow::Result<()> {
        for mistake in &self.mistakes {
            let message = mistake["message"].as_str().unwrap_or_default();
            output.line(format_args!("{BAD}wrong{BAD:#}: {message}"))?;
        }
        self.tiers.iter().try_for_each(|tier| list::show(tier, output))?;
        self.warnings
            .iter()
            .try_for_each(|warning| output.line(format_args!("{BOLD}warning{BOLD:#}: {warning}")))
    }
}

fn mistake(mistake: &ConfigError) -> Value {
    json!({ "line": mistake.line, "message": mistake.to_string() })
}
