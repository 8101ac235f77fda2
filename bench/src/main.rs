//! Measures what Stepwell claims, as ratios: a time says something about a machine, a ratio says something about the code.
//!
//! One file for each measurement. Nothing here asserts on time, so a busy machine makes a figure worse and never a run red.

mod import;
mod ingest;
mod memory;
mod questions;
mod search;
mod server;
mod shelf;
mod tiers;
mod windows;

use clap::{Parser, ValueEnum};
use shelf::Shelf;
use std::time::{Duration, Instant};
use stepwell_bench::corpus;
use stepwell_bench::engine::Engine;
use stepwell_bench::report::Report;
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
    /// Measures this group only; may be given several times
    #[arg(long, value_enum, value_name = "GROUP")]
    only: Vec<Group>,
    /// What the measurement of memory starts as a process of its own
    #[arg(long, hide = true, value_name = "URL")]
    read_windows_of: Option<SourceUrl>,
    /// The server that the real one is compared with
    #[arg(long, hide = true, value_enum, value_name = "TRANSPORT")]
    bare_server: Option<server::Transport>,
    /// What ends the servers when this program is gone
    #[arg(long, hide = true)]
    end_servers: bool,
}

/// What can be measured by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Group {
    /// Windows, phrases, questions about many records, memory and ingest, on both engines
    Store,
    /// A tier against the same code without WebAssembly
    Tiers,
    /// The whole program over stdio and HTTP
    Server,
    /// Questions about a dictionary and about long documents, and their ingest, against plain tables, on both engines
    Corpus,
    /// The whole program over HTTP with many clients at a time
    Load,
    /// A mail archive of 200,000 messages into a store
    Import,
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
    /// How often each tier is called.
    tier_calls: usize,
    /// How often each server is started.
    starts: usize,
    /// How often each request is sent.
    calls: usize,
    /// How many calls a server answers before its memory is looked at again.
    many_calls: usize,
    /// How long each server is under each load, in each of a few rounds.
    load: Duration,
}

const FULL: Plan = Plan {
    fields: &[10_000, 10_000_000, 100_000_000],
    windows: 300,
    searches: 5,
    ingests: 5,
    ingest_bytes: 30_000_000,
    tier_calls: 2_000,
    starts: 20,
    calls: 300,
    many_calls: 1_000,
    load: Duration::from_secs(3),
};
const QUICK: Plan = Plan {
    fields: &[10_000, 10_000_000],
    windows: 30,
    searches: 2,
    ingests: 1,
    ingest_bytes: 3_000_000,
    tier_calls: 100,
    starts: 3,
    calls: 20,
    many_calls: 200,
    load: Duration::from_millis(200),
};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let Some(url) = arguments.read_windows_of {
        return memory::read_windows(&url).await;
    }
    if let Some(transport) = arguments.bare_server {
        return server::bare::serve(transport).await;
    }
    if arguments.end_servers {
        return server::guard::end_servers();
    }
    let plan = if arguments.quick { QUICK } else { FULL };
    let wanted = |group| arguments.only.is_empty() || arguments.only.contains(&group);
    // Looked for first: it should not be missing only after minutes.
    let needed = [Group::Server, Group::Tiers, Group::Load, Group::Import].into_iter().any(wanted);
    let stepwell = needed.then(server::find_stepwell).transpose()?.unwrap_or_default();
    let started = Instant::now();
    let report = Report;
    if wanted(Group::Store) {
        for engine in Engine::all(!arguments.no_postgres, &report)? {
            store(&engine, plan, &report).await?;
        }
    }
    if wanted(Group::Corpus) {
        let plan = if arguments.quick { corpus::QUICK } else { corpus::FULL };
        let engines = corpus::Engines { sqlite: true, postgres: !arguments.no_postgres };
        corpus::run(engines, plan, &report).await?;
    }
    if wanted(Group::Tiers) {
        tiers::run(stepwell.clone(), plan, &report).await?;
    }
    if wanted(Group::Server) {
        server::run(stepwell.clone(), plan, &report).await?;
    }
    if wanted(Group::Import) {
        import::run(&stepwell, if arguments.quick { import::QUICK } else { import::FULL }, &report)?;
    }
    if wanted(Group::Load) {
        server::load(stepwell, plan, &report).await?;
    }
    report.note(format_args!("\nmeasured in {:.0?}", started.elapsed()))
}

async fn store(engine: &Engine, plan: Plan, report: &Report) -> anyhow::Result<()> {
    let shelf = Shelf::fill(engine, plan.fields).await?;
    windows::run(&shelf, plan, report).await?;
    search::run(&shelf, plan, report).await?;
    memory::run(&shelf, plan, report)?;
    drop(shelf);
    questions::run(engine, plan, report).await?;
    ingest::run(engine, plan, report).await
}
