//! `stepwell import`: fills a connection from what other programs let people download.

mod courier;
mod report;

use crate::ingest::progress_bar;
use crate::output::Output;
use crate::store_args::StoreArguments;
use anyhow::{Context as _, bail};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use courier::{Courier, Event, Parcel};
use jiff::tz::TimeZone;
use report::Report;
use std::path::PathBuf;
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_import::{DateOrder, Extractor, Import, Kind, Options};
use stepwell_source::Embedded;
use stepwell_source::embedded::{Ingest, IngestTarget};
use stepwell_source::sqlite::Missing;
use tokio::sync::mpsc;

/// Fills a connection from a mail archive, a chat export, a table or a folder
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing is changed where it lies. Importing the same again changes nothing, and a newer export adds what is new. What cannot
be read is left out and named, and the rest is stored. docs/importing.md says how to get each export.

  stepwell import mbox 'All mail.mbox' --label 'Home mail'
  stepwell import chatgpt export.zip --dry-run
  stepwell import csv expenses.csv --key number --time date")]
pub(crate) struct ImportArguments {
    #[command(flatten)]
    store: StoreArguments,
    /// What it is
    #[arg(value_parser = kinds())]
    kind: Kind,
    /// The files or folders
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The account or export that the records come from; it becomes part of every id [default: made of the kind and the name
    /// of the first path]
    #[arg(long, value_name = "ID")]
    connection: Option<ConnectionId>,
    /// A name for people [default: the name of the first path]
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// Says what would be imported, and opens no store
    #[arg(long)]
    dry_run: bool,
    /// Ends with exit code 1 if anything but a second copy was left out
    #[arg(long)]
    strict: bool,
    /// jsonl, csv, sqlite: the stream, or the table [default: named after the file; every table]
    #[arg(long, value_name = "NAME")]
    stream: Option<String>,
    /// jsonl, csv, sqlite: the column that makes the key [default: one called id or key, else made of the whole row]
    #[arg(long, value_name = "COLUMN")]
    key: Option<String>,
    /// jsonl, csv, sqlite: the column that says when a row happened. Grants with a time range go by it; without it they leave
    /// the rows out
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// whatsapp, and telegram before 2022: where the clock stood that the export shows, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    time_zone: Option<TimeZone>,
    /// whatsapp: whether dates have the day or the month first, if no date of the chat shows it
    #[arg(long, value_name = "ORDER", value_parser = date_orders())]
    date_order: Option<DateOrder>,
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    let values = Kind::ALL.iter().map(|kind| PossibleValue::new(kind.as_str()).help(kind.about()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Kind>())
}

fn date_orders() -> impl TypedValueParser<Value = DateOrder> {
    let values = DateOrder::ALL.iter().map(|order| PossibleValue::new(order.as_str()).help(order.about()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<DateOrder>())
}

/// This program takes the text out of files too, in processes of its own. Where it does not find itself, they stay without.
fn extractor() -> Option<Extractor> {
    std::env::current_exe().ok().map(Extractor::new)
}

fn zone(name: &str) -> Result<TimeZone, String> {
    TimeZone::get(name).map_err(|_| "there is no such time zone; write it as Europe/Berlin".to_owned())
}

impl ImportArguments {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let connection = match &self.connection {
            Some(connection) => connection.clone(),
            None => self.kind.connection(&self.paths[0]).context("name one with --connection")?,
        };
        let store = match self.dry_run {
            true => None,
            false => Some(self.store.open(Missing::Create).await?),
        };
        let label = match (&self.label, &store) {
            (Some(label), _) => label.clone(),
            (None, store) => known_label(store.as_ref(), &connection)
                .await?
                .unwrap_or_else(|| stepwell_import::label(&self.paths[0])),
        };
        let import = Import {
            kind: self.kind,
            paths: self.paths,
            extractor: extractor(),
            options: Options {
                stream: self.stream,
                key: self.key,
                time: self.time,
                zone: self.time_zone,
                date_order: self.date_order,
            },
        };
        let bar = progress_bar(import.size(), output);
        let mut report = Report::new(output, &bar);
        let (sender, mut parcels) = mpsc::channel(2);
        let connector = import.kind.connector();
        let reader = tokio::task::spawn_blocking(move || Courier::new(sender).carry(&import));
        let mut desk = Desk {
            store: store.as_ref(),
            connection: &connection,
            connector,
            label: &label,
            targets: Vec::new(),
            ingests: Vec::new(),
        };
        while let Some(Parcel { events, bytes }) = parcels.recv().await {
            bar.inc(bytes);
            for event in events {
                desk.take(event, &mut report).await?;
            }
        }
        let read = reader.await.context("the reading thread ended early")?;
        if read.is_ok() {
            desk.open_streams().await?;
        }
        desk.finish(&mut report).await?;
        bar.finish_and_clear();
        if read.is_ok() || report.has_records() {
            report.finish(&connection, &label, self.dry_run)?;
        }
        read?;
        if self.strict && report.losses() > 0 {
            bail!("{} things were left out", report.losses());
        }
        Ok(())
    }
}

/// What the connection is called already: who renamed it wants it to stay so.
async fn known_label(store: Option<&Embedded>, connection: &ConnectionId) -> anyhow::Result<Option<String>> {
    let Some(store) = store else { return Ok(None) };
    let mut scopes = store.scopes().await?.into_iter();
    Ok(scopes.find(|scope| scope.connection == connection.as_str()).and_then(|scope| scope.label))
}

/// Stores what arrives, each stream in batches of its own; without a store it only counts.
struct Desk<'a> {
    store: Option<&'a Embedded>,
    connection: &'a ConnectionId,
    connector: &'static str,
    label: &'a str,
    /// The streams that were announced, and those of them that are open. They are opened with the first record, so that a
    /// file that turns out to be something else leaves no trace.
    targets: Vec<IngestTarget>,
    ingests: Vec<Ingest<'a>>,
}

impl Desk<'_> {
    async fn take(&mut self, event: Event, report: &mut Report<'_>) -> anyhow::Result<()> {
        match event {
            Event::Stream { name, manifest } => {
                report.stream(&name);
                self.targets.push(IngestTarget {
                    connection: self.connection.clone(),
                    connector: Some(self.connector.to_owned()),
                    label: Some(self.label.to_owned()),
                    stream: StreamName::new(name).context("the stream's name")?,
                    manifest: *manifest,
                });
            }
            Event::Record { stream, record } => {
                report.read(stream, &record);
                self.open_streams().await?;
                if let Some(ingest) = self.ingests.get_mut(stream.0)
                    && let Some(batch) = ingest.push(*record).await?
                {
                    report.stored(stream, batch)?;
                }
            }
            Event::LeftOut(skip) => report.left_out(&skip)?,
        }
        Ok(())
    }

    /// Makes the streams known that are not yet. Empty ones count too: a grant may name them.
    async fn open_streams(&mut self) -> anyhow::Result<()> {
        let Some(store) = self.store else { return Ok(()) };
        while let Some(target) = self.targets.get(self.ingests.len()) {
            let ingest = store.ingest(target).await?;
            self.ingests.push(ingest);
        }
        Ok(())
    }

    async fn finish(&mut self, report: &mut Report<'_>) -> anyhow::Result<()> {
        for (index, ingest) in self.ingests.iter_mut().enumerate() {
            let batch = ingest.flush().await?;
            report.stored(stepwell_import::StreamIndex(index), batch)?;
        }
        Ok(())
    }
}
