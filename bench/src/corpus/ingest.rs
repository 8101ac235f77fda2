//! Ingest of entries with and without the index of words, against inserts into a plain table with and without one.

use super::Plan;
use super::library::Library;
use super::raw::Raw;
use super::record::{EntryRow, manifest};
use super::world::target;
use crate::engine::Engine;
use crate::measure::Samples;
use crate::report::{Report, count};
use std::time::{Duration, Instant};
use stepwell_source::prepare::{Manifest, prepare};
use stepwell_source::sqlite::Missing;

pub(super) async fn run(
    engine: &Engine,
    library: &Library,
    plan: Plan,
    report: &Report,
) -> anyhow::Result<()> {
    let rows: Vec<EntryRow<'_>> =
        (0..plan.ingested).map(|number| EntryRow::new(library, number, 0)).collect();
    let lines: Vec<String> = rows.iter().map(EntryRow::line).collect();
    report.heading(
        format_args!("{}: ingest of {} entries", engine.name(), count(lines.len())),
        "times inserts into a plain table with the indexes that questions want, equally durable",
    )?;
    for (what, with_words) in [("without a word index", false), ("with a word index", true)] {
        let (mut raw, mut parsed, mut stored) = (Samples::default(), Samples::default(), Samples::default());
        for _ in 0..plan.ingests {
            let mut tables = Raw::create(engine, with_words).await?;
            let started = Instant::now();
            tables.add_entries(&rows, 1).await?;
            raw.push(started.elapsed());
            drop(tables);
            let manifest = manifest(with_words)?;
            let started = Instant::now();
            for line in &lines {
                std::hint::black_box(prepare(line.as_bytes(), &manifest)?);
            }
            parsed.push(started.elapsed());
            stored.push(store(engine, &lines, manifest).await?);
        }
        let rate = |samples: &Samples| {
            format!("{} records/s", count((lines.len() as f64 / samples.median().as_secs_f64()) as usize))
        };
        report.line(format_args!("{what}, plain"), 1.0, rate(&raw))?;
        report.line(format_args!("{what}, parsed"), parsed.over(&raw), rate(&parsed))?;
        report.line(format_args!("{what}, stored"), stored.over(&raw), rate(&stored))?;
    }
    Ok(())
}

/// Parses and stores, one after the other: what both cost together, however many cores there are.
async fn store(engine: &Engine, lines: &[String], manifest: Manifest) -> anyhow::Result<Duration> {
    let place = engine.place()?;
    let store = place.url.open(Missing::Create).await?;
    let started = Instant::now();
    let mut ingest = store.ingest(&target("entries", manifest)?).await?;
    for line in lines {
        let record = prepare(line.as_bytes(), ingest.manifest())?;
        ingest.push(record).await?;
    }
    ingest.flush().await?;
    Ok(started.elapsed())
}
