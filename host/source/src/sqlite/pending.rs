//! Entries of the ledger on their way into it.
//!
//! An answer waits until its entry is durable. Written to the store itself, every entry would make all readers forget the pages
//! that they hold, and would have to wait for whoever writes there. So entries are made durable in a journal beside the store,
//! and go into the ledger together: after a moment, before anybody looks at the ledger, and when the store is opened.
//!
//! An entry has its number from the journal for good, and goes into the ledger once, however often that breaks off in between:
//! the journal starts over only after the ledger has all that is in it, durably.
//!
//! Whoever puts entries into the ledger reads them from the journal while nobody else can write to the store. So they cannot put
//! back what an owner erases: that happens after the journal was emptied, and either they see that it was, or the entries are
//! in the ledger before any is erased. The store comes first and the journal second, for all who take both; and nobody who
//! appends waits for a store in which others write.

mod earlier;
mod entry;

use crate::error::Failure;
use crate::ledger::{Durable, NewEntries};
use crate::sqlite::BUSY;
use crate::sqlite::journal::{Journal, Locked, Place, Records};
use crate::sqlite::reader::is_locked;
use crate::sqlite::writer::begin;
use entry::Columns;
use rusqlite::{Connection, Transaction};
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What the file's name adds to the store's.
const SUFFIX: &str = "-pending";

/// How many entries go into the ledger in one transaction, and how many bytes of them are read at a time.
const CHUNK: usize = 2_000;
const CHUNK_BYTES: usize = 8 * 1_024 * 1_024;

/// How many entries go into it while those who append wait: as long as a sync or two.
const FEW: usize = 256;

/// How long whoever opens the store waits for those who append.
const AT_ONCE: Duration = Duration::from_millis(100);

/// How often to come back for what was appended meanwhile, before those who append wait until all of it is in the ledger.
const ROUNDS: usize = 16;

const INSERT: &str = "INSERT INTO main.disclosure
      (id, at, grant_id, client, tool, connection, stream, rid, field, span_unit, span_start, span_end, bytes, tier)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) ON CONFLICT (id) DO NOTHING";

/// The journal beside a store, for one who appends to it.
pub(super) struct Pending {
    journal: Journal,
    /// Numbers are above this one.
    floor: i64,
    /// The end, as far as it is known.
    seen: Option<Place>,
    records: Records,
}

impl Pending {
    /// Opens the journal, and makes it where there is none. Its entries are numbered from above those of the ledger.
    pub(super) fn open(store: &Path, ledger_ends: i64) -> Result<Self, Failure> {
        let path = beside(store);
        make(&path, store).map_err(|error| {
            Failure::Store(format!("cannot write entries of the ledger to {}: {error}", path.display()))
        })?;
        let journal = Journal::open(&path)?;
        let locked = journal.lock(BUSY)?;
        if locked.is_blank()? {
            locked.make(now())?;
        }
        let end = locked.end(None)?;
        locked.tidy(&end)?;
        drop(locked);
        Ok(Self { journal, floor: ledger_ends, seen: Some(end), records: Records::default() })
    }

    /// Adds entries together, or none of them, and makes them durable if that was asked for any of them.
    pub(super) fn add<'a>(
        &mut self,
        group: impl Iterator<Item = &'a NewEntries> + Clone,
    ) -> Result<(), Failure> {
        let all_soon = group.clone().all(|entries| entries.durable == Durable::Soon);
        let durable = if all_soon { Durable::Soon } else { Durable::AtOnce };
        let Self { journal, floor, seen, records } = self;
        let locked = journal.lock(BUSY)?;
        // Forgotten, should anything fail: then it is looked up again.
        let end = locked.end(seen.take())?;
        gather(records, &end, *floor, group)?;
        *seen = Some(locked.append(end, records, durable)?);
        Ok(())
    }

    /// The same for one answer, without waiting for anybody, and only if the file has room for it. Says no if that is not
    /// possible, and then nothing was added.
    pub(super) fn add_at_once(&mut self, entries: &NewEntries) -> bool {
        let Self { journal, floor, seen, records } = self;
        let Ok(locked) = journal.lock(Duration::ZERO) else { return false };
        let Ok(end) = locked.end(seen.take()) else { return false };
        if gather(records, &end, *floor, std::iter::once(entries)).is_ok() {
            if !Locked::has_room(&end, records) {
                *seen = Some(end);
                return false;
            }
            *seen = locked.append(end, records, entries.durable).ok();
        }
        seen.is_some()
    }

    /// Makes durable what is not yet.
    pub(super) fn sync(&self) -> Result<(), Failure> {
        self.journal.sync()
    }

    #[cfg(test)]
    pub(super) fn journal(&self) -> &Journal {
        &self.journal
    }
}

/// Spells entries out as records that follow the end of the journal.
fn gather<'a>(
    records: &mut Records,
    end: &Place,
    floor: i64,
    group: impl Iterator<Item = &'a NewEntries>,
) -> Result<(), Failure> {
    records.begin(end, floor);
    for NewEntries { at, tool, disclosed, .. } in group {
        for one in disclosed {
            records.push(|to| Columns::of(*at, tool, one).write(to))?;
        }
    }
    Ok(())
}

/// Puts what waits beside a store into its ledger.
pub(super) fn fold(path: &Path, store: &mut Connection) -> Result<(), Failure> {
    empty(path, store, BUSY, Leave::Room)
}

/// The same, and leaves nothing of it behind. When it returns, nothing waits that was there before.
pub(crate) fn settle(path: &Path, store: &mut Connection) -> Result<(), Failure> {
    empty(path, store, BUSY, Leave::Nothing)
}

