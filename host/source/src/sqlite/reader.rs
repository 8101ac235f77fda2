//! A connection that only reads, and that stops when nobody waits for its answer any more, or when it took too long.

use crate::embedded::row::{Cell, Param, Row};
use crate::embedded::statement::Statement;
use crate::error::Failure;
use crate::sqlite::BUSY;
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long one statement may run. Reads are bounded, so only a question that is far too broad comes near it.
pub(super) const READ_MAX: Duration = Duration::from_secs(10);

/// How long a statement may run where it must not wait. Those that find rows by their keys take a hundredth of it.
const AT_ONCE_MAX: Duration = Duration::from_millis(5);

/// After how many steps of a statement it is asked whether to go on: often enough to stop within a moment, seldom enough
/// to cost nothing.
const STEPS: i32 = 2_000;

/// Changes with every commit of any other connection, in whichever process.
const VERSION: &str = "PRAGMA data_version";

/// A connection for reading.
pub(super) struct Reader {
    connection: Connection,
    call: Arc<Mutex<Call>>,
    remembered: RefCell<Remembered>,
}

/// What some statement gave lately, good for as long as nobody writes to the store.
#[derive(Default)]
struct Remembered {
    /// The version of the store, or an earlier one.
    version: i64,
    given: Vec<(Statement, Vec<Param>, Vec<Row>)>,
}

impl Remembered {
    /// How much is remembered: a few clients ask again and again.
    const MOST: usize = 16;

    fn get(&self, version: i64, statement: Statement, params: &[Param]) -> Option<Vec<Row>> {
        if self.version != version {
            return None;
        }
        let mut given = self.given.iter();
        let (.., rows) = given.find(|(asked, with, _)| *asked == statement && with == params)?;
        Some(rows.clone())
    }

    /// Takes in rows that were read at this version or later.
    fn add(&mut self, version: i64, statement: Statement, params: &[Param], rows: &[Row]) {
        if self.version != version || self.given.len() >= Self::MOST {
            self.given.clear();
        }
        self.version = version;
        self.given.push((statement, params.to_vec(), rows.to_vec()));
    }
}

/// What the statement in flight is for.
struct Call {
    /// Whether nobody waits for it any more.
    left: Arc<AtomicBool>,
    until: Instant,
}

/// Whoever waits for an answer. When this goes, the statement stops.
pub(super) struct Waiting(Arc<AtomicBool>);

impl Waiting {
    /// Starts to wait.
    pub(super) fn new() -> Self {
        Self(Arc::default())
    }

