//! `stepwell store stats`: how much a store holds, and where the room goes.

use crate::chart::Bars;
use crate::output::{BOLD, Output, visible};
use crate::store_args::StoreArguments;
use anyhow::Context as _;
use clap::Args;
use indicatif::{HumanBytes, HumanCount};
use serde_json::{Value, json};
use std::io::IsTerminal as _;
use stepwell_source::care::{self, Room, Stats as Measured, StreamStats};
use stepwell_source::time::{self, Millis};

/// Shows how much the store holds, and where the room goes
#[derive(Debug, Args)]
#[command(after_help = "\
For each connection and stream: records, top-level fields, characters and bytes of their text,
chunks in the word index, files with their bytes, and the times of the oldest and newest
record. A file that two streams refer to is stored once and counted for both. Then the room on
disk, indexes included, and what of it is free. What the data is, by month and by connection, is
told by `stepwell stats`.

  stepwell store stats
  stepwell store stats --json | jq '.streams[] | {stream, records}'")]
pub(crate) struct Stats {
    #[command(flatten)]
    store: StoreArguments,
}

impl Stats {
    pub(super) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let url = self.store.url()?;
        let stats = care::stats(&url).await.with_context(|| format!("cannot measure the store {url}"))?;
        if output.is_json() {
            return output.json(&to_json(&stats));
        }
        let bars = if std::io::stdout().is_terminal() { Bars::of_environment() } else { Bars::None };
        output.line(streams(&stats.streams, bars))?;
        output.line(room(&stats, bars))
    }
}

fn streams(streams: &[StreamStats], bars: Bars) -> String {
    if streams.is_empty() {
        return "no records yet; fill the store with: stepwell ingest".to_owned();
    }
    let name = |stream: &StreamStats| {
        visible(&format!("{}/{}", stream.connection, stream.stream)).replace(['\n', '\t'], "\u{fffd}")
    };
    let width = streams.iter().map(|stream| name(stream).chars().count()).max().unwrap_or_default().max(6);
    let longest = streams.iter().map(|stream| stream.bytes + stream.blob_bytes).max().unwrap_or_default();
    let mut out = format!(
        "{BOLD}{:width$} {:>9} {:>9} {:>13} {:>10} {:>9} {:>10}  TIMES{BOLD:#}",
        "STREAM", "RECORDS", "FIELDS", "CHARACTERS", "TEXT", "FILES", "IN FILES"
    );
    for stream in streams {
        let [records, fields, chars, blobs] =
            [stream.records, stream.fields, stream.chars, stream.blobs].map(|n| HumanCount(n).to_string());
        let [bytes, blob_bytes] = [stream.bytes, stream.blob_bytes].map(|n| HumanBytes(n).to_string());
        out.push_str(&format!(
            "\n{:width$} {records:>9} {fields:>9} {chars:>13} {bytes:>10} {blobs:>9} {blob_bytes:>10}  {}{}",
            name(stream),
            days(stream.times),
            bars.bar(stream.bytes + stream.blob_bytes, longest)
        ));
    }
    out
}

/// From which day to which.
fn days(times: Option<(Millis, Millis)>) -> String {
    let day = |at| time::print(at).chars().take("2026-01-01".len()).collect::<String>();
    times.map_or_else(|| "-".to_owned(), |(first, last)| format!("{} to {}", day(first), day(last)))
}

fn room(stats: &Measured, bars: Bars) -> String {
    let Room { total, free, records, words, blobs, ledger } = stats.room;
    let mut parts = vec![
        ("records", records, String::new()),
        ("word index", words, String::new()),
        ("files", blobs, format!("  {} different ones", HumanCount(stats.blobs))),
        ("ledger", ledger, format!("  {} entries, {}", HumanCount(stats.disclosures), days(stats.disclosed))),
    ];
    parts.extend(free.map(|free| ("free", free, String::new())));
    let longest = parts.iter().map(|(_, bytes, _)| *bytes).max().unwrap_or_default();
    let mut out = format!("\n{BOLD}{:12} {:>10}{BOLD:#}", "ON DISK", HumanBytes(total).to_string());
    for (name, bytes, remark) in parts {
        let bytes_text = HumanBytes(bytes).to_string();
        out.push_str(&format!("\n{name:12} {bytes_text:>10}{}{remark}", bars.bar(bytes, longest)));
    }
    out
}

fn to_json(stats: &Measured) -> Value {
    let span = |times: Option<(Millis, Millis)>| {
        times.map(|(first, last)| json!({ "oldest": time::print(first), "newest": time::print(last) }))
    };
    let stream = |stream: &StreamStats| {
        json!({
            "connection_id": stream.connection, "stream": stream.stream, "records": stream.records,
            "fields": stream.fields, "chars": stream.chars, "bytes": stream.bytes, "indexed": stream.indexed,
            "blobs": stream.blobs, "blob_bytes": stream.blob_bytes, "times": span(stream.times),
        })
    };
    let Room { total, free, records, words, blobs, ledger } = stats.room;
    json!({
        "streams": stats.streams.iter().map(stream).collect::<Vec<_>>(),
        "blobs": stats.blobs, "blob_bytes": stats.blob_bytes,
        "grants": stats.grants, "disclosures": stats.disclosures, "disclosed": span(stats.disclosed),
        "disk": {
            "total": total, "free": free, "records": records, "word_index": words, "blobs": blobs, "ledger": ledger,
        },
    })
}
