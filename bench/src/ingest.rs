//! Ingest, against putting the same lines into a one-column table as they are.

mod raw;

use crate::{Plan, shelf};
use std::time::{Duration, Instant};
use stepwell_bench::engine::Engine;
use stepwell_bench::measure::Samples;
use stepwell_bench::report::{self, Report, count};
use stepwell_bench::text::{self, Input};
use stepwell_source::prepare::{Body, PreparedRecord, prepare};
use stepwell_source::sqlite::Missing;
use tokio::sync::mpsc;

pub(crate) async fn run(engine: &Engine, plan: Plan, report: &Report) -> anyhow::Result<()> {
    report.heading(
        format_args!("{}: ingest of {} of NDJSON", engine.name(), report::size(plan.ingest_bytes)),
        "times raw inserts of the same lines into one text column, equally durable, in transactions of the same size",
    )?;
    for (name, input) in
        [("mail", text::mail(plan.ingest_bytes)?), ("long", text::long_mail(plan.ingest_bytes))]
    {
        let records = input.lines.len();
        let bytes: usize = input.lines.iter().map(String::len).sum();
        let (mut bare, mut parsed, mut stored) = (Samples::default(), Samples::default(), Samples::default());
        let mut rows = 0;
        for _ in 0..plan.ingests {
            bare.push(raw::insert(engine, &input.lines).await?);
            let started = Instant::now();
            rows = parse(&input)?;
            parsed.push(started.elapsed());
            stored.push(ingest(engine, &input).await?);
        }
        let raw = |samples: &Samples, rows: usize| {
            let seconds = samples.median().as_secs_f64();
            let rate = count((records as f64 / seconds) as usize);
            let each = rows as f64 / records.max(1) as f64;
            let rows = if rows > 0 { format!(", {each:.0} rows a record") } else { String::new() };
            format!("{rate} records/s, {:.0} MB/s{rows}", bytes as f64 / 1e6 / seconds)
        };
        let what = format!("{name}, {} bytes each", count(bytes / records.max(1)));
        report.line(format_args!("{what}, raw"), 1.0, raw(&bare, records))?;
        report.line(format_args!("{what}, parsed"), parsed.over(&bare), raw(&parsed, 0))?;
        report.line(format_args!("{what}, stored"), stored.over(&bare), raw(&stored, rows))?;
    }
    Ok(())
}

/// Parses, cuts and digests every line, and stores nothing. Gives the number of rows that would have been stored.
fn parse(input: &Input) -> anyhow::Result<usize> {
    let mut rows = 0;
    for line in &input.lines {
        rows += rows_of(&prepare(line.as_bytes(), &input.manifest)?);
    }
    Ok(rows)
}

/// A row for the record, for each field, for each chunk, and two for each searchable chunk: its place and its words.
fn rows_of(record: &PreparedRecord) -> usize {
    let chunks = |body: &Body| if let Body::Chunks { cuts, .. } = body { cuts.len() } else { 0 };
    1 + record.fields.iter().map(|field| 1 + chunks(&field.body) + 2 * field.units.len()).sum::<usize>()
}

/// Stores every line as `stepwell ingest` does: one thread parses while another writes.
async fn ingest(engine: &Engine, input: &Input) -> anyhow::Result<Duration> {
    let place = engine.place()?;
    let store = place.url.open(Missing::Create).await?;
    let (lines, manifest) = (input.lines.clone(), input.manifest.clone());
    let expected = lines.len() as u64;
    let started = Instant::now();
    let mut ingest = store.ingest(&shelf::target(manifest.clone())?).await?;
    let (sender, mut records) = mpsc::channel(16);
    let parser = tokio::task::spawn_blocking(move || -> anyhow::Result<()> {
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