    /// What the statement looks at.
    pub(super) fn left(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Reader {
    /// Opens a file for reading alone.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY)?;
        connection.set_prepared_statement_cache_capacity(Statement::ALL.len());
        connection.execute_batch("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF;")?;
        // A plan is made once, and not again for every number that a LIMIT or a range is bound to.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let call = Arc::new(Mutex::new(Call { left: Arc::default(), until: Instant::now() }));
        let current = call.clone();
        let stop = move || {
            let call = current.lock().unwrap_or_else(PoisonError::into_inner);
            call.left.load(Ordering::Relaxed) || Instant::now() > call.until
        };
        connection.progress_handler(STEPS, Some(stop))?;
        Ok(Self { connection, call, remembered: RefCell::default() })
    }

    #[cfg(test)]
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    #[cfg(test)]
    pub(super) fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Runs a statement for someone who waits.
    pub(super) fn select(
        &self,
        statement: Statement,
        params: &[Param],
        left: Arc<AtomicBool>,
    ) -> Result<Vec<Row>, Failure> {
        self.run(statement.name(), statement.sql(), params, left, READ_MAX)
    }

    /// Runs a statement where it must not wait. None if it would have to: for a lock of another process, or because there
    /// is more to do than was thought.
    pub(super) fn select_at_once(
        &self,
        statement: Statement,
        params: &[Param],
    ) -> Result<Option<Vec<Row>>, Failure> {
        self.connection.busy_timeout(Duration::ZERO)?;
        let outcome = match statement {
            // Every request begins with it, and most of a client's with the same token.
            Statement::Authenticate => self.select_remembered(statement, params),
            _ => self.run(statement.name(), statement.sql(), params, Arc::default(), AT_ONCE_MAX),
        };
        self.connection.busy_timeout(BUSY)?;
        match outcome {
            Ok(rows) => Ok(Some(rows)),
            Err(Failure::TooLong) => Ok(None),
            Err(Failure::Sqlite(error)) if is_locked(&error) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Runs a statement, unless it was run before and nobody wrote to the store since. The store is asked whether that is so,
    /// so the answer is what the statement would give.
    fn select_remembered(&self, statement: Statement, params: &[Param]) -> Result<Vec<Row>, Failure> {
        let run = |name, sql, params| self.run(name, sql, params, Arc::default(), AT_ONCE_MAX);
        let version = run("Version", VERSION, &[])?.pop().ok_or(Failure::Gone)?.int()?;
        if let Some(rows) = self.remembered.borrow().get(version, statement, params) {
            return Ok(rows);
        }
        let rows = run(statement.name(), statement.sql(), params)?;
        self.remembered.borrow_mut().add(version, statement, params, &rows);
        Ok(rows)
    }

    /// Runs the text of a statement, for so long at most.
    pub(super) fn run(
        &self,
        name: &'static str,
        sql: &str,
        params: &[Param],
        left: Arc<AtomicBool>,
        longest: Duration,
    ) -> Result<Vec<Row>, Failure> {
        *self.call.lock().unwrap_or_else(PoisonError::into_inner) =
            Call { left, until: Instant::now() + longest };
        select(&self.connection, name, sql, params)
    }
}

/// Runs a statement and takes all of its rows.
pub(crate) fn select(
    connection: &Connection,
    name: &'static str,
    sql: &str,
    params: &[Param],
) -> Result<Vec<Row>, Failure> {
    let mut prepared = connection.prepare_cached(sql)?;
    let columns = prepared.column_count();
    let mut rows = prepared.query(rusqlite::params_from_iter(params))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(stopped)? {
        let value = |column| cell(row.get_ref(column)?).ok_or(Failure::Row { statement: name, column });
        found.push(Row::new(name, (0..columns).map(value).collect::<Result<_, Failure>>()?));
    }
    Ok(found)
}

/// An interrupted statement is one that took too long: whoever left does not see what became of it.
fn stopped(error: rusqlite::Error) -> Failure {
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => Failure::TooLong,
        _ => error.into(),
    }
}

/// Whether somebody else has to be waited for.
pub(super) fn is_locked(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn cell(value: ValueRef<'_>) -> Option<Cell> {
    Some(match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(value) => Cell::Int(value),
        ValueRef::Text(bytes) => Cell::Text(simdutf8::basic::from_utf8(bytes).ok()?.to_owned()),
        ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_vec()),
        ValueRef::Real(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A statement that would never end.
    const ENDLESS: &str =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0";

    fn reader() -> (Reader, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
        (Reader::open(&path).unwrap(), dir)
    }

    #[test]
    fn a_statement_stops_when_whoever_waits_for_it_leaves() {
        let (reader, _dir) = reader();
        let waiting = Waiting::new();
        let left = waiting.left();
        let running = std::thread::spawn(move || {
            let outcome = reader.run("test", ENDLESS, &[], left, Duration::from_secs(3_600));
            (outcome, reader)
        });
        assert!(!running.is_finished());
        drop(waiting);
        // Without the stop this would wait for an hour.
        let (outcome, reader) = running.join().unwrap();
        assert!(matches!(outcome, Err(Failure::TooLong)), "{outcome:?}");
        let waiting = Waiting::new();
        let next = reader.run("test", "SELECT 7", &[], waiting.left(), READ_MAX).unwrap();
        assert_eq!(next.len(), 1, "the reader serves the next one");
    }

    #[test]
    fn what_must_not_wait_gives_up_at_a_lock_and_waits_again_afterwards() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        let other = crate::sqlite::connect(&path, crate::sqlite::Missing::Create).unwrap();
        // With the log that a store has, readers are locked out only for moments; without it, as long as somebody writes.
        other.pragma_update(None, "journal_mode", "DELETE").unwrap();
        let reader = Reader::open(&path).unwrap();
        let read = || reader.select_at_once(Statement::SealingKeys, &[]);
        assert!(read().unwrap().is_some());
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        assert!(read().unwrap().is_none(), "it would have to wait");
        let timeout: i64 =
            reader.connection().query_row("PRAGMA busy_timeout", [], |row| row.get(0)).unwrap();
        assert_eq!(timeout as u128, BUSY.as_millis());
        other.execute_batch("ROLLBACK").unwrap();
        assert!(read().unwrap().is_some());
    }

    #[test]
    fn what_is_remembered_is_what_the_store_says_at_that_moment() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        let other = crate::sqlite::connect(&path, crate::sqlite::Missing::Create).unwrap();
        let mut reader = Reader::open(&path).unwrap();
        // Each statement has a time of its own: what the one before was given is over.
        let call = reader.call.clone();
        let stop = move || Instant::now() > call.lock().unwrap().until;
        reader.connection.progress_handler(1, Some(stop)).unwrap();
        reader.call.lock().unwrap().until = Instant::now() - Duration::from_secs(1);
        let kinds = |token: u8| {
            let rows = reader.select_at_once(Statement::Authenticate, &[Param::Bytes(vec![token; 32])]);
            rows.unwrap().unwrap().into_iter().map(|mut row| row.int().unwrap()).collect::<Vec<_>>()
        };
        let write = |sql: &str| other.execute_batch(sql).unwrap();
        let add = |token: u8, kind: i64| {
            let digest = format!("{token:02x}").repeat(32);
            write(&format!("INSERT INTO token (sha256, kind, created_at) VALUES (x'{digest}', {kind}, 0)"));
        };
        assert_eq!(kinds(1), [0; 0]);
        add(1, 1);
        assert_eq!((kinds(1), kinds(1)), (vec![1], vec![1]));
        assert_eq!(kinds(2), [0; 0], "another token is another question");
        write("UPDATE token SET kind = 2");
        assert_eq!(kinds(1), [2]);
        write("BEGIN; UPDATE token SET kind = 0");
        assert_eq!(kinds(1), [2], "not yet");
        write("COMMIT");
        assert_eq!(kinds(1), [0]);
        write("DELETE FROM token");
        assert_eq!(kinds(1), [0; 0]);
        (3..=100).for_each(|token| add(token, 1));
        for token in (3..=100).chain(3..=100) {
            assert_eq!(kinds(token), [1]);
        }
        assert!(reader.remembered.borrow().given.len() <= Remembered::MOST);
    }

    #[test]
    fn a_statement_that_takes_too_long_is_ended() {
        let (reader, _dir) = reader();
        let waiting = Waiting::new();
        let outcome = reader.run("test", ENDLESS, &[], waiting.left(), Duration::from_millis(50));
        assert!(matches!(outcome, Err(Failure::TooLong)), "{outcome:?}");
    }
}
