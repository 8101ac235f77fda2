//! The group `corpus` by itself: it builds in a few minutes, because nothing of it links wasmtime.

use clap::Parser;
use stepwell_bench::corpus;
use stepwell_bench::report::Report;

/// Measures questions about real records, and their ingest, against hand-written SQL
#[derive(Debug, Parser)]
#[command(name = "stepwell-bench-corpus", max_term_width = 110)]
struct Arguments {
    /// Small inputs and few rounds: shows that everything runs, not how fast it is
    #[arg(long)]
    quick: bool,
    /// Leaves Postgres out
    #[arg(long)]
    no_postgres: bool,
    /// Leaves SQLite out
    #[arg(long, conflicts_with = "no_postgres")]
    no_sqlite: bool,
    /// Leaves the measurement of ingest out
    #[arg(long)]
    no_ingest: bool,
    /// Stops growing at so many entries
    #[arg(long, value_name = "ENTRIES")]
    up_to: Option<usize>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let plan = if arguments.quick { corpus::QUICK } else { corpus::FULL };
    let plan = arguments.up_to.map_or(plan, |entries| plan.up_to(entries));
    let plan = if arguments.no_ingest { plan.without_ingest() } else { plan };
    let engines = corpus::Engines { sqlite: !arguments.no_sqlite, postgres: !arguments.no_postgres };
    corpus::run(engines, plan, &Report).await
}
