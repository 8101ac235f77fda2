//! What a tool has in hand: the records of its call, and those that it selects, all under the caller's grant.

use crate::describe::scope_of;
use crate::filter;
use crate::shapes::{self, InHand};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use stepwell_contract::budget::MAX_QUERY;
use stepwell_contract::{Chars, Code, Span, StreamName};
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::filter::Condition;
use stepwell_source::query::{FieldMatch, Order, RecordsQuery, SearchQuery};
use stepwell_source::shape::RecordIdentity;
use stepwell_source::{Caller, RecordView, Source, SourceError};
use stepwell_tiers::{FieldShape, Fields, ReadRefusal, RecordShape, Selected, Selection, Slot};

/// A tool's hand. It remembers what was taken and read, for the ledger.
pub(super) struct ToolHand {
    hand: Arc<InHand>,
    source: Arc<dyn Source>,
    caller: Caller,
    scopes: Vec<GrantedScope>,
    runtime: tokio::runtime::Handle,
    used: Mutex<Used>,
}

/// What a tool had in hand, and what it read of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Used {
    /// The records, each at the place that its slot says.
    pub(super) records: Vec<RecordIdentity>,
    /// From the first to the last code point that was read, by slot and field.
    pub(super) read: BTreeMap<(u32, String), Span>,
}

/// Records as a source finds them, each with the places where words were found, and whether there are more.
type Found = (Vec<(RecordView, Vec<FieldMatch>)>, bool);

impl ToolHand {
    pub(super) fn new(
        source: &Arc<dyn Source>,
        caller: &Caller,
        scopes: Vec<GrantedScope>,
        records: Vec<RecordIdentity>,
    ) -> Arc<Self> {
        let named = records.iter().map(|identity| identity.id().into()).collect();
        Arc::new(Self {
            hand: InHand::new(source, caller, named),
            source: source.clone(),
            caller: caller.clone(),
            scopes,
            runtime: tokio::runtime::Handle::current(),
            used: Mutex::new(Used { records, read: BTreeMap::new() }),
        })
    }

    /// What was taken and read so far.
    pub(super) fn used(&self) -> Used {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn find(
        &self,
        what: &Selection,
        stream: StreamName,
        conditions: Vec<Condition>,
    ) -> Result<Found, SourceError> {
        let (connection, limit, cursor) = (None, what.limit, None);
        if let Some(q) = &what.query {
            let (q, streams) = (q.clone(), vec![stream]);
            let query = SearchQuery { q, streams, conditions, connection, limit, cursor };
            let page = self.source.search(&self.caller, &query).await?;
            let hits = page.hits.into_iter().map(|hit| (hit.record, hit.matches));
            return Ok((hits.collect(), page.next_cursor.is_some()));
        }
        let (fields, view, sort, changes_since, order) = (None, None, None, None, Order::Descending);
        let query = RecordsQuery {
            stream,
            connection,
            fields,
            view,
            conditions,
            sort,
            order,
            limit,
            cursor,
            changes_since,
        };
        let page = self.source.records(&self.caller, &query).await?;
        let records = page.records.into_iter().map(|view| (view, Vec::new()));
        Ok((records.collect(), page.next_cursor.is_some()))
    }

    /// Remembers that a part of a field was read.
    fn note(&self, slot: Slot, path: &str, at: Span) {
        let mut used = self.lock();
        let read = used.read.entry((slot.0, path.to_owned())).or_insert(at);
        let (start, end) = (read.start().min(at.start()), read.end().max(at.end()));
        *read = Span::new(start, end).unwrap_or(*read);
    }

    /// Gives a record its slot: the one that it has, or the next.
    fn take(&self, view: &RecordView, hits: &[FieldMatch]) -> RecordShape {
        let mut used = self.lock();
        let known = used.records.iter().position(|other| *other == view.identity);
        let slot = known.unwrap_or(used.records.len());
        if known.is_none() {
            used.records.push(view.identity.clone());
            self.hand.take(view.identity.id().into());
        }
        shapes::record(slot as u32, view, scope_of(&self.scopes, &view.identity), hits)
    }
}

impl Fields for ToolHand {
    fn read(&self, slot: Slot, path: &str, at: Span) -> Result<String, ReadRefusal> {
        let text = self.hand.read(slot, path, at)?;
        let read = Span::at(at.start(), Chars::of(&text));
        self.note(slot, path, read);
        Ok(text)
    }

    fn children(&self, slot: Slot, pointer: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
        let children = self.hand.children(slot, pointer)?;
        self.note(slot, pointer, Span::at(Chars::ZERO, Chars::ZERO));
        Ok(children)
    }

    fn select(&self, what: &Selection, until: Instant) -> Result<Selected, ReadRefusal> {
        let stream = StreamName::new(&what.stream).map_err(|_| ReadRefusal::NotInHand)?;
        let conditions = conditions(&what.filter).ok_or(ReadRefusal::BadSelection)?;
        let has_words = |q: &String| !q.trim().is_empty() && Chars::of(q) <= MAX_QUERY;
        if !what.query.as_ref().is_none_or(has_words) {
            return Err(ReadRefusal::BadSelection);
        }
        // Tools run on threads of their own, where waiting blocks nobody else, but no longer than the tool has.
        let found = self.runtime.block_on(async {
            tokio::time::timeout_at(until.into(), self.find(what, stream, conditions)).await
        });
        let (found, has_more) =
            found.map_err(|_| ReadRefusal::OverAllowance)?.map_err(|error| refused(&error))?;
        let records = found.iter().map(|(view, hits)| self.take(view, hits)).collect();
        Ok(Selected { records, has_more })
    }

    fn spelled(&self, slot: Slot) -> Option<String> {
        self.lock().records.get(slot.0 as usize).map(|identity| identity.id().to_string())
    }
}

/// The conditions of a filter in JSON; none if it is no filter.
fn conditions(text: &str) -> Option<Vec<Condition>> {
    let args = match text {
        "" => json!({}),
        text => json!({ "filter": serde_json::from_str::<Value>(text).ok()? }),
    };
    filter::conditions(&args).ok()
}

/// A refusal without its reason: what a grant does not name and what does not exist look the same.
fn refused(error: &SourceError) -> ReadRefusal {
    match error.refusal() {
        Some(refusal) if [Code::InvalidFilter, Code::InvalidArguments].contains(&refusal.code) => {
            ReadRefusal::BadSelection
        }
        Some(_) => ReadRefusal::NotInHand,
        None => ReadRefusal::Unavailable,
    }
}
