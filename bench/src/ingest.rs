//! Ingest, against putting the same lines into a one-column table as they are.

mod raw;

use crate::engine::Engine;
use crate::measure::Samples;
use crate::report::{self, Report, count};
use crate::{Plan, shelf, text};
use std::time::Instant;
use stepwell_source::prepare::{Manifest, prepare};
use stepwell_source::sqlite::Missing;
use tokio::sync::mpsc;

pub(crate) async fn run(engine: &Engine, plan: Plan, report: &Report) -> anyhow::Result<()> {
    report.heading(
        format_args!("{}: ingest of {} of NDJSON", engine.name(), report::size(plan.ingest_bytes)),
        "times raw inserts of the same lines into one text column, equally durable, in transactions of the same size",
    )?;
    let inputs = [("mail", text::mail(plan.ingest_bytes)), ("long", text::long_mail(plan.ingest_bytes))];
    for (name, lines) in inputs {
        let bytes: usize = lines.iter().map(String::len).sum();
        let each = report::size(bytes / lines.len().max(1));
        let (mut bare, mut parsed, mut stored) = (Samples::default(), Samples::default(), Samples::default());
        for _ in 0..plan.ingests {
            bare.push(raw::insert(engine, &lines).await?);
            parsed.push(parse(&lines)?);
            stored.push(ingest(engine, &lines).await?);
        }
        let raw = |samples: &Samples| {
            let seconds = samples.median().as_secs_f64();
            let records = count((lines.len() as f64 / seconds) as usize);
            format!("{records} records/s, {:.0} MB/s", bytes as f64 / 1e6 / seconds)
        };
        report.line(format_args!("{name}, {each} each, raw inserts"), 1.0, raw(&bare))?;
        report.line(format_args!("{name}, {each} each, parsing alone"), parsed.over(&bare), raw(&parsed))?;
        report.line(format_args!("{name}, {each} each, ingest"), stored.over(&bare), raw(&stored))?;
    }
    Ok(())
}

/// Parses, cuts and digests every line, and stores nothing.
fn parse(lines: &[String]) -> anyhow::Result<std::time::Duration> {
    let manifest = Manifest::default();
    let started = Instant::now();
    for line in lines {
        std::hint::black_box(prepare(line.as_bytes(), &manifest)?);
    }
    Ok(started.elapsed())
}

/// Stores every line as `stepwell ingest` does: one thread parses while another writes.
async fn ingest(engine: &Engine, lines: &[String]) -> anyhow::Result<std::time::Duration> {
    let place = engine.place()?;
    let store = place.url.open(Missing::Create).await?;
    let lines = lines.to_vec();
    let expected = lines.len() as u64;
    let started = Instant::now();
    let mut ingest = store.ingest(&shelf::target()?).await?;
    let (sender, mut records) = mpsc::channel(16);
    let parser = tokio::task::spawn_blocking(move || -> anyhow::Result<()> {
        let manifest = Manifest::default();
        for line in lines {
            if sender.blocking_send(Box::new(prepare(line.as_bytes(), &manifest)?)).is_err() {
                break;
            }
        }
        Ok(())
    });
    let mut added = 0;
    while let Some(record) = records.recv().await {
        added += ingest.push(*record).await?.unwrap_or_default().added;
    }
    added += ingest.flush().await?.added;
    let elapsed = started.elapsed();
    parser.await??;
    anyhow::ensure!(added == expected, "{added} of {expected} records were stored");
    Ok(elapsed)
}
