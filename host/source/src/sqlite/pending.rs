//! Entries of the ledger on their way into it.
//!
//! An answer waits until its entry is durable. Written to the store itself, every entry would make all readers forget the pages
//! that they hold, and would have to wait for whoever writes there. So entries are made durable in a small file beside the
//! store, and go into the ledger together: after a moment, before anybody looks at the ledger, and when the store is opened.
//!
//! An entry has its number from this file for good. It is taken out only after the ledger has it, and goes in once, however
//! often that breaks off in between. Of the last entry its number stays, so that no number comes again.
//!
//! The file stays, with that number alone in it: SQLite keeps a log beside it, by its name, and to take a file away that another
//! program has open parts the two.

use crate::embedded::ledger::columns;
use crate::embedded::statement::Statement;
use crate::error::Failure;
use crate::ledger::{NewEntries, NewEntry};
use crate::sqlite::writer::{begin, end_transaction};
use crate::sqlite::{BUSY, migrate};
use rusqlite::{Connection, OpenFlags, Transaction, params};
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What the file's name adds to the store's.
const SUFFIX: &str = "-pending";

/// How many entries go into the ledger in one transaction.
const CHUNK: i64 = 2_000;

/// A row without a tool is a number that was given, and nothing else.
const SCHEMA: &str = "CREATE TABLE disclosure (
    id INTEGER PRIMARY KEY, at INTEGER NOT NULL, grant_id TEXT NOT NULL, client TEXT NOT NULL, tool TEXT NOT NULL,
    connection TEXT, stream TEXT, rid TEXT, field TEXT, span_unit INTEGER, span_start INTEGER, span_end INTEGER,
    bytes INTEGER NOT NULL, tier TEXT)";
const HAS_TABLE: &str = "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'disclosure'";
/// The last entry of the next that go into the ledger.
const NEXT: &str =
    "SELECT MAX(id) FROM (SELECT id FROM pending.disclosure WHERE tool <> '' ORDER BY id LIMIT ?1)";
const MOVE: &str = "INSERT INTO main.disclosure
      (id, at, grant_id, client, tool, connection, stream, rid, field, span_unit, span_start, span_end, bytes, tier)
    SELECT id, at, grant_id, client, tool, connection, stream, rid, field, span_unit, span_start, span_end, bytes, tier
    FROM pending.disclosure WHERE id <= ?1 AND tool <> '' ORDER BY id ON CONFLICT (id) DO NOTHING";

/// Leaves of an entry that the ledger has nothing but its number.
const EMPTY: &str =
    "UPDATE disclosure SET at = 0, grant_id = '', client = '', tool = '', connection = NULL, stream = NULL, rid = NULL,
       field = NULL, span_unit = NULL, span_start = NULL, span_end = NULL, bytes = 0, tier = NULL
     WHERE id = ?1";
/// Takes a number as given, if none above it was: entries come after it. Microseconds grow faster than entries, so with the
/// moment as such a number, none comes again where the file was lost or the store is another one.
const NUMBER: &str = "INSERT INTO disclosure (id, at, grant_id, client, tool, bytes)
    SELECT ?1, 0, '', '', '', 0 WHERE ?1 > (SELECT COALESCE(MAX(id), 0) FROM disclosure)";

/// The file beside a store.
pub(super) struct Pending(Connection);

impl Pending {
    /// Opens the file, and makes it where there is none. Its entries are numbered from above those of the ledger.
    pub(super) fn open(store: &Path, ledger_ends: i64) -> Result<Self, Failure> {
        let path = beside(store);
        make(&path, store).map_err(|error| {
            Failure::Store(format!("cannot write entries of the ledger to {}: {error}", path.display()))
        })?;
        let mut pending = Self::connect(&path)?;
        let connection = &mut pending.0;
        connection.pragma_update(None, "synchronous", "FULL")?;
        if !has_table(connection)? {
            migrate::keep_log(connection)?;
        }
        let transaction = begin(connection)?;
        // Someone else may have been faster.
        if !has_table(&transaction)? {
            transaction.execute_batch(SCHEMA)?;
            transaction.execute(NUMBER, [now()])?;
        }
        transaction.execute(NUMBER, [ledger_ends])?;
        transaction.commit()?;
        Ok(pending)
    }

