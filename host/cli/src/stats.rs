//! `stepwell stats`: what the data is: how much of what, from where and from when. `store stats` says where the room goes.

mod months;

use crate::chart::Bars;
use crate::exit::UsageError;
use crate::output::{BOLD, DIM, Output, visible};
use crate::store_args::StoreArguments;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use indicatif::{HumanBytes, HumanCount};
use months::{Period, periods};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use stepwell_contract::ConnectionId;
use stepwell_source::care::{self, Day, StreamStats};
use stepwell_source::sqlite::Missing;
use stepwell_source::time::{self, Millis};

/// With more months than these, years are shown unless months are asked for.
const MANY_MONTHS: usize = 36;

/// Shows what the data is: records by stream, month and connection
#[derive(Debug, Args)]
#[command(after_help = "\
Months and years are in UTC, by the times of the records. A file that two streams refer to is
counted for both. Where the room on disk goes is told by `stepwell store stats`.

  stepwell stats
  stepwell stats --connection cin_mbox_all_mail --by month
  stepwell stats --json | jq '.months[] | {month, records}'")]
pub(crate) struct Stats {
    #[command(flatten)]
    store: StoreArguments,
    /// Only this connection
    #[arg(long, value_name = "ID")]
    connection: Option<ConnectionId>,
    /// What the records are counted by [default: months, or years if there are many]
    #[arg(long, value_name = "PERIOD")]
    by: Option<By>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    Month,
    Year,
}

impl Stats {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let url = self.store.url()?;
        // A store that is not there is told in the words of every other verb.
        let store = self.store.open(Missing::Refuse).await?;
        let labels: BTreeMap<String, String> = store
            .scopes()
            .await?
            .into_iter()
            .filter_map(|scope| Some((scope.connection, scope.label?)))
            .collect();
        drop(store);
        let cannot = || format!("cannot measure the store {url}");
        let (measured, mut days) =
            (care::stats(&url).await.with_context(cannot)?, care::timeline(&url).await.with_context(cannot)?);
        let mut streams = measured.streams;
        if let Some(only) = &self.connection {
            streams.retain(|stream| stream.connection == only.as_str());
            days.retain(|day| day.connection == only.as_str());
            if streams.is_empty() {
                let message = format!("there is no connection {only}; see: stepwell connections list");
                return Err(UsageError(message).into());
            }
        }
        let sum = Sum { streams, days, labels };
        if output.is_json() {
            return output.json(&sum.to_json());
        }
        if sum.streams.is_empty() {
            return output.line("no records yet; fill the store with: stepwell import");
        }
        let bars = Bars::of_environment();
        output.line(sum.in_short())?;
        output.line(sum.by_stream(bars))?;
        output.line(sum.by_period(self.by, bars))?;
        match sum.connections().len() {
            1 => Ok(()),
            _ => output.line(sum.by_connection(bars)),
        }
    }
}

/// What was counted.
struct Sum {
    streams: Vec<StreamStats>,
    days: Vec<Day>,
    labels: BTreeMap<String, String>,
}

/// What a connection adds up to.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    streams: u64,
    records: u64,
    bytes: u64,
    files: u64,
    file_bytes: u64,
}

impl Total {
    fn add(&mut self, stream: &StreamStats) {
        self.streams += 1;
        self.records += stream.records;
        self.bytes += stream.bytes;
        self.files += stream.blobs;
        self.file_bytes += stream.blob_bytes;
    }
}

impl Sum {
    /// Connections with their sums, the largest first.
    fn connections(&self) -> Vec<(&str, Total)> {
        let mut totals: BTreeMap<&str, Total> = BTreeMap::new();
        for stream in &self.streams {
            totals.entry(&stream.connection).or_default().add(stream);
        }
        let mut totals: Vec<_> = totals.into_iter().collect();
        totals.sort_by(|(a, left), (b, right)| right.records.cmp(&left.records).then(a.cmp(b)));
        totals
    }

    fn times(&self) -> Option<(Millis, Millis)> {
        let times = self.streams.iter().filter_map(|stream| stream.times);
        times.reduce(|(first, last), (from, to)| (first.min(from), last.max(to)))
    }

