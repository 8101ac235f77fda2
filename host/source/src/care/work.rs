//! The place beside a store where another one is made, which takes its place when it is whole.
//!
//! A file grows under another name, a database in another schema. Whoever reads the store sees the old one or the new one,
//! never a part, and a copy that was interrupted is found again.

use crate::bind;
use crate::care::session::Session;
use crate::error::Failure;
use crate::postgres;
use crate::sqlite::{self, Missing};
use crate::url::SourceUrl;
use deadpool_postgres::Object;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// The schema in which a database's new tables are made.
const PARTIAL: &str = "stepwell_partial";

/// A number that those who make a new store in one database agree on.
const LOCK: i64 = 0x5374_6570_636f_7079;

/// Whether a store that holds something may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// No.
    Keep,
    /// Yes, once the new one is whole.
    Replace,
}

/// A store in the making. While it lives, no second one is made in the same place.
pub(crate) enum Work {
    File { path: PathBuf, lock: FileLock, replaces: bool },
    Database { url: String, lock: Box<Object>, replaces: bool },
}

impl Work {
    /// Takes the place, if nothing of value is there and nobody else is at work.
    pub(crate) async fn begin(to: &SourceUrl, existing: Existing) -> Result<Self, Failure> {
        let work = match to {
            SourceUrl::Sqlite(path) => {
                let replaces = path.exists();
                if replaces {
                    // What is no store is not replaced, whoever asks.
                    drop(sqlite::look(path)?);
                }
                Self::File { path: path.clone(), lock: FileLock::take(path, to)?, replaces }
            }
            SourceUrl::Postgres(url) => {
                let lock = Box::new(lock_database(url, to).await?);
                let there = lock.query_one("SELECT to_regnamespace($1) IS NOT NULL", &[&postgres::SCHEMA]);
                let replaces = there.await?.get(0);
                Self::Database { url: url.clone(), lock, replaces }
            }
        };
        let (Self::File { replaces, .. } | Self::Database { replaces, .. }) = &work;
        if *replaces && existing == Existing::Keep && !holds_nothing(&Session::open(to).await?).await? {
            let message =
                format!("{to} holds a store already; choose another place, or pass --force to replace it");
            return Err(Failure::Store(message));
        }
        Ok(work)
    }

    /// The file in which the store is made, if it is one.
    pub(crate) fn partial_file(&self) -> Option<PathBuf> {
        match self {
            Self::File { path, .. } => Some(beside(path, ".partial")),
            Self::Database { .. } => None,
        }
    }

    /// Opens the store in the making, as far as it is.
    pub(crate) async fn session(&self) -> Result<Session, Failure> {
        match self {
            Self::File { path, .. } => {
                let partial = beside(path, ".partial");
                make_private(&partial)?;
                Session::file(&partial, Missing::Create).await
            }
            Self::Database { url, .. } => {
                Ok(Session::Postgres(Box::new(postgres::connect(url, PARTIAL).await?)))
            }
        }
    }

    /// Forgets what was made so far.
    pub(crate) async fn clear(&self) -> Result<(), Failure> {
        match self {
            Self::File { path, .. } => {
                let ends = [".partial", ".partial-wal", ".partial-shm", ".partial-journal"];
                ends.iter().try_for_each(|end| remove(&beside(path, end)))
            }
            Self::Database { lock, .. } => {
                Ok(lock.batch_execute(&format!("DROP SCHEMA IF EXISTS {PARTIAL} CASCADE")).await?)
            }
        }
    }

    /// Puts the store in its place. All sessions with it must be closed.
    pub(crate) async fn finish(self) -> Result<(), Failure> {
        match self {
            Self::File { path, lock, replaces } => {
                rename(&path, replaces)?;
                drop(lock);
                Ok(())
            }
            Self::Database { lock, replaces, .. } => {
                let old = postgres::SCHEMA;
                let drop = if replaces { format!("DROP SCHEMA {old} CASCADE; ") } else { String::new() };
                Ok(lock
                    .batch_execute(&format!("BEGIN; {drop}ALTER SCHEMA {PARTIAL} RENAME TO {old}; COMMIT"))
                    .await?)
            }
        }
    }
}

fn rename(path: &Path, replaces: bool) -> Result<(), Failure> {
    if replaces {
        // A log that is left beside the old file would be taken for the new one's. SQLite removes it only if nobody else
        // has the file open.
        let old = rusqlite::Connection::open(path)?;
        let mode = old.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0));
        if !mode.is_ok_and(|mode| mode == "delete") {
            let place = path.display();
            return Err(Failure::Store(format!(
                "{place} is in use; stop the programs that have it open, then try again"
            )));
        }
    }
    if replaces {
        // So would entries that wait for the old file's ledger, which goes with it.
        sqlite::pending::discard(path)?;
    }
    if let Some(old) = std::fs::metadata(path).ok().filter(|_| replaces) {
        // Whoever could open the old one can open the new one.
        let _ = std::fs::set_permissions(beside(path, ".partial"), old.permissions());
    }
    let cannot = |error| Failure::Store(format!("cannot put {} in its place: {error}", path.display()));
    std::fs::rename(beside(path, ".partial"), path).map_err(cannot)?;
    // The new name is durable when its folder is. Where a folder cannot be told so, the system sees to it.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// A file that says that someone is at work. Its lock goes with the process, however that ends.
pub(crate) struct FileLock {
    path: PathBuf,
    _file: File,
}

impl FileLock {
    fn take(path: &Path, to: &SourceUrl) -> Result<Self, Failure> {
        let path = beside(path, ".lock");
        let cannot =
            |error: std::io::Error| Failure::Store(format!("cannot write {}: {error}", path.display()));
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { path, _file: file }),
            Err(TryLockError::WouldBlock) => Err(busy(to)),
            Err(TryLockError::Error(error)) => Err(cannot(error)),
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // A file that is left over locks nobody out.
        let _ = remove(&self.path);
    }
}

async fn lock_database(url: &str, to: &SourceUrl) -> Result<Object, Failure> {
    let client = postgres::connect_bare(url).await?;
    let free: bool = client.query_one("SELECT pg_try_advisory_lock($1)", &[&LOCK]).await?.get(0);
    if free { Ok(client) } else { Err(busy(to)) }
}

fn busy(to: &SourceUrl) -> Failure {
    Failure::Store(format!("someone else is making a store at {to} at this moment; wait until that is done"))
}

/// A store that was made and never used may be replaced without asking.
async fn holds_nothing(session: &Session) -> Result<bool, Failure> {
    let sql =
        "SELECT CAST(1 AS BIGINT) WHERE EXISTS (SELECT 1 FROM connection) OR EXISTS (SELECT 1 FROM grants)
        OR EXISTS (SELECT 1 FROM token) OR EXISTS (SELECT 1 FROM disclosure)";
    Ok(session.rows("something", sql, bind![]).await?.is_empty())
}

/// Makes a file that only its owner can read, unless it is there: what will be in it is personal.
pub(crate) fn make_private(path: &Path) -> Result<(), Failure> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let made = options.open(path).map(|_| ());
    made.map_err(|error| Failure::Store(format!("cannot write {}: {error}", path.display())))
}

/// A path with something appended to its last part.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn remove(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::Store(format!("cannot remove {}: {error}", path.display())))
        }
        _ => Ok(()),
    }
}
