//! Copies a store row by row, between engines or within one.
//!
//! The copy is made beside its place, table after table in the order of their keys, so what was copied before an
//! interruption is recognised by its last key and the copy goes on from there. At the end both sides are summed up and
//! compared, the copy is checked, and only then takes its place.

mod rows;
mod table;

use crate::bind;
use crate::care::check::{Checked, check_session};
use crate::care::session::Session;
use crate::care::tables::{About, TABLES, Table};
use crate::care::watch::Watch;
use crate::care::work::{Existing, Work};
use crate::error::Failure;
use crate::postgres;
use crate::shape::Digest;
use crate::url::SourceUrl;
use rows::Rows;
use sha2::{Digest as _, Sha256};

/// What of a store is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Everything: records, grants, the digests of tokens, the ledger, and the keys that seal cursors.
    Everything,
    /// Connections, streams and records. The copy has a key of its own, and nobody may read it yet.
    Records,
}

/// What a copy did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// The rows that the copy has.
    pub rows: u64,
    /// How many of them an earlier, interrupted copy had brought.
    pub resumed: u64,
    /// What the check of the copy went through.
    pub checked: Checked,
}

/// Copies a store to a place where there is none, or where one may be replaced.
pub async fn copy(
    from: &SourceUrl,
    to: &SourceUrl,
    share: Share,
    existing: Existing,
    watch: &mut dyn Watch,
) -> Result<Copied, Failure> {
    if from == to {
        return Err(Failure::Store("a store cannot be copied to its own place; name another one".into()));
    }
    let source = Session::open(from).await?;
    let work = Work::begin(to, existing).await?;
    let copied = copy_rows(&source, &work, share, watch).await?;
    work.finish().await?;
    Ok(copied)
}

/// Copies all rows into a store in the making, and verifies it.
pub(crate) async fn copy_rows(
    source: &Session,
    work: &Work,
    share: Share,
    watch: &mut dyn Watch,
) -> Result<Copied, Failure> {
    source.hold_still().await?;
    let target = begin_or_go_on(source, work, share).await?;
    let mut copied = Copied::default();
    if share == Share::Everything {
        // They are few, and change with every read and grant: they are brought anew.
        for table in TABLES.iter().rev().filter(|table| table.about == About::Books) {
            target.batch(&format!("DELETE FROM {}", table.name)).await?;
        }
    }
    for table in tables(share) {
        watch.stage(table.name, source.number(table.name, &table.count()).await?);
        let there = target.number(table.name, &table.count()).await?;
        copied.resumed += there;
        watch.advance(there);
        let mut rows = Rows::after_last_of(&target, source, table).await?;
        while let Some(page) = rows.next().await? {
            copied.rows += page.len() as u64;
            watch.advance(page.len() as u64);
            table::insert(&target, table, page).await?;
        }
    }
    copied.rows += copied.resumed;
    table::set_counters(&target).await?;
    if let Session::Postgres(_) = target {
        target.batch(postgres::LEARN).await?;
    }
    if let Err(difference) = compare(source, &target, share, watch).await {
        // To go on from here would only find the same.
        target.close().await?;
        work.clear().await?;
        return Err(difference);
    }
    copied.checked = check_session(&target, watch).await?;
    target.batch("DROP TABLE copying").await?;
    target.close().await?;
    Ok(copied)
}

fn tables(share: Share) -> impl Iterator<Item = &'static Table> {
    TABLES.iter().filter(move |table| share == Share::Everything || table.about != About::Books)
}

/// Opens the store in the making. An interrupted copy of the same source, in the same state, is gone on with; anything
/// else is begun anew.
async fn begin_or_go_on(source: &Session, work: &Work, share: Share) -> Result<Session, Failure> {
    let state = state(source, share).await?.to_string();
    if let Ok(target) = work.session().await {
        let rows = target.rows("state", "SELECT state FROM copying", bind![]).await.unwrap_or_default();
        if rows.into_iter().next().is_some_and(|mut row| row.text().is_ok_and(|found| found == state)) {
            return Ok(target);
        }
        target.close().await?;
    }
    work.clear().await?;
    let target = work.session().await?;
    // The state is hexadecimal digits that were made here.
    target.batch(&format!("CREATE TABLE copying AS SELECT CAST('{state}' AS TEXT) AS state")).await?;
    Ok(target)
}

/// Sums up which state of which source is copied. Every write to a stream raises the stream's revision.
async fn state(source: &Session, share: Share) -> Result<Digest, Failure> {
    let mut hash = Sha256::new();
    hash.update(format!("{share:?} {}", crate::sqlite::VERSION));
    for table in TABLES.iter().filter(|table| ["connection", "scope", "scope_field"].contains(&table.name)) {
        hash.update(sum(source, table).await?.1.0);
    }
    Ok(Digest(hash.finalize().into()))
}

/// Counts the rows of a table and sums them up.
async fn sum(session: &Session, table: &'static Table) -> Result<(u64, Digest), Failure> {
    let (mut count, mut hash) = (0, Sha256::new());
    let mut rows = Rows::plain(session, table);
    while let Some(page) = rows.next().await? {
        for row in &page {
            count += 1;
            row.iter().for_each(|cell| rows::put(&mut hash, cell));
        }
    }
    Ok((count, Digest(hash.finalize().into())))
}

/// Asserts that both sides have the same rows.
async fn compare(
    source: &Session,
    target: &Session,
    share: Share,
    watch: &mut dyn Watch,
) -> Result<(), Failure> {
    watch.stage("comparing", tables(share).count() as u64);
    for table in tables(share) {
        let (there, here) = (sum(source, table).await?, sum(target, table).await?);
        if there != here {
            let message = format!(
                "the copy has {} rows of \"{}\" that are not the {} of the source; start again, and if that does not help, \
                 run: stepwell store check",
                here.0, table.name, there.0
            );
            return Err(Failure::Store(message));
        }
        watch.advance(1);
    }
    Ok(())
}
