//! How long it takes to load tiers that were compiled before.

use crate::Plan;
use std::sync::Arc;
use std::time::Instant;
use stepwell_bench::measure::Samples;
use stepwell_bench::report::{self, Report};
use stepwell_tiers::config::Rule;
use stepwell_tiers::{Config, Place, PreviewConfig, Runtime, Tiers};

/// Previews on top of the four tiers.
const PREVIEWS: usize = 4;

pub(super) fn run(plan: Plan, report: &Report) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new().prefix("stepwell-bench-").tempdir()?;
    let place = Place { cache: Some(folder.path().join("tiers")), ..Place::default() };
    let mut config = Config::default();
    let preview = |n| PreviewConfig {
        name: format!("preview-{n}"),
        rule: Rule::default(),
        tier: config.preview.clone(),
    };
    config.previews = (1..=PREVIEWS).map(preview).collect();
    let count = 4 + PREVIEWS;
    report.heading(
        format_args!("tiers: loading {count} of them"),
        "times starting the engine that they share; compiled tiers come from the cache",
    )?;
    let (mut engine, mut tiers) = (Samples::default(), Samples::default());
    // The first round compiles.
    for round in 0..=plan.starts {
        let started = Instant::now();
        let runtime = Arc::new(Runtime::new()?);
        let engine_took = started.elapsed();
        let started = Instant::now();
        let loaded = Tiers::load_in(&runtime, &config, &place);
        let tiers_took = started.elapsed();
        if round > 0 {
            anyhow::ensure!(loaded.status().iter().all(|tier| tier.was_cached), "a tier was compiled again");
            engine.push(engine_took);
            tiers.push(tiers_took);
        }
    }
    report.line("the engine", 1.0, report::time(engine.median()))?;
    let raw = format!("{}, at best {}", report::time(tiers.median()), report::time(tiers.least()));
    report.line(format_args!("{count} cached tiers"), tiers.over(&engine), raw)
}
