//! `stepwell plugin bench`: how long a preview takes, against the built-in one.

use super::limits::LimitsArguments;
use super::trial::records::{Record, page, sample};
use super::trial::{Trial, context, tier_of};
use crate::exit::UsageError;
use crate::output::{BOLD, Output};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use stepwell_tiers::Purpose;

/// Times a preview on a page of the sample, and says how it compares with the built-in one
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// The component
    file: PathBuf,
    #[command(flatten)]
    limits: LimitsArguments,
    /// How many calls to time of each
    #[arg(long, value_name = "N", default_value = "200", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    calls: u32,
    /// How many records a page has
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(1..=100))]
    records: u32,
}

impl Bench {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let (_, tier) = tier_of(&self.file)?;
        if tier != "preview" {
            return Err(UsageError(format!("only previews are timed, and this is a {tier} tier")).into());
        }
        let (own, builtin) = (Trial::load(&self.file, tier, &self.limits)?, Trial::builtin()?);
        let records = sample();
        let records = &records[..records.len().min(self.records as usize)];
        // In turns, so that both meet the same machine.
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..=self.calls {
            for (trial, times) in [&own, &builtin].into_iter().zip(&mut times) {
                let took = call(trial, records).await?;
                // The first call of each finds nothing in memory yet.
                if round > 0 {
                    times.push(took);
                }
            }
        }
        let [own, builtin] = times.map(Times::of);
        let ratio = own.median.as_secs_f64() / builtin.median.as_secs_f64();
        if output.is_json() {
            return output.json(&json!({
                "records": self.records, "calls": self.calls, "ratio": ratio,
                "micros": own.to_json(), "builtin_micros": builtin.to_json(),
            }));
        }
        output.line(format_args!("a page of {} records, {} calls of each", self.records, self.calls))?;
        output.line(format_args!("{BOLD}{ratio:.2}{BOLD:#} times the built-in preview"))?;
        output.line(format_args!("  {own} a call"))?;
        output.line(format_args!("  {builtin} a call, built in"))
    }
}

async fn call(trial: &Trial, records: &[Record]) -> anyhow::Result<Duration> {
    let (shapes, hand) = page(records);
    trial.preview()?.compose(shapes, &context(Purpose::Row), hand).await?;
    Ok(trial.watch.take().iter().map(|seen| seen.took).sum())
}

/// Times of calls.
struct Times {
    least: Duration,
    median: Duration,
    most: Duration,
}

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |place: usize| times.get(place).copied().unwrap_or_default();
        Self { least: at(0), median: at(times.len() / 2), most: at(times.len().saturating_sub(1)) }
    }

    fn to_json(&self) -> Value {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        json!({ "min": micros(self.least), "median": micros(self.median), "max": micros(self.most) })
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let [least, median, most] = [self.least, self.median, self.most].map(micros);
        write!(f, "{median:.0} µs ({least:.0} to {most:.0})")
    }
}
