//! `stepwell ingest`: fills a stream from NDJSON.

mod lines;

use crate::output::{GOOD, Output};
use crate::store_args::StoreArguments;
use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use lines::{Item, read_lines};
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;
use stepwell_contract::quote::excerpt;
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_source::FieldKind;
use stepwell_source::embedded::{IngestTarget, StoredBatch};
use stepwell_source::prepare::{Manifest, Rejection};
use stepwell_source::sqlite::Missing;
use tokio::sync::mpsc;

/// Fills a stream of a connection from lines of {"key", "data", "emitted_at"?}
#[derive(Debug, Args)]
#[command(after_help = "\
A line that breaks a rule is reported with its number and left out; the others are stored. Running the same import again
changes nothing. What was reported as stored survives a crash. A line {\"key\", \"deleted\": true} takes a record away.
Bytes are spelled as a field {\"$blob\": {\"mime_type\", \"file_name\"?, \"base64\"}}.

  stepwell ingest --connection cin_home --connector mail --label 'Home mail' messages mail.ndjson
  zcat mail.ndjson.gz | stepwell ingest --connection cin_home messages -")]
pub(crate) struct IngestArguments {
    #[command(flatten)]
    store: StoreArguments,
    /// The account or export that the records come from; it becomes part of every id
    #[arg(long, value_name = "ID")]
    connection: ConnectionId,
    /// The kind of source, such as mail
    #[arg(long, value_name = "KEY")]
    connector: Option<String>,
    /// A name for people
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// The stream's manifest (JSON): types, primary key, time fields
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// Ends with exit code 1 if any line was left out
    #[arg(long)]
    strict: bool,
    /// The kind of record, such as messages
    stream: StreamName,
    /// The file, or - for standard input
    file: PathBuf,
}

/// How many fields a report names.
const NAMED: usize = 12;

/// What became of the lines.
#[derive(Default)]
struct Report {
    stored: StoredBatch,
    rejected: u64,
    /// Lines that were handed over and not yet reported as stored.
    waiting: VecDeque<u64>,
    stored_through_line: u64,
}

impl IngestArguments {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let manifest = self.read_manifest()?;
        let input = lines::open(&self.file)?;
        let bar = progress_bar(input.size, output);
        let store = self.store.open(Missing::Create).await?;
        let target = IngestTarget {
            connection: self.connection,
            connector: self.connector,
            label: self.label,
            stream: self.stream,
            manifest,
        };
        let mut ingest = store.ingest(&target).await?;
        let (sender, mut items) = mpsc::channel(16);
        // The manifest that counts: a stream that was filled with one before keeps it.
        let manifest = ingest.manifest().clone();
        let reader = tokio::task::spawn_blocking(move || read_lines(input, &manifest, &sender));
        let mut report = Report::default();
        while let Some(Item { line, bytes, record }) = items.recv().await {
            bar.inc(bytes);
            match record {
                Err(rejection) => report.rejected(line, &rejection, &bar, output)?,
                Ok(record) => {
                    report.waiting.push_back(line);
                    if let Some(batch) = ingest.push(*record).await? {
                        report.stored(batch, &bar, output)?;
                    }
                }
            }
        }
        let last = ingest.flush().await?;
        report.stored(last, &bar, output)?;
        reader.await.context("the reading thread ended early")??;
        bar.finish_and_clear();
        report.inferred(ingest.inferred(), output)?;
        report.finish(output)?;
        if self.strict && report.rejected > 0 {
            bail!("{} lines were left out", report.rejected);
        }
        Ok(())
    }

    fn read_manifest(&self) -> anyhow::Result<Manifest> {
        let Some(file) = &self.manifest else { return Ok(Manifest::default()) };
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        Manifest::parse(&text, self.stream.as_str()).with_context(|| format!("in {}", file.display()))
    }
}

impl Report {
    /// Notes a line that is left out.
    fn rejected(
        &mut self,
        line: u64,
        rejection: &Rejection,
        bar: &ProgressBar,
        output: &Output,
    ) -> anyhow::Result<()> {
        self.rejected += 1;
        if output.is_json() {
            let (code, reason) = (rejection.code.as_str(), &rejection.message);
            return output
                .json(&json!({ "event": "rejected", "line": line, "code": code, "reason": reason }));
        }
        bar.suspend(|| output.warn(format_args!("line {line} left out: {rejection}")));
        Ok(())
    }

    /// Notes a batch that is safe now, and tells scripts through which line.
    fn stored(&mut self, batch: StoredBatch, bar: &ProgressBar, output: &Output) -> anyhow::Result<()> {
        let lines: Vec<u64> = self.waiting.drain(..batch.count().min(self.waiting.len())).collect();
        let Some(&line) = lines.last() else { return Ok(()) };
        for refused in batch.refused.iter().filter_map(|&place| lines.get(place)) {
            self.rejected(*refused, &Rejection::append_only(), bar, output)?;
        }
        let count = lines.len() - batch.refused.len();
        self.stored += batch;
        self.stored_through_line = line;
        if output.is_json() {
            output.json(&json!({ "event": "stored", "through_line": line, "records": count }))?;
        }
        Ok(())
    }

    /// Says which types the fields were found to have, where no manifest declares them.
    fn inferred(&self, fields: Option<Vec<(&str, Vec<FieldKind>)>>, output: &Output) -> anyhow::Result<()> {
        let Some(fields) = fields.filter(|_| self.stored.added + self.stored.changed > 0) else {
            return Ok(());
        };
        if output.is_json() {
            let kinds = |kinds: &[FieldKind]| kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>();
            let fields: Map<String, Value> =
                fields.iter().map(|(field, of)| ((*field).to_owned(), json!(kinds(of)))).collect();
            return output.json(&json!({ "event": "inferred", "fields": fields }));
        }
        let spelled = |(field, kinds): &(&str, Vec<FieldKind>)| {
            let kinds: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
            format!("{} {}", excerpt(field).trim_matches('"'), kinds.join("|"))
        };
        let mut words: Vec<String> = fields.iter().take(NAMED).map(spelled).collect();
        if fields.len() > NAMED {
            words.push(format!("and {} more", fields.len() - NAMED));
        }
        output.line(format_args!("no manifest, so types are inferred: {}", words.join(", ")))
    }

    fn finish(&self, output: &Output) -> anyhow::Result<()> {
        let StoredBatch { added, changed, unchanged, deleted, .. } = self.stored;
        if output.is_json() {
            return output.json(&json!({
                "event": "done", "added": added, "changed": changed, "unchanged": unchanged, "deleted": deleted,
                "rejected": self.rejected,
            }));
        }
        output.line(format_args!(
            "{GOOD}done{GOOD:#}: {} added, {} changed, {} unchanged, {} deleted, {} left out",
            HumanCount(added),
            HumanCount(changed),
            HumanCount(unchanged),
            HumanCount(deleted),
            HumanCount(self.rejected)
        ))
    }
}

/// A bar on a terminal; nothing elsewhere.
pub(crate) fn progress_bar(size: Option<u64>, output: &Output) -> ProgressBar {
    if output.is_json() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match size {
        Some(size) => {
            (ProgressBar::new(size), "{bar:32} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left")
        }
        None => (ProgressBar::no_length(), "{spinner} {bytes}, {bytes_per_sec}"),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
