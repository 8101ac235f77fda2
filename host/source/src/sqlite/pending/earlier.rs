//! What an earlier version left beside the store: a database of SQLite, with one table.

use super::{INSERT, now};
use crate::error::Failure;
use crate::sqlite::journal::{Journal, Locked};
use crate::sqlite::reader::is_locked;
use crate::sqlite::writer::begin;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::time::Duration;

/// A row without a tool is a number that was given, and nothing else.
const SELECT: &str =
    "SELECT id, at, grant_id, client, tool, connection, stream, rid, field, span_unit, span_start, span_end,
    bytes, tier FROM disclosure WHERE tool <> '' ORDER BY id";

/// Puts its entries into the ledger, and makes a journal of it. Numbers of the journal are above its own: both are moments.
pub(super) fn fold(journal: &Journal, store: &mut Connection, patience: Duration) -> Result<(), Failure> {
    let transaction = begin(store)?;
    let locked = journal.lock(patience)?;
    // Someone else may have been faster.
    if !locked.is_earlier()? {
        return Ok(());
    }
    let old = open(journal)?;
    {
        let (mut select, mut insert) = (old.prepare(SELECT)?, transaction.prepare(INSERT)?);
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let values: Vec<Value> = (0..14).map(|column| row.get(column)).collect::<Result<_, _>>()?;
            insert.execute(params_from_iter(values))?;
        }
    }
    transaction.commit()?;
    old.close().map_err(|(_, error)| error)?;
    locked.make(now())
}

/// Forgets them, for a store that is to go, and makes a journal of it.
pub(super) fn discard(journal: &Journal, locked: &Locked<'_>) -> Result<(), Failure> {
    open(journal)?.close().map_err(|(_, error)| error)?;
    locked.make(now())
}

/// Opens it and takes its log away, which no other program may have open for that: what one of an earlier version still wrote
/// there would be lost.
fn open(journal: &Journal) -> Result<Connection, Failure> {
    let foreign = |error| {
        journal.fails(&format!("is a database without entries of the ledger ({error}); move it away"))
    };
    let old = Connection::open(journal.path())?;
    old.busy_timeout(Duration::ZERO)?;
    old.prepare(SELECT).map_err(foreign)?;
    let mode = old.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0));
    match mode {
        Ok(mode) if mode == "delete" => Ok(old),
        Err(error) if !is_locked(&error) => Err(foreign(error)),
        _ => Err(Failure::Locked(journal.path().to_owned())),
    }
}
