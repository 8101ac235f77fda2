//! `stepwell plugin check`: what a server would say about a component, before one does.

mod finding;
mod report;
mod run;

use super::limits::LimitsArguments;
use super::trial::{Trial, tier_of};
use crate::exit::AlreadySaid;
use crate::output::Output;
use clap::Args;
use finding::Finding;
use report::Report;
pub(super) use report::one_line;
use std::path::{Path, PathBuf};
use stepwell_tiers::TierFault;

/// Loads a component within its limits, runs it on sample data and on odd records, and says what would be refused
#[derive(Debug, Args)]
#[command(after_help = "\
Every call is made twice, and the answers are compared. What the component writes to its log is shown here and by
`stepwell plugin preview`, and nowhere else: it may hold what records say. The exit code is 0 if nothing would be refused.

  stepwell plugin check reading-time.wasm
  stepwell plugin check reading-time.wasm --limits memory_mb=256,deadline_ms=2000")]
pub(crate) struct Check {
    /// The component
    file: PathBuf,
    #[command(flatten)]
    limits: LimitsArguments,
}

impl Check {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let report = check(&self.file, &self.limits).await?;
        report.print(output)?;
        if report.findings.is_empty() {
            return Ok(());
        }
        Err(AlreadySaid.into())
    }
}

async fn check(file: &Path, limits: &LimitsArguments) -> anyhow::Result<Report> {
    let (found, tier) = match tier_of(file) {
        Ok(found) => found,
        Err(error) => match error.downcast::<TierFault>() {
            Ok(fault) => return Ok(Report::of_broken_file(Finding::loading(&fault, None))),
            Err(error) => return Err(error),
        },
    };
    let mut report = Report::new(found, tier);
    let trial = Trial::load(file, tier, limits)?;
    report.limits = Some(trial.limits);
    if let Some(fault) = trial.broken()? {
        report.findings.push(Finding::loading(&fault, Some(tier)));
    } else {
        report.calls = Some(run::all(&trial, tier).await?);
    }
    report.gather();
    if report.findings.iter().any(Finding::is_about_limits) {
        report.needs = needs(file, tier).await?;
    }
    Ok(report)
}

/// What it takes to run it: measured with the largest limits that there are.
async fn needs(file: &Path, tier: &'static str) -> anyhow::Result<Option<run::Calls>> {
    let trial = Trial::load(file, tier, &LimitsArguments::most())?;
    if trial.broken()?.is_some() {
        return Ok(None);
    }
    // One that never answers would not with any limits.
    Ok(Some(run::all(&trial, tier).await?).filter(run::Calls::all_answered))
}
