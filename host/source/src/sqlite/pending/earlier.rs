//! What an earlier version left beside the store: a database of SQLite, with one table.

use super::{INSERT, now};
use crate::error::Failure;
use crate::sqlite::BUSY;
use crate::sqlite::journal::Journal;
use crate::sqlite::writer::begin;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

/// A row without a tool is a number that was given, and nothing else.
const SELECT: &str =
    "SELECT id, at, grant_id, client, tool, connection, stream, rid, field, span_unit, span_start, span_end,
    bytes, tier FROM disclosure WHERE tool <> '' ORDER BY id";

/// Puts its entries into the ledger, and makes a journal of it. Numbers of the journal are above its own: both are moments.
pub(super) fn fold(journal: &Journal, store: &mut Connection) -> Result<(), Failure> {
    let transaction = begin(store)?;
    let locked = journal.lock(BUSY)?;
    // Someone else may have been faster.
    if !locked.is_earlier()? {
        return Ok(());
    }
    let old = Connection::open(journal.path())?;
    {
        let foreign = |error| {
            journal.fails(&format!("is a database without entries of the ledger ({error}); move it away"))
        };
        let (mut select, mut insert) = (old.prepare(SELECT).map_err(foreign)?, transaction.prepare(INSERT)?);
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let values: Vec<Value> = (0..14).map(|column| row.get(column)).collect::<Result<_, _>>()?;
            insert.execute(params_from_iter(values))?;
        }
    }
    transaction.commit()?;
    // That takes its log away.
    old.close().map_err(|(_, error)| error)?;
    locked.make(now())
}
