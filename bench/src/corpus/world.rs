//! The store with its grant, and the plain tables beside it, filled with the same.

use super::changes::as_of_now;
use super::library::Library;
use super::questions::{Ask, FEW, NOT_SHORT, PAGE, Question, quoted};
use super::raw::Raw;
use super::record::{EntryRow, document_line, manifest};
use crate::engine::{Engine, Place};
use anyhow::Context as _;
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_source::embedded::IngestTarget;
use stepwell_source::filter::{Condition, Scalar, Test};
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::prepare::{Manifest, prepare};
use stepwell_source::query::{AggregateQuery, Granularity, Group, Metric, Order, RecordsQuery, SearchQuery};
use stepwell_source::sqlite::Missing;
use stepwell_source::{Caller, Embedded, Source as _};

const ENTRIES: &str = "entries";
const DOCUMENTS: &str = "documents";

/// How many entries both sides are given at a time.
const AT_ONCE: usize = 10_000;

pub(super) struct World {
    pub(super) raw: Raw,
    store: Embedded,
    caller: Caller,
    place: Place,
    entries: usize,
    /// How often entries were changed.
    edition: usize,
    /// Asks for what changed last.
    since: String,
}

impl World {
    /// Stores the documents and the first entry, and grants everything.
    pub(super) async fn new(engine: &Engine, library: &Library) -> anyhow::Result<Self> {
        let place = engine.place()?;
        let store = place.url.open(Missing::Create).await?;
        let documents = library.documents.iter().enumerate();
        fill(&store, DOCUMENTS, manifest(true)?, documents.map(|(number, one)| document_line(one, number)))
            .await?;
        let first = EntryRow::new(library, 0, 0);
        fill(&store, ENTRIES, manifest(true)?, [first.line()]).await?;
        let mut raw = Raw::create(engine, true).await?;
        raw.add_documents(library).await?;
        raw.add_entries(&[first], 1).await?;
        let (_, token) = store.create_grant(&grant()?).await?;
        let caller = store.authenticate(&token).await?;
        let world = Self { raw, store, caller, place, entries: 1, edition: 0, since: "beginning".to_owned() };
        let page = world.store.records(&world.caller, &world.changes("beginning")?).await?;
        let since = page.next_changes_since.context("one entry is one page of changes")?;
        Ok(Self { since, ..world })
    }

    /// Adds entries until there are so many, and then changes a few.
    pub(super) async fn grow(&mut self, library: &Library, entries: usize) -> anyhow::Result<()> {
        while self.entries < entries {
            let until = entries.min(self.entries + AT_ONCE);
            let rows: Vec<EntryRow<'_>> =
                (self.entries..until).map(|number| EntryRow::new(library, number, 0)).collect();
            fill(&self.store, ENTRIES, manifest(true)?, rows.iter().map(EntryRow::line)).await?;
            self.raw.add_entries(&rows, self.edition as i64 + 1).await?;
            self.entries = until;
        }
        self.since = as_of_now(&self.since, &self.place.url, ENTRIES).await?;
        self.edition += 1;
        let changed = (0..entries).step_by(entries / FEW);
        let rows: Vec<EntryRow<'_>> =
            changed.map(|number| EntryRow::new(library, number, self.edition)).collect();
        fill(&self.store, ENTRIES, manifest(true)?, rows.iter().map(EntryRow::line)).await?;
        self.raw.change_entries(&rows, self.edition as i64 + 1).await
    }

    /// Asks the store a question; gives the number of records, groups or numbers.
    pub(super) async fn ask(&self, question: &Question, turn: usize) -> anyhow::Result<usize> {
        let value = question.value(turn);
        match question.ask {
            Ask::SearchEntries | Ask::SearchAll => {
                let everywhere = question.ask == Ask::SearchAll;
                let streams = if everywhere { Vec::new() } else { vec![StreamName::new(ENTRIES)?] };
                let q = quoted(value);
                let query = SearchQuery {
                    q,
                    streams,
                    conditions: Vec::new(),
                    connection: None,
                    limit: PAGE,
                    cursor: None,
                };
                Ok(self.store.search(&self.caller, &query).await?.hits.len())
            }
            Ask::Count => self.number(Metric::Count, None, None).await,
            Ask::Sum => self.number(Metric::Sum, Some("letters"), None).await,
            Ask::GroupBy => self.number(Metric::Count, None, Some(Group::Field("initial".to_owned()))).await,
            Ask::GroupByTime => {
                let (field, time_zone) = ("added".to_owned(), "UTC".to_owned());
                let by_year = Group::Time { field, granularity: Granularity::Year, time_zone };
                self.number(Metric::Count, None, Some(by_year)).await
            }
            _ => {
                let list = self.list(question.ask, value)?;
                Ok(self.store.records(&self.caller, &list).await?.records.len())
            }
        }
    }

