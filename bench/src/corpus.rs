//! Real records against plain tables: the entries of a dictionary, and the kernel's documents.
//!
//! Each question is asked of the store under a grant, and of plain tables with the same rows: one table a stream, the
//! indexes that the questions want, SQL by hand, no grant. A ratio says what the store's promises cost on an engine, and
//! not what the engine costs.

mod changes;
mod dictionary;
mod documents;
mod growth;
mod ingest;
mod library;
mod package;
mod questions;
mod raw;
mod record;
mod versus;
mod world;

use crate::engine::Engine;
use crate::report::Report;
use library::Library;
use std::time::Instant;

/// How much work a run does.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How many entries there are when the questions are asked, the fewest first. What is more than the dictionary has
    /// repeats it under other keys.
    sizes: &'static [usize],
    /// How many documents there are.
    documents: usize,
    /// How often each question is asked, at each size.
    rounds: usize,
    /// How many entries one ingest takes.
    ingested: usize,
    /// How often each ingest is repeated, on a new store.
    ingests: usize,
}

/// The figures that count.
pub const FULL: Plan = Plan {
    sizes: &[10_000, 100_000, 200_000, 1_000_000],
    documents: 900,
    rounds: 20,
    ingested: 20_000,
    ingests: 3,
};

/// Shows that everything runs.
pub const QUICK: Plan = Plan { sizes: &[500, 2_000], documents: 20, rounds: 3, ingested: 2_000, ingests: 1 };

impl Plan {
    /// The same without the sizes above one.
    #[must_use]
    pub fn up_to(self, entries: usize) -> Self {
        let sizes = self.sizes.iter().take_while(|size| **size <= entries).count();
        Self { sizes: &self.sizes[..sizes], ..self }
    }

    /// The same without ingest, but what fills the stores that are asked.
    #[must_use]
    pub fn without_ingest(self) -> Self {
        Self { ingests: 0, ..self }
    }
}

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct Engines {
    pub sqlite: bool,
    pub postgres: bool,
}

/// Measures the engines.
pub async fn run(engines: Engines, plan: Plan, report: &Report) -> anyhow::Result<()> {
    let started = Instant::now();
    let library = Library::find(plan.documents, report)?;
    for engine in Engine::all(engines.postgres, report)? {
        if matches!(engine, Engine::Sqlite) && !engines.sqlite {
            continue;
        }
        if plan.ingests > 0 {
            ingest::run(&engine, &library, plan, report).await?;
        }
        growth::run(&engine, &library, plan, report).await?;
    }
    report.note(format_args!("\nthe corpus was measured in {:.0?}", started.elapsed()))
}