    fn in_short(&self) -> String {
        let mut total = Total::default();
        self.streams.iter().for_each(|stream| total.add(stream));
        let connections = self.connections().len() as u64;
        let mut text = format!(
            "{BOLD}{}{BOLD:#} in {} of {}, {} of text",
            counted(total.records, "record"),
            counted(total.streams, "stream"),
            counted(connections, "connection"),
            HumanBytes(total.bytes)
        );
        if total.files > 0 {
            text.push_str(&format!(
                ", {} with {}",
                counted(total.files, "file"),
                HumanBytes(total.file_bytes)
            ));
        }
        if let Some((first, last)) = self.times() {
            text.push_str(&format!("; from {} to {}", day(first), day(last)));
        }
        text
    }

    fn by_stream(&self, bars: Bars) -> String {
        let rows = self.streams.iter().map(|stream| {
            let name = one_line(&format!("{}/{}", stream.connection, stream.stream));
            (
                name,
                stream.records,
                format!("{:>10}", HumanBytes(stream.bytes + stream.blob_bytes).to_string()),
            )
        });
        table("BY STREAM", "SIZE", rows.collect(), bars)
    }

    fn by_period(&self, by: Option<By>, bars: Bars) -> String {
        let months = periods(&self.days, Period::Month);
        let by = by.unwrap_or(if months.len() > MANY_MONTHS { By::Year } else { By::Month });
        let (heading, counted) = match by {
            By::Month => ("BY MONTH", months),
            By::Year => ("BY YEAR", periods(&self.days, Period::Year)),
        };
        let rows = counted.into_iter().map(|(name, records)| (name, records, String::new()));
        table(heading, "", rows.collect(), bars)
    }

    fn by_connection(&self, bars: Bars) -> String {
        let rows = self.connections().into_iter().map(|(id, total)| {
            let name = self.labels.get(id).map_or(id, String::as_str);
            (
                one_line(name),
                total.records,
                format!("{:>10}", HumanBytes(total.bytes + total.file_bytes).to_string()),
            )
        });
        table("BY CONNECTION", "SIZE", rows.collect(), bars)
    }

    fn to_json(&self) -> Value {
        let stream = |stream: &StreamStats| {
            json!({
                "connection_id": stream.connection, "stream": stream.stream, "records": stream.records, "chars": stream.chars,
                "bytes": stream.bytes, "files": stream.blobs, "file_bytes": stream.blob_bytes,
                "oldest": stream.times.map(|(first, _)| time::print(first)),
                "newest": stream.times.map(|(_, last)| time::print(last)),
            })
        };
        let connection = |(id, total): (&str, Total)| {
            json!({
                "connection_id": id, "display_name": self.labels.get(id), "records": total.records, "bytes": total.bytes,
                "files": total.files, "file_bytes": total.file_bytes,
            })
        };
        let months = periods(&self.days, Period::Month);
        json!({
            "records": self.streams.iter().map(|stream| stream.records).sum::<u64>(),
            "streams": self.streams.iter().map(stream).collect::<Vec<_>>(),
            "connections": self.connections().into_iter().map(connection).collect::<Vec<_>>(),
            "months": months.iter().map(|(month, records)| json!({ "month": month, "records": records })).collect::<Vec<_>>(),
        })
    }
}

/// Names with their numbers and bars.
fn table(heading: &str, remark: &str, rows: Vec<(String, u64, String)>, bars: Bars) -> String {
    let width =
        rows.iter().map(|(name, _, _)| name.chars().count()).chain([heading.len()]).max().unwrap_or_default();
    let longest = rows.iter().map(|(_, records, _)| *records).max().unwrap_or_default();
    let gap = if remark.is_empty() { "" } else { " " };
    let side = rows.iter().map(|(_, _, remark)| remark.len()).max().unwrap_or_default();
    let mut out = format!("\n{BOLD}{heading:width$} {:>10}{gap}{remark:>side$}{BOLD:#}", "RECORDS");
    for (name, records, remark) in rows {
        let count = HumanCount(records).to_string();
        out.push_str(&format!(
            "\n{name:width$} {count:>10}{gap}{DIM}{remark}{DIM:#}{}",
            bars.bar(records, longest)
        ));
    }
    out
}

fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", HumanCount(number))
}

fn day(at: Millis) -> String {
    time::print(at).chars().take("2026-01-01".len()).collect()
}

fn one_line(text: &str) -> String {
    visible(text).replace(['\n', '\t'], "\u{fffd}")
}
