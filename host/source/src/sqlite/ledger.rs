//! Writes what is disclosed, for everyone who waits at that moment at once.

use crate::embedded::ledger::columns;
use crate::embedded::statement::Statement;
use crate::error::Failure;
use crate::ledger::{NewEntries, NewEntry};
use crate::sqlite::writer::begin;
use rusqlite::{Connection, params};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The entries of one answer, and who waits for them to be durable.
pub(super) struct Waiting {
    pub(super) entries: NewEntries,
    pub(super) done: oneshot::Sender<Result<(), Failure>>,
}

/// Makes the entries of a group durable in one transaction, and tells each of those who wait.
pub(super) fn append(connection: &mut Connection, group: Vec<Waiting>) {
    let outcome = write(connection, &group).map_err(Arc::new);
    for waiting in group {
        // A caller that went away was shown nothing; the entry errs on the safe side.
        let _ = waiting.done.send(outcome.clone().map_err(Failure::Shared));
    }
}

fn write(connection: &mut Connection, group: &[Waiting]) -> Result<(), Failure> {
    let transaction = begin(connection)?;
    {
        let mut insert = transaction.prepare_cached(Statement::AddDisclosure.sql())?;
        for NewEntries { at, tool, disclosed } in group.iter().map(|waiting| &waiting.entries) {
            for NewEntry { grant, client, what: one } in disclosed {
                let (unit, start, end) = columns(one.extent);
                insert.execute(params![
                    at,
                    grant,
                    client,
                    tool,
                    one.connection.as_ref().map(|id| id.as_str()),
                    one.stream.as_ref().map(|name| name.as_str()),
                    one.record.as_ref().map(|id| id.as_str()),
                    one.field,
                    unit,
                    start,
                    end,
                    i64::try_from(one.bytes.get()).unwrap_or(i64::MAX),
                    one.tier.as_deref(),
                ])?;
            }
        }
    }
    transaction.commit()?;
    Ok(())
}
