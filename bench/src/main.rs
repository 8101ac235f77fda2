//! Measures what Stepwell claims, as ratios: a time says something about a machine, a ratio says something about the code.
//!
//! One file for each measurement. Nothing here asserts on time, so a busy machine makes a figure worse and never a run red.

mod engine;
mod ingest;
mod measure;
mod memory;
mod report;
mod search;
mod shelf;
mod text;
mod windows;

use clap::Parser;
use engine::Engine;
use report::Report;
use shelf::Shelf;
use std::time::Instant;
use stepwell_source::SourceUrl;

/// Prints how Stepwell's times relate to each other and to the bare work underneath
#[derive(Debug, Parser)]
#[command(name = "stepwell-bench", max_term_width = 110)]
struct Arguments {
    /// Small inputs and few rounds: shows that everything runs, not how fast it is
    #[arg(long)]
    quick: bool,
    /// Leaves Postgres out
    #[arg(long)]
    no_postgres: bool,
    /// What the measurement of memory starts as a process of its own
    #[arg(long, hide = true, value_name = "URL")]
    read_windows_of: Option<SourceUrl>,
}

/// How much work a run does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The fields that windows are read from, by their size in bytes, the smallest first.
    fields: &'static [usize],
    /// How often each window is read.
    windows: usize,
    /// How often each phrase is looked for.
    searches: usize,
    /// How often each ingest is repeated, on a new store.
    ingests: usize,
    /// The bytes of NDJSON that one ingest takes.
    ingest_bytes: usize,
}

const FULL: Plan = Plan {
    fields: &[10_000, 10_000_000, 100_000_000],
    windows: 300,
    searches: 5,
    ingests: 5,
    ingest_bytes: 30_000_000,
};
const QUICK: Plan =
    Plan { fields: &[10_000, 10_000_000], windows: 30, searches: 2, ingests: 1, ingest_bytes: 3_000_000 };

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let Some(url) = arguments.read_windows_of {
        return memory::read_windows(&url).await;
    }
    let plan = if arguments.quick { QUICK } else { FULL };
    let started = Instant::now();
    let report = Report;
    for engine in engines(&arguments, &report)? {
        let shelf = Shelf::fill(&engine, plan.fields).await?;
        windows::run(&shelf, plan, &report).await?;
        search::run(&shelf, plan, &report).await?;
        memory::run(&shelf, plan, &report)?;
        drop(shelf);
        ingest::run(&engine, plan, &report).await?;
    }
    report.note(format_args!("\nmeasured in {:.0?}", started.elapsed()))
}

fn engines(arguments: &Arguments, report: &Report) -> anyhow::Result<Vec<Engine>> {
    let mut engines = vec![Engine::Sqlite];
    if arguments.no_postgres {
        return Ok(engines);
    }
    match Engine::postgres() {
        Ok(engine) => engines.push(engine),
        Err(reason) => report.note(format_args!("Postgres is left out: {reason}"))?,
    }
    Ok(engines)
}