    fn connect(path: &Path) -> Result<Self, Failure> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY)?;
        connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON")?;
        Ok(Self(connection))
    }

    /// Makes entries durable in one transaction, or none of them.
    pub(super) fn add<'a>(&self, group: impl Iterator<Item = &'a NewEntries>) -> Result<(), Failure> {
        let run = |sql| Ok(self.0.prepare_cached(sql)?.execute([])?);
        end_transaction(&self.0)?;
        // Spelled out, because these two are so often needed that they are kept prepared.
        run("BEGIN IMMEDIATE")?;
        let outcome = self.insert(group).and_then(|()| run("COMMIT"));
        if outcome.is_err() {
            end_transaction(&self.0)?;
        }
        outcome.map(|_| ())
    }

    /// The same for one answer, without waiting for anybody. Says no if that is not possible, and then nothing was added.
    pub(super) fn add_at_once(&self, entries: &NewEntries) -> bool {
        let at_once = self.0.busy_timeout(Duration::ZERO).is_ok();
        let added = at_once && self.add(std::iter::once(entries)).is_ok();
        // A connection that took the one takes the other.
        let _ = self.0.busy_timeout(BUSY);
        added
    }

    fn insert<'a>(&self, group: impl Iterator<Item = &'a NewEntries>) -> Result<(), Failure> {
        let mut insert = self.0.prepare_cached(Statement::AddDisclosure.sql())?;
        for NewEntries { at, tool, disclosed } in group {
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
        Ok(())
    }

    /// Puts all entries into the ledger.
    fn fold(&mut self, path: &Path, store: &mut Connection) -> Result<(), Failure> {
        end_transaction(store)?;
        // One that could not be detached the last time would be in the way.
        let _ = store.execute_batch("DETACH pending");
        store.execute("ATTACH ?1 AS pending", [address(&beside(path))])?;
        let outcome = self.fold_attached(store);
        let detached = store.execute_batch("DETACH pending");
        outcome.and(Ok(detached?))
    }

    fn fold_attached(&mut self, store: &Connection) -> Result<(), Failure> {
        loop {
            let next = store.query_row(NEXT, [CHUNK], |row| row.get::<_, Option<i64>>(0))?;
            let Some(last) = next else { return Ok(()) };
            // One statement, and so one transaction, of the store alone: nobody who adds entries waits for it.
            store.execute(MOVE, [last])?;
            forget(begin(&mut self.0)?, last)?;
        }
    }

    /// Leaves nothing of entries that went into the ledger: neither in the file, where they were overwritten, nor in its log.
    fn wipe(&self) -> Result<(), Failure> {
        Ok(self.0.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
    }

    #[cfg(test)]
    pub(super) fn connection(&self) -> &Connection {
        &self.0
    }
}

/// Puts what waits beside a store into its ledger.
pub(super) fn fold(path: &Path, store: &mut Connection) -> Result<(), Failure> {
    match there(path)? {
        Some(mut pending) => pending.fold(path, store),
        None => Ok(()),
    }
}

/// The same, and leaves nothing of it behind.
pub(crate) fn settle(path: &Path, store: &mut Connection) -> Result<(), Failure> {
    let Some(mut pending) = there(path)? else { return Ok(()) };
    pending.fold(path, store)?;
    pending.wipe()
}

/// Forgets all that waits beside a store that is to go.
pub(crate) fn discard(path: &Path) -> Result<(), Failure> {
    let Some(mut pending) = there(path)? else { return Ok(()) };
    let transaction = begin(&mut pending.0)?;
    transaction.execute(NUMBER, [now()])?;
    let last = transaction.query_row("SELECT MAX(id) FROM disclosure", [], |row| row.get(0))?;
    forget(transaction, last)?;
    pending.wipe()
}

/// Takes out entries up to the last one, whose number stays.
fn forget(transaction: Transaction<'_>, last: i64) -> Result<(), Failure> {
    transaction.execute("DELETE FROM disclosure WHERE id < ?1", [last])?;
    transaction.execute(EMPTY, [last])?;
    Ok(transaction.commit()?)
}

/// The file, if there is one with entries of the ledger in it.
fn there(store: &Path) -> Result<Option<Pending>, Failure> {
    let path = beside(store);
    if !std::fs::metadata(&path).is_ok_and(|file| file.len() > 0) {
        return Ok(None);
    }
    let pending = Pending::connect(&path)?;
    Ok(has_table(&pending.0)?.then_some(pending))
}

fn has_table(connection: &Connection) -> Result<bool, Failure> {
    Ok(connection.query_row(HAS_TABLE, [], |row| row.get::<_, i64>(0))? > 0)
}

/// The moment, in microseconds.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    i64::try_from(now).unwrap_or(i64::MAX)
}

/// Whoever may read the store may read this, and nobody else.
fn make(path: &Path, store: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => file.set_permissions(std::fs::metadata(store)?.permissions()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// The file as SQLite has it in a statement, where a name must be text and a path may be anything.
fn address(path: &Path) -> String {
    let mut address = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        // A string takes whatever is written.
        let _ = match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                address.write_char(char::from(*byte))
            }
            other => write!(address, "%{other:02X}"),
        };
    }
    address + "?mode=rw"
}

fn beside(store: &Path) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(SUFFIX);
    path.into()
}
