//! Writes the values that filters compare.

use crate::error::Failure;
use crate::ordered;
use crate::prepare::{PreparedField, nul};
use crate::shape::FieldKind;
use rusqlite::{Transaction, params};

/// The step of the schema that brings the table.
pub(super) const STEP: &str = include_str!("filter.sql");

/// The values of a batch's records.
#[derive(Default)]
pub(super) struct Rows<'a>(Vec<(&'a str, &'a [u8], i64)>);

impl<'a> Rows<'a> {
    /// Takes the values of a record's fields.
    pub(super) fn push(&mut self, record: i64, fields: &'a [PreparedField]) {
        for field in fields {
            self.0.extend(field.values.iter().map(|value| (field.top.as_str(), value.as_slice(), record)));
        }
    }

    /// Adds them all, in the order of the table: neighbours are put on the same page one after the other.
    pub(super) fn insert(mut self, transaction: &Transaction<'_>, scope: i64) -> Result<(), Failure> {
        self.0.sort_unstable();
        for (top, value, record) in self.0 {
            insert(transaction, scope, record, top, value)?;
        }
        Ok(())
    }
}

fn insert(
    transaction: &Transaction<'_>,
    scope: i64,
    record: i64,
    top: &str,
    value: &[u8],
) -> Result<(), Failure> {
    transaction
        .prepare_cached("INSERT INTO filter_value (scope, top, value, rec) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![scope, top, value, record])?;
    Ok(())
}

/// Takes the values of a record away.
pub(super) fn remove(transaction: &Transaction<'_>, record: i64) -> Result<(), Failure> {
    transaction.prepare_cached("DELETE FROM filter_value WHERE rec = ?1")?.execute([record])?;
    Ok(())
}

/// Adds the values of all records of a store that had none.
pub(super) fn fill(transaction: &Transaction<'_>) -> Result<(), Failure> {
    let mut select = transaction.prepare(
        "SELECT r.scope, r.id, f.top, f.kind, f.inline, f.nul_as FROM field f JOIN record r ON r.id = f.rec
         WHERE f.nested = 0 AND f.inline IS NOT NULL AND length(CAST(f.top AS BLOB)) <= ?1",
    )?;
    let mut rows = select.query([ordered::NAME_MAX as i64])?;
    while let Some(row) = rows.next()? {
        let (scope, record): (i64, i64) = (row.get(0)?, row.get(1)?);
        let (top, kind, inline): (String, i64, String) = (row.get(2)?, row.get(3)?, row.get(4)?);
        let nul_as = row.get::<_, Option<u32>>(5)?.and_then(char::from_u32);
        let Some(kind) = FieldKind::from_code(kind) else { continue };
        for value in ordered::values(kind, &nul::restore(inline, nul_as)) {
            insert(transaction, scope, record, &top, &value)?;
        }
    }
    Ok(())
}
