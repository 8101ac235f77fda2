//! Entries of the ledger on their way into it.
//!
//! An answer waits until its entry is durable. Written to the store itself, every entry would make all readers forget the pages
//! that they hold, and would have to wait for whoever writes there. So entries are made durable in a small file beside the
//! store, and go into the ledger together: after a moment, before anybody looks at the ledger, and when the store is opened.
//!
//! An entry has its number from this file for good. It is taken out only after the ledger has it, and goes in once, however
//! often that breaks off in between. Of the last entry its number stays, so that no number comes again.
//!
//! A program that ends takes the file away. Whoever has it open at that moment finds out before anything is written to it.

use crate::embedded::ledger::columns;
use crate::embedded::statement::Statement;
use crate::error::Failure;
use crate::ledger::{NewEntries, NewEntry};
use crate::sqlite::writer::{begin, end_transaction};
use crate::sqlite::{BUSY, migrate};
use rusqlite::{Connection, OpenFlags, params};
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What the file's name adds to the store's.
const SUFFIX: &str = "-pending";

/// How often the file is made anew that others take away.
pub(super) const ATTEMPTS: usize = 10;

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

/// The file beside a store.
pub(super) struct Pending {
    connection: Connection,
    path: PathBuf,
    /// Which file the path led to.
    file: Option<FileId>,
}

impl Pending {
    /// Opens the file, and makes it where there is none. Its entries are numbered from above those of the ledger.
    pub(super) fn open(store: &Path, ledger_ends: i64) -> Result<Self, Failure> {
        let path = beside(store);
        let mut attempts = 1..ATTEMPTS;
        let mut pending = loop {
            make(&path, store).map_err(|error| {
                Failure::Store(format!("cannot write entries of the ledger to {}: {error}", path.display()))
            })?;
            match Self::connect(path.clone()) {
                // A program that ended took it away at this moment.
                Err(_) if !path.exists() && attempts.next().is_some() => {}
                outcome => break outcome?,
            }
        };
        let connection = &mut pending.connection;
        connection.pragma_update(None, "synchronous", "FULL")?;
        if !has_table(connection)? {
            migrate::keep_log(connection)?;
            let transaction = begin(connection)?;
            // Someone else may have been faster.
            if !has_table(&transaction)? {
                transaction.execute_batch(SCHEMA)?;
                // Microseconds grow faster than entries, so a file that was lost is no reason for a number to come again.
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
                let given = i64::try_from(now).unwrap_or(i64::MAX).max(ledger_ends);
                transaction.execute(
                    "INSERT INTO disclosure (id, at, grant_id, client, tool, bytes) VALUES (?1, 0, '', '', '', 0)",
                    [given],
                )?;
            }
            transaction.commit()?;
        }
        Ok(pending)
    }

    fn connect(path: PathBuf) -> Result<Self, Failure> {
        let file = file_id(&path);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags)?;
        connection.busy_timeout(BUSY)?;
        connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON")?;
        Ok(Self { connection, path, file })
    }

    /// Makes entries durable in one transaction, or none of them. Says no if the file was taken away.
    pub(super) fn add<'a>(&self, group: impl Iterator<Item = &'a NewEntries>) -> Result<bool, Failure> {
        let run = |sql| Ok(self.connection.prepare_cached(sql)?.execute([])?);
        // Spelled out, because these two are so often needed that they are kept prepared.
        run("BEGIN IMMEDIATE")?;
        // Nobody takes it away from now on: whoever does that holds the same lock.
        if self.file != file_id(&self.path) {
            end_transaction(&self.connection)?;
            return Ok(false);
        }
        let outcome = self.insert(group).and_then(|()| run("COMMIT"));
        if outcome.is_err() {
            end_transaction(&self.connection)?;
        }
        outcome.map(|_| true)
    }

    /// The same for one answer, without waiting for anybody. Says no if that is not possible, and then nothing was added.
    pub(super) fn add_at_once(&self, entries: &NewEntries) -> bool {
        let at_once = self.connection.busy_timeout(Duration::ZERO).is_ok();
        let added = at_once && matches!(self.add(std::iter::once(entries)), Ok(true));
        // A connection that took the one takes the other.
        let _ = self.connection.busy_timeout(BUSY);
        added
    }

    fn insert<'a>(&self, group: impl Iterator<Item = &'a NewEntries>) -> Result<(), Failure> {
        let mut insert = self.connection.prepare_cached(Statement::AddDisclosure.sql())?;
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
            self.forget(last)?;
        }
    }

    /// Takes out entries that the ledger has.
    fn forget(&mut self, last: i64) -> Result<(), Failure> {
        let transaction = begin(&mut self.connection)?;
        transaction.execute("DELETE FROM disclosure WHERE id < ?1", [last])?;
        transaction.execute(
            "UPDATE disclosure SET at = 0, grant_id = '', client = '', tool = '', connection = NULL, stream = NULL, rid = NULL,
               field = NULL, span_unit = NULL, span_start = NULL, span_end = NULL, bytes = 0, tier = NULL
             WHERE id = ?1",
            [last],
        )?;
        transaction.commit()?;
        Ok(())
    }

    /// Leaves nothing of entries that went into the ledger: neither in the file, where they were overwritten, nor in its log.
    fn wipe(&self) -> Result<(), Failure> {
        Ok(self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
    }

    #[cfg(test)]
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
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

/// The same, and takes the file away, for a program that ends. If that does not work, somebody else sees to it.
pub(super) fn finish(path: &Path, store: &mut Connection) -> Result<(), Failure> {
    fold(path, store)?;
    take_away(path, |pending| {
        let left = "SELECT COUNT(*) FROM disclosure WHERE tool <> ''";
        Ok(pending.query_row(left, [], |row| row.get::<_, i64>(0))? == 0)
    })
}

/// Takes the file of a store away that is to go, with all that waits in it.
pub(crate) fn discard(path: &Path) -> Result<(), Failure> {
    take_away(path, |_| Ok(true))
}

fn take_away(
    store: &Path,
    is_meant: impl FnOnce(&Connection) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let Some(mut pending) = there(store)? else { return Ok(()) };
    let Pending { connection, path, file } = &mut pending;
    let transaction = begin(connection)?;
    if is_meant(&transaction)? && *file == file_id(path) {
        for end in ["", "-wal", "-shm"] {
            let mut path = path.as_os_str().to_owned();
            path.push(end);
            // What cannot be taken away is found, and found empty.
            let _ = std::fs::remove_file(path);
        }
    }
    Ok(transaction.rollback()?)
}

/// The file, if there is one with entries of the ledger in it.
fn there(store: &Path) -> Result<Option<Pending>, Failure> {
    let path = beside(store);
    if !std::fs::metadata(&path).is_ok_and(|file| file.len() > 0) {
        return Ok(None);
    }
    let pending = Pending::connect(path)?;
    Ok(has_table(&pending.connection)?.then_some(pending))
}

fn has_table(connection: &Connection) -> Result<bool, Failure> {
    Ok(connection.query_row(HAS_TABLE, [], |row| row.get::<_, i64>(0))? > 0)
}

/// What tells a file from another one that has its name later.
type FileId = (u64, u64);

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// Elsewhere a file that somebody has open cannot be taken away.
#[cfg(not(unix))]
fn file_id(_: &Path) -> Option<FileId> {
    None
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
