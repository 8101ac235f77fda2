//! What a call of a native tier costs: a process of its own, started before it is needed or not.

use super::context;
use crate::Plan;
use anyhow::Context as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use stepwell_bench::measure::in_turns;
use stepwell_bench::report::{self, Report};
use stepwell_contract::Chars;
use stepwell_tiers::{Config, EmptyHand, FieldShape, Kind, Origin, Place, RecordShape, Slot, Tiers};

/// Long enough for the next process to be ready.
const PAUSE: Duration = Duration::from_millis(50);

pub(super) async fn run(stepwell: PathBuf, plan: Plan, report: &Report) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new().prefix("stepwell-bench-").tempdir()?;
    let place =
        Place { cache: Some(folder.path().join("tiers")), tier_host: Some(stepwell), ..Place::default() };
    let library = stepwell_tiers_fixtures::native("local-time");
    let mut config = Config::default();
    (config.preview.kind, config.preview.component) = (Kind::Native, Origin::File(library.clone()));
    config.preview.sha256 = Some(digest(&std::fs::read(library)?));
    let native = Tiers::load(&config, &place)?;
    let component = Tiers::load(&Config::default(), &place)?;
    let fields = ["title", "body"].map(|name| FieldShape::text(name, "The blue one leaks.", Chars(512)));
    let records = vec![RecordShape::new(Slot(0), "notes", fields.into())];
    let ask = async |tiers: &Tiers| -> anyhow::Result<()> {
        let tier = tiers.preview().context("no preview tier")?;
        tier.compose(records.clone(), &context(), Arc::new(EmptyHand)).await?;
        Ok(())
    };
    report.heading(
        "tiers: a call of a native preview, in a process of its own",
        "times the default preview of the same record, as a component",
    )?;
    let calls = in_turns(plan.starts, &[&component, &native], async |tiers| ask(tiers).await).await?;
    // A call right after another finds no process ready, and starts one.
    let mut waiting = stepwell_bench::measure::Samples::default();
    for _ in 0..plan.starts {
        tokio::time::sleep(PAUSE).await;
        let started = std::time::Instant::now();
        ask(&native).await?;
        waiting.push(started.elapsed());
    }
    report.line("a component", 1.0, report::time(calls[0].median()))?;
    report.line("native, a process is ready", waiting.over(&calls[0]), report::time(waiting.median()))?;
    report.line("native, one after another", calls[1].over(&calls[0]), report::time(calls[1].median()))
}

fn digest(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