    fn list(&self, ask: Ask, value: &str) -> anyhow::Result<RecordsQuery> {
        let condition = |field: &str, test, value| vec![Condition { field: field.to_owned(), test, value }];
        let sorted = |field: &str, order| -> anyhow::Result<RecordsQuery> {
            Ok(RecordsQuery { sort: Some(field.to_owned()), order, ..self.newest()? })
        };
        let with = |conditions| -> anyhow::Result<RecordsQuery> {
            Ok(RecordsQuery { conditions, ..self.newest()? })
        };
        match ask {
            Ask::Equal => with(condition("headword", Test::Equal, Scalar::Text(value.to_owned()))),
            Ask::AtLeast => with(condition("letters", Test::AtLeast, Scalar::Number(NOT_SHORT.to_string()))),
            Ask::SortByNumber => sorted("letters", Order::Descending),
            Ask::SortByText => sorted("headword", Order::Ascending),
            Ask::Changes => self.changes("beginning"),
            Ask::FewChanges => self.changes(&self.since),
            _ => self.newest(),
        }
    }

    fn newest(&self) -> anyhow::Result<RecordsQuery> {
        Ok(RecordsQuery {
            stream: StreamName::new(ENTRIES)?,
            connection: None,
            fields: None,
            view: None,
            conditions: Vec::new(),
            sort: None,
            order: Order::Descending,
            limit: PAGE,
            cursor: None,
            changes_since: None,
        })
    }

    fn changes(&self, since: &str) -> anyhow::Result<RecordsQuery> {
        Ok(RecordsQuery { changes_since: Some(since.to_owned()), ..self.newest()? })
    }

    async fn number(
        &self,
        metric: Metric,
        field: Option<&str>,
        group: Option<Group>,
    ) -> anyhow::Result<usize> {
        let query = AggregateQuery {
            stream: StreamName::new(ENTRIES)?,
            connection: None,
            metric,
            field: field.map(str::to_owned),
            group,
            conditions: Vec::new(),
            limit: PAGE,
        };
        let answer = self.store.aggregate(&self.caller, &query).await?;
        Ok(answer.groups.len().max(1))
    }
}

/// Where the records of a stream go.
pub(super) fn target(stream: &str, manifest: Manifest) -> anyhow::Result<IngestTarget> {
    Ok(IngestTarget {
        connection: ConnectionId::new("cin_bench")?,
        connector: None,
        label: None,
        stream: StreamName::new(stream)?,
        manifest,
    })
}

async fn fill(
    store: &Embedded,
    stream: &str,
    manifest: Manifest,
    lines: impl IntoIterator<Item = String>,
) -> anyhow::Result<()> {
    let mut ingest = store.ingest(&target(stream, manifest)?).await?;
    for line in lines {
        let record = prepare(line.as_bytes(), ingest.manifest())?;
        ingest.push(record).await?;
    }
    ingest.flush().await?;
    Ok(())
}

fn grant() -> anyhow::Result<GrantRequest> {
    let everything = |stream| -> anyhow::Result<StreamRequest> {
        Ok(StreamRequest {
            name: StreamName::new(stream)?,
            connections: Vec::new(),
            fields: None,
            since: None,
            until: None,
            resources: None,
        })
    };
    Ok(GrantRequest {
        client: "bench".to_owned(),
        subject: "owner".to_owned(),
        purpose: None,
        expires_at: None,
        streams: vec![everything(ENTRIES)?, everything(DOCUMENTS)?],
    })
}
