//! The ledger in the store: written for every answer, read and erased by the owner alone.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::row::{Param, Row};
use crate::embedded::statement::Statement;
use crate::error::Failure;
use crate::ledger::{
    Disclosure, Durable, Erased, Extent, LedgerEntry, LedgerFilter, LedgerPlace, LedgerSum, NewEntries,
    Tombstone,
};
use crate::time::{self, Millis};
use crate::token::Caller;
use std::sync::atomic::Ordering;
use stepwell_contract::{Bytes, Chars, Span};

/// How many entries one transaction removes: readers wait for it when they write down what they show.
const CHUNK: i64 = 2_000;

/// The tombstone that all entries share which went because of their age.
const BY_AGE: i64 = 0;

impl Embedded {
    pub(super) async fn write_down(
        &self,
        caller: &Caller,
        tool: &str,
        disclosed: &[Disclosure],
    ) -> Result<(), Failure> {
        if disclosed.is_empty() {
            return Ok(());
        }
        let mut disclosed = self.attributed(caller, disclosed).await?;
        for field in disclosed.iter_mut().filter_map(|one| one.what.field.as_mut()) {
            // A key inside a JSON value may hold a NUL, which Postgres keeps in no text.
            if field.contains('\0') {
                *field = field.replace('\0', "\u{2400}");
            }
        }
        let durable = match self.is_durable_soon.load(Ordering::Relaxed) {
            true => Durable::Soon,
            false => Durable::AtOnce,
        };
        let entries = NewEntries { durable, at: time::now(), tool: tool.to_owned(), disclosed };
        self.engine.append(entries).await
    }

    /// Decides when entries are on the disk from now on. On Postgres that is for its server to decide.
    pub fn keep_ledger(&self, durable: Durable) {
        self.is_durable_soon.store(durable == Durable::Soon, Ordering::Relaxed);
    }

