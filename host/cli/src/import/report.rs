//! Says what became of an import.

use crate::output::{BOLD, DIM, GOOD, Output, visible};
use indicatif::{HumanBytes, HumanCount, ProgressBar};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use stepwell_contract::ConnectionId;
use stepwell_import::{Reason, Skip, StreamIndex};
use stepwell_source::embedded::StoredBatch;
use stepwell_source::prepare::PreparedRecord;
use stepwell_source::time::{self, Millis};

/// How many of the things that were left out are named one by one; all are counted.
const NAMED: u64 = 20;

/// What is known so far.
pub(super) struct Report<'a> {
    output: &'a Output,
    bar: &'a ProgressBar,
    streams: Vec<Filled>,
    reasons: BTreeMap<&'static str, u64>,
    left_out: u64,
    losses: u64,
}

/// What came into one stream.
#[derive(Default)]
struct Filled {
    name: String,
    read: u64,
    bytes: u64,
    first: Option<Millis>,
    last: Option<Millis>,
    example: Option<String>,
    stored: StoredBatch,
}

impl<'a> Report<'a> {
    pub(super) fn new(output: &'a Output, bar: &'a ProgressBar) -> Self {
        Self { output, bar, streams: Vec::new(), reasons: BTreeMap::new(), left_out: 0, losses: 0 }
    }

    pub(super) fn stream(&mut self, name: &str) {
        self.streams.push(Filled { name: name.to_owned(), ..Filled::default() });
    }

    pub(super) fn read(&mut self, stream: StreamIndex, record: &PreparedRecord) {
        let Some(filled) = self.streams.get_mut(stream.0) else { return };
        filled.read += 1;
        filled.bytes += record.fields.iter().map(|field| field.bytes.get()).sum::<u64>();
        if let Some(at) = record.cursor {
            filled.first = Some(filled.first.map_or(at, |first| first.min(at)));
            filled.last = Some(filled.last.map_or(at, |last| last.max(at)));
        }
        filled.example.get_or_insert_with(|| record.key.to_string());
    }

    /// Notes a batch that is safe now.
    pub(super) fn stored(&mut self, stream: StreamIndex, batch: StoredBatch) -> anyhow::Result<()> {
        let Some(filled) = self.streams.get_mut(stream.0) else { return Ok(()) };
        let records = batch.count();
        filled.stored += batch;
        if records > 0 && self.output.is_json() {
            self.output.json(&json!({ "event": "stored", "stream": filled.name, "records": records }))?;
        }
        Ok(())
    }

    pub(super) fn left_out(&mut self, skip: &Skip) -> anyhow::Result<()> {
        self.left_out += 1;
        self.losses += u64::from(skip.reason.is_loss());
        *self.reasons.entry(skip.reason.as_str()).or_default() += 1;
        if self.output.is_json() {
            let (place, reason) = (skip.place.to_string(), skip.reason.as_str());
            let event =
                json!({ "event": "left_out", "place": place, "reason": reason, "detail": skip.detail });
            return self.output.json(&event);
        }
        // A place is named by the input, which is anybody's text.
        let line = || visible(&skip.to_string()).replace('\n', "\u{240a}");
        // What the owner can mend is said, however much else there is to say.
        if skip.reason == Reason::NoTime {
            self.bar.suspend(|| self.output.warn(format_args!("note: {}", line())));
        }
        // Second copies are usual and many; their number says enough.
        if skip.reason.is_loss() && self.losses <= NAMED {
            self.bar.suspend(|| self.output.warn(format_args!("left out: {}", line())));
        }
        Ok(())
    }

    /// Whether anything was read.
    pub(super) fn has_records(&self) -> bool {
        self.streams.iter().any(|filled| filled.read > 0)
    }

    /// How many things are missing in the store.
    pub(super) fn losses(&self) -> u64 {
        self.losses
    }

    pub(super) fn finish(&self, connection: &ConnectionId, label: &str, dry_run: bool) -> anyhow::Result<()> {
        if self.output.is_json() {
            return self.output.json(&self.structured(connection, label, dry_run));
        }
        if self.losses > NAMED {
            self.output.warn(format_args!("and {} more that are not named", HumanCount(self.losses - NAMED)));
        }
        let label = visible(label);
        let verb = if dry_run { "would go into" } else { "in" };
        self.output.line(format_args!("{verb} {BOLD}{connection}{BOLD:#} ({label}):"))?;
        for filled in &self.streams {
            self.output.line(filled.line(dry_run))?;
        }
        if self.left_out > 0 {
            let spelled = |(reason, count): (&&str, &u64)| format!("{} {reason}", HumanCount(*count));
            let reasons: Vec<String> = self.reasons.iter().map(spelled).collect();
            self.output.line(format_args!("left out: {}", reasons.join(", ")))?;
        }
        self.next_step(dry_run)
    }

    fn next_step(&self, dry_run: bool) -> anyhow::Result<()> {
        let full = self.streams.iter().filter(|filled| filled.read > 0);
        let streams: Vec<String> = full.map(|filled| format!("--stream {}", filled.name)).collect();
        if streams.is_empty() {
            return Ok(());
        }
        if dry_run {
            return self
                .output
                .line(format_args!("{DIM}nothing was stored: run it again without --dry-run{DIM:#}"));
        }
        let grant = format!("stepwell grant create --client NAME {} --expires 30d", streams.join(" "));
        self.output.line(format_args!("{DIM}next: {grant}{DIM:#}"))
    }

    fn structured(&self, connection: &ConnectionId, label: &str, dry_run: bool) -> Value {
        let streams: Map<String, Value> =
            self.streams.iter().map(|filled| (filled.name.clone(), filled.structured(dry_run))).collect();
        json!({
            "event": "done", "dry_run": dry_run, "connection": connection.as_str(), "label": label,
            "streams": streams, "left_out": self.reasons,
        })
    }
}

impl Filled {
    fn line(&self, dry_run: bool) -> String {
        let Self { name, read, bytes, stored, .. } = self;
        if dry_run {
            let size = HumanBytes(*bytes);
            let mut line = format!("  {name}: {} records, {size}", HumanCount(*read));
            if let (Some(first), Some(last)) = (self.first, self.last) {
                line.push_str(&format!(", from {} to {}", day(first), day(last)));
            }
            if let Some(example) = &self.example {
                line.push_str(&format!("; the first is {}", visible(example)));
            }
            return line;
        }
        let StoredBatch { added, changed, unchanged, .. } = stored;
        let [added, changed, unchanged] = [added, changed, unchanged].map(|count| HumanCount(*count));
        format!("  {name}: {GOOD}{added} added{GOOD:#}, {changed} changed, {unchanged} unchanged")
    }

    fn structured(&self, dry_run: bool) -> Value {
        if dry_run {
            let (first, last) = (self.first.map(time::print), self.last.map(time::print));
            return json!({ "records": self.read, "bytes": self.bytes, "first": first, "last": last, "example": self.example });
        }
        let StoredBatch { added, changed, unchanged, .. } = &self.stored;
        json!({ "added": added, "changed": changed, "unchanged": unchanged })
    }
}

fn day(at: Millis) -> String {
    time::print(at).chars().take("2026-01-01".len()).collect()
}