/// The same, if nobody else writes to the store or to the journal at this moment. Else all of it stays where it is.
pub(super) fn settle_at_once(path: &Path, store: &mut Connection) -> Result<(), Failure> {
    store.busy_timeout(Duration::ZERO)?;
    let settled = empty(path, store, AT_ONCE, Leave::Nothing);
    store.busy_timeout(BUSY)?;
    match settled {
        Err(Failure::Locked(_)) => Ok(()),
        Err(Failure::Sqlite(error)) if is_locked(&error) => Ok(()),
        settled => settled,
    }
}

/// What there is of a journal when it is empty.
#[derive(Clone, Copy)]
enum Leave {
    /// Room for those who go on.
    Room,
    Nothing,
}

/// Puts all entries into the ledger, and starts the journal over.
fn empty(path: &Path, store: &mut Connection, patience: Duration, leave: Leave) -> Result<(), Failure> {
    let Some(journal) = there(path, patience)? else { return Ok(()) };
    if journal.lock(patience)?.is_earlier()? {
        return earlier::fold(&journal, store, patience);
    }
    let (mut done, mut rounds) = (None, 0);
    loop {
        let locked = journal.lock(patience)?;
        // If someone else emptied it meanwhile, the ledger has what they found, and all that is there now is new.
        let from = locked.from(done)?;
        if locked.read(from, |_, _| false)? == from {
            return finish(&locked, &from, leave);
        }
        drop(locked);
        let transaction = begin(store)?;
        let locked = journal.lock(patience)?;
        let (mut to, mut piece) = next(&locked, locked.from(done)?)?;
        // At first nobody waits: what comes meanwhile is little, and goes in afterwards while nobody appends.
        let is_last = rounds > 0 && piece.len() <= FEW || rounds >= ROUNDS;
        let held = is_last.then_some(locked);
        // What was there before anybody came back is taken in pieces, however much it is.
        rounds += usize::from(piece.len() < CHUNK);
        insert(&transaction, &piece)?;
        while let Some(locked) = held.as_ref().filter(|_| !piece.is_empty()) {
            (to, piece) = next(locked, to)?;
            insert(&transaction, &piece)?;
        }
        let Some(locked) = held else {
            transaction.commit()?;
            done = Some(to);
            continue;
        };
        commit_briefly(transaction)?;
        return finish(&locked, &to, leave);
    }
}

/// Commits without looking after the store's log, which may take as long as the log is: the next commit does that.
fn commit_briefly(transaction: Transaction<'_>) -> Result<(), Failure> {
    const PAGES: &str = "wal_autocheckpoint";
    let store: &Connection = &transaction;
    let pages: i64 = store.pragma_query_value(None, PAGES, |row| row.get(0))?;
    let set = |pages: i64| store.pragma_update_and_check(None, PAGES, pages, |_| Ok(()));
    set(0)?;
    let committed = store.execute_batch("COMMIT");
    // It is of no use to anybody who waits if this fails, and of no harm.
    let _ = set(pages);
    Ok(committed?)
}

/// An entry as it is read, and its number.
type Waiting = (i64, Vec<u8>);

/// Reads the next entries that go into the ledger.
fn next(locked: &Locked<'_>, from: Place) -> Result<(Place, Vec<Waiting>), Failure> {
    let (mut piece, mut bytes) = (Vec::new(), 0);
    let to = locked.read(from, |id, said| {
        piece.push((id, said.to_owned()));
        bytes += said.len();
        piece.len() < CHUNK && bytes < CHUNK_BYTES
    })?;
    Ok((to, piece))
}

fn insert(transaction: &Transaction<'_>, piece: &[Waiting]) -> Result<(), Failure> {
    let mut insert = transaction.prepare_cached(INSERT)?;
    for (id, said) in piece {
        // It was read as it was written, so this could only be a version that wrote something else.
        let entry = Columns::read(said).ok_or_else(|| {
            Failure::Store(format!(
                "entry {id} of the ledger waits in a form that this version does not know"
            ))
        })?;
        entry.insert(*id, &mut insert)?;
    }
    Ok(())
}

/// Starts over, if there is anything to be left behind.
fn finish(locked: &Locked<'_>, end: &Place, leave: Leave) -> Result<(), Failure> {
    match leave {
        Leave::Room if end.is_first() => Ok(()),
        Leave::Room => locked.start_over(end),
        Leave::Nothing if locked.is_bare()? => Ok(()),
        Leave::Nothing => locked.strip(end),
    }
}

/// Forgets all that waits beside a store that is to go.
pub(crate) fn discard(path: &Path) -> Result<(), Failure> {
    let Some(journal) = there(path, BUSY)? else { return Ok(()) };
    let locked = journal.lock(BUSY)?;
    if locked.is_earlier()? {
        return earlier::discard(&journal, &locked);
    }
    let end = locked.end(None)?;
    locked.strip(&end)
}

/// The journal, if anything was written to it yet.
fn there(store: &Path, patience: Duration) -> Result<Option<Journal>, Failure> {
    let path = beside(store);
    match std::fs::metadata(&path) {
        Ok(file) if file.len() > 0 => {}
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(Failure::Store(format!("cannot look at {}: {error}", path.display())));
        }
        _ => return Ok(None),
    }
    let journal = Journal::open(&path)?;
    let is_blank = journal.lock(patience)?.is_blank()?;
    Ok((!is_blank).then_some(journal))
}

/// The moment, in microseconds. They grow faster than entries, so with it as the first number none comes again where the journal
/// was lost or the store is another one.
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

fn beside(store: &Path) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(SUFFIX);
    path.into()
}

#[cfg(test)]
mod tests;