    /// Reads a page of the ledger, the newest entries first; `after` goes on from an earlier page.
    pub async fn ledger_page(
        &self,
        filter: &LedgerFilter,
        after: Option<LedgerPlace>,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, Failure> {
        self.engine.settle_ledger().await?;
        let LedgerPlace { at, id } = after.unwrap_or(LedgerPlace { at: Millis::MAX, id: i64::MAX });
        let mut params = bound(filter);
        params.extend(bind![at, id, i64::try_from(limit).unwrap_or(i64::MAX)]);
        self.read(Statement::ListDisclosures, params).await?.into_iter().map(entry).collect()
    }

    /// Counts entries.
    pub async fn ledger_sum(&self, filter: &LedgerFilter) -> Result<LedgerSum, Failure> {
        self.engine.settle_ledger().await?;
        let Some(mut row) = self.read(Statement::CountDisclosures, bound(filter)).await?.into_iter().next()
        else {
            return Ok(LedgerSum::default());
        };
        let (entries, bytes) = (row.int()?.unsigned_abs(), row.int()?.unsigned_abs());
        let span = row.int_or_null()?.zip(row.int_or_null()?);
        Ok(LedgerSum { entries, bytes, span })
    }

    /// Lists what is left of removed entries that a filter's stretch of time could have shown, the newest first. A
    /// tombstone knows neither grant nor record, so it stands for all of them.
    pub async fn tombstones(&self, filter: &LedgerFilter) -> Result<Vec<Tombstone>, Failure> {
        let (since, until) = stretch(filter);
        let tombstone = |mut row: Row| {
            Ok(Tombstone {
                erased_at: row.int()?,
                reason: Erased::from_code(row.int()?),
                entries: row.int()?.unsigned_abs(),
                bytes: row.int()?.unsigned_abs(),
                first_at: row.int()?,
                last_at: row.int()?,
            })
        };
        self.read(Statement::Tombstones, bind![since, until]).await?.into_iter().map(tombstone).collect()
    }

    /// Removes entries because the owner wants it, and leaves one tombstone. Says how many entries went.
    pub async fn erase_disclosures(&self, filter: &LedgerFilter) -> Result<u64, Failure> {
        let mut bits = [0; 8];
        getrandom::fill(&mut bits)
            .map_err(|error| Failure::Store(format!("no random bits for a tombstone: {error}")))?;
        let tombstone = (i64::from_be_bytes(bits) & i64::MAX).max(BY_AGE + 1);
        self.bury(filter, tombstone, Erased::ByOwner).await
    }

    /// Removes entries from before a moment because of their age. All such removals share one tombstone.
    pub async fn prune_disclosures(&self, before: Millis) -> Result<u64, Failure> {
        let filter = LedgerFilter { until: Some(before), ..LedgerFilter::default() };
        self.bury(&filter, BY_AGE, Erased::ByAge).await
    }

    /// Removes entries a chunk at a time. Each chunk is marked, counted and deleted in one transaction, so a tombstone
    /// counts exactly what is gone, whatever others write meanwhile.
    async fn bury(&self, filter: &LedgerFilter, tombstone: i64, reason: Erased) -> Result<u64, Failure> {
        self.engine.settle_ledger().await?;
        let mut gone = 0;
        loop {
            let mut mark = bound(filter);
            mark.extend(bind![tombstone, CHUNK]);
            let changed = self
                .engine
                .write(vec![
                    (Statement::MarkDisclosures, mark),
                    (Statement::BuryDisclosures, bind![tombstone, time::now(), reason.code()]),
                    (Statement::DeleteDisclosures, bind![tombstone]),
                ])
                .await?;
            let deleted = changed.last().copied().unwrap_or_default();
            gone += deleted;
            if deleted < CHUNK.unsigned_abs() {
                return Ok(gone);
            }
        }
    }
}

fn stretch(filter: &LedgerFilter) -> (Millis, Millis) {
    (filter.since.unwrap_or(Millis::MIN), filter.until.unwrap_or(Millis::MAX))
}

/// A filter as the first parameters of a statement.
fn bound(filter: &LedgerFilter) -> Vec<Param> {
    let (since, until) = stretch(filter);
    let record = filter.record.as_ref();
    let connection = record.and_then(|record| record.connection.as_ref()).map(ToString::to_string);
    let stream = record.map(|record| record.stream.to_string());
    let key = record.map(|record| record.record.to_string());
    bind![since, until, filter.grant.clone(), connection, stream, key]
}

fn entry(mut row: Row) -> Result<LedgerEntry, Failure> {
    Ok(LedgerEntry {
        id: row.int()?,
        at: row.int()?,
        grant: row.text()?,
        client: row.text()?,
        tool: row.text()?,
        connection: row.text_or_null()?,
        stream: row.text_or_null()?,
        record: row.text_or_null()?,
        field: row.text_or_null()?,
        extent: extent(row.int_or_null()?, row.int_or_null()?, row.int_or_null()?),
        bytes: row.int()?.unsigned_abs(),
        tier: row.text_or_null()?,
    })
}

/// An extent as three columns: its unit, its start and its end.
pub(crate) fn columns(extent: Option<Extent>) -> (Option<i64>, Option<i64>, Option<i64>) {
    let Some(extent) = extent else { return (None, None, None) };
    let (start, end) = extent.bounds();
    let unit = i64::from(matches!(extent, Extent::Bytes(..)));
    let whole = |n: u64| Some(i64::try_from(n).unwrap_or(i64::MAX));
    (Some(unit), whole(start), whole(end))
}

fn extent(unit: Option<i64>, start: Option<i64>, end: Option<i64>) -> Option<Extent> {
    let (start, end) = (start?.unsigned_abs(), end?.unsigned_abs());
    match unit? {
        0 => Span::new(Chars(start), Chars(end)).map(Extent::Chars),
        _ => Some(Extent::Bytes(Bytes(start), Bytes(end))),
    }
}
