//! The embedded store on SQLite: one file, no set-up.

mod ledger;
mod migrate;
mod store;
mod writer;

use crate::embedded::Embedded;
use crate::embedded::engine::{Batch, Engine, StoredBatch};
use crate::embedded::row::{Cell, Param, Row};
use crate::embedded::statement::Statement;
use crate::error::Failure;
use crate::ledger::NewEntries;
use async_trait::async_trait;
use deadpool::unmanaged::Pool;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;
use writer::Writer;

/// How long a statement waits for another process's write.
const BUSY: Duration = Duration::from_secs(10);

/// How many reads run at a time. A read is short and bounded, so a few suffice.
const READERS: usize = 4;

/// Whether a store may be made where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Make it.
    Create,
    /// Refuse: a reader that misspells a path should not leave an empty store behind.
    Refuse,
}

/// Opens a store in a file.
pub async fn open(path: &Path, missing: Missing) -> Result<Embedded, Failure> {
    let path = path.to_owned();
    let engine = tokio::task::spawn_blocking(move || Sqlite::open(path, missing))
        .await
        .map_err(|_| Failure::Gone)??;
    Ok(Embedded::new(Box::new(engine)))
}

struct Sqlite {
    path: PathBuf,
    readers: Pool<Connection>,
    writer: Writer,
}

impl std::fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sqlite").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Sqlite {
    fn open(path: PathBuf, missing: Missing) -> Result<Self, Failure> {
        // SQLite takes these for a store in memory, which every connection would have for itself.
        if path.as_os_str().is_empty() || path.as_os_str() == ":memory:" {
            return Err(Failure::Store(format!("\"{}\" names no file to keep a store in", path.display())));
        }
        if missing == Missing::Refuse && !path.exists() {
            let message = format!("there is no store at {}; make one with: stepwell ingest", path.display());
            return Err(Failure::Store(message));
        }
        let mut connection = Connection::open_with_flags(
            &path,
            OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        connection.busy_timeout(BUSY)?;
        migrate::migrate(&mut connection, &path)?;
        connection.execute_batch(
            // FULL: what was acknowledged survives a power cut, not only a crash of the process.
            "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
             PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 67108864;",
        )?;
        let readers = (0..READERS).map(|_| reader(&path)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { readers: Pool::from(readers), writer: Writer::start(connection)?, path })
    }
}

fn reader(path: &Path) -> Result<Connection, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(Statement::ALL.len());
    connection.execute_batch("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF;")?;
    Ok(connection)
}

#[async_trait]
impl Engine for Sqlite {
    async fn read(&self, statement: Statement, params: Vec<Param>) -> Result<Vec<Row>, Failure> {
        let reader = self.readers.get().await.map_err(|_| Failure::Gone)?;
        tokio::task::spawn_blocking(move || select(&reader, statement, &params))
            .await
            .map_err(|_| Failure::Gone)?
    }

    async fn write(&self, statements: Vec<(Statement, Vec<Param>)>) -> Result<Vec<u64>, Failure> {
        self.writer
            .run(move |transaction| {
                let mut changed = Vec::with_capacity(statements.len());
                for (statement, params) in &statements {
                    let mut prepared = transaction.prepare_cached(statement.sql())?;
                    changed.push(prepared.execute(rusqlite::params_from_iter(params))? as u64);
                }
                Ok(changed)
            })
            .await
    }

    async fn append(&self, entries: NewEntries) -> Result<(), Failure> {
        self.writer.append(entries).await
    }

    fn any_word(&self, words: &[String]) -> String {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        quoted.join(" OR ")
    }

    fn all_words(&self, words: &[String]) -> String {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        quoted.join(" AND ")
    }

    async fn store(&self, batch: Batch) -> Result<StoredBatch, Failure> {
        self.writer.run(move |transaction| store::store(transaction, &batch)).await
    }
}

fn select(connection: &Connection, statement: Statement, params: &[Param]) -> Result<Vec<Row>, Failure> {
    let mut prepared = connection.prepare_cached(statement.sql())?;
    let columns = prepared.column_count();
    let mut rows = prepared.query(rusqlite::params_from_iter(params))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let cells = (0..columns).map(|column| cell(statement, column, row.get_ref(column)?));
        found.push(Row::new(statement, cells.collect::<Result<_, Failure>>()?));
    }
    Ok(found)
}

fn cell(statement: Statement, column: usize, value: ValueRef<'_>) -> Result<Cell, Failure> {
    let unexpected = || Failure::Row { statement: statement.name(), column };
    Ok(match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(value) => Cell::Int(value),
        ValueRef::Text(bytes) => Cell::Text(std::str::from_utf8(bytes).map_err(|_| unexpected())?.to_owned()),
        ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_vec()),
        ValueRef::Real(_) => return Err(unexpected()),
    })
}

impl ToSql for Param {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Int(value) => value.to_sql(),
            Self::Text(value) => value.to_sql(),
            Self::Bytes(value) => value.to_sql(),
        }
    }
}

#[cfg(test)]
mod tests;
