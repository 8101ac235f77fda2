//! The embedded store on SQLite: one file, no set-up.

mod filter;
mod journal;
mod ledger;
mod migrate;
mod nearby;
pub(crate) mod pending;
mod reader;
mod store;
mod writer;

use crate::embedded::Embedded;
use crate::embedded::engine::{Batch, Engine, StoredBatch};
use crate::embedded::row::{Param, Row};
use crate::embedded::statement::Statement;
use crate::error::Failure;
use crate::ledger::NewEntries;
use crate::source::StoreUse;
use crate::terms::Stem;
use async_trait::async_trait;
use deadpool::unmanaged::Pool;
use ledger::Ledger;
use nearby::Nearby;
pub(crate) use reader::select;
use reader::{Reader, Waiting};
use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;
use writer::Writer;

/// The schema that this program speaks.
pub(crate) const VERSION: i64 = migrate::STEPS.len() as i64;

/// How long a statement waits for another process's write.
const BUSY: Duration = Duration::from_secs(10);

/// How many reads run at a time. A read is short and bounded, so a few suffice.
const READERS: usize = 4;

/// How long a read waits for others to end. Each of them ends sooner, so there are far too many of them.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many statements a writer keeps prepared: all that storing a record can need.
const WRITER_STATEMENTS: usize = 64;

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
    readers: Pool<Reader>,
    /// For what takes but a moment.
    nearby: Nearby,
    /// Before the writer: it ends by giving that one a last thing to do.
    ledger: Ledger,
    writer: Writer,
    patience: Duration,
}

impl std::fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sqlite").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Sqlite {
    fn open(path: PathBuf, missing: Missing) -> Result<Self, Failure> {
        let connection = connect(&path, missing)?;
        let ledger_ends =
            connection.query_row("SELECT COALESCE(MAX(id), 0) FROM disclosure", [], |row| row.get(0))?;
        let readers = (0..READERS).map(|_| Reader::open(&path)).collect::<Result<Vec<_>, _>>()?;
        let (readers, nearby) = (Pool::from(readers), Nearby::open(&path)?);
        let writer = Writer::start(connection)?;
        let ledger = Ledger::start(path.clone(), ledger_ends, writer.jobs()?)?;
        Ok(Self { path, readers, nearby, ledger, writer, patience: PATIENCE })
    }
}

/// Opens a store's file as it is, for reading it, and says which schema it has, zero if it is empty;
/// refuses what is no store or too new.
pub(crate) fn look(path: &Path) -> Result<(Connection, i64), Failure> {
    if !path.exists() {
        return Err(Failure::Store(format!("there is no store at {}", path.display())));
    }
    // Not read-only: to read along with others, SQLite writes to the files beside it. It makes do without where it must.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    let version = migrate::usable_version(&connection, path)?;
    Ok((connection, version))
}

/// Opens the file to read and write it, and brings its schema up to date.
pub(crate) fn connect(path: &Path, missing: Missing) -> Result<Connection, Failure> {
    // SQLite takes these for a store in memory, which every connection would have for itself.
    if path.as_os_str().is_empty() || path.as_os_str() == ":memory:" {
        return Err(Failure::Store(format!("\"{}\" names no file to keep a store in", path.display())));
    }
    if missing == Missing::Refuse && !path.exists() {
        let message = format!("there is no store at {}; make one with: stepwell ingest", path.display());
        return Err(Failure::Store(message));
    }
    let mut connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY)?;
    migrate::migrate(&mut connection, path)?;
    connection.set_prepared_statement_cache_capacity(WRITER_STATEMENTS);
    connection.execute_batch(
        // FULL: what was acknowledged survives a power cut, not only a crash of the process.
        // The log is copied into the file when it has 32 MB: a batch touches the same pages of the indexes as the one before,
        // so they are copied once for several. The cache holds what one batch touches of a large store; with less, pages
        // are written in the middle of it and read again.
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
         PRAGMA cache_size = -64000; PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = 67108864;",
    )?;
    // What a program left behind that did not end well. Whoever writes here at this moment is not waited for: all who look at
    // the ledger see to it again.
    if let Err(error) = pending::settle_at_once(path, &mut connection) {
        tracing::warn!(reason = %error, "entries of the ledger wait beside the store");
    }
    Ok(connection)
}

#[async_trait]
impl Engine for Sqlite {
    async fn read(&self, statement: Statement, params: Vec<Param>) -> Result<Vec<Row>, Failure> {
        let reader = tokio::time::timeout(self.patience, self.readers.get()).await;
        let reader = reader
            .map_err(|_| Failure::Pool(format!("all {READERS} readers are busy")))?
            .map_err(|_| Failure::Gone)?;
        // It goes with this future: if nobody waits for the answer any more, the statement stops.
        let waiting = Waiting::new();
        let left = waiting.left();
        tokio::task::spawn_blocking(move || reader.select(statement, &params, left))
            .await
            .map_err(|_| Failure::Gone)?
    }

    async fn read_brief(&self, statement: Statement, params: Vec<Param>) -> Result<Vec<Row>, Failure> {
        if let Some(reader) = self.nearby.reader()
            && let Some(rows) = reader.select_at_once(statement, &params)?
        {
            return Ok(rows);
        }
        self.read(statement, params).await
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
        self.ledger.append(entries).await
    }

    async fn settle_ledger(&self) -> Result<(), Failure> {
        let path = self.path.clone();
        self.writer.with(move |connection| pending::settle(&path, connection)).await
    }

    fn any_word(&self, words: &[Stem]) -> String {
        spelled(words).join(" OR ")
    }

    fn all_words(&self, words: &[Stem]) -> String {
        spelled(words).join(" AND ")
    }

    fn usage(&self) -> StoreUse {
        // Nobody waits for a reader nearby, so those say nothing of how busy the store is.
        let status = self.readers.status();
        let busy = status.size.saturating_sub(status.available);
        StoreUse { connections: status.max_size, busy, waiting: status.waiting, ..StoreUse::default() }
    }

    async fn store(&self, batch: Batch) -> Result<StoredBatch, Failure> {
        self.writer.run(move |transaction| store::store(transaction, &batch)).await
    }
}

fn spelled(words: &[Stem]) -> Vec<String> {
    words.iter().map(|Stem { text, open }| format!("\"{text}\"{}", if *open { "*" } else { "" })).collect()
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
mod faults;
#[cfg(test)]
mod tests;
