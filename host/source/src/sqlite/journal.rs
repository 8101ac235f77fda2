//! A file that records are appended to, durably, by several programs in turn, and that starts over when they have gone elsewhere.
//!
//! The first block is the header: which epoch this is, by a number of chance, and the last number that was given before it.
//! Records follow from the next block on, each with its length, a checksum, its number and what it says. Behind the last one there
//! are zeros, which were written and made durable before anything else: a record takes the place of blocks that the file has, so
//! it is durable without the file system having to write down anything for itself. Whoever looks at the file or changes it
//! holds its lock. The system lets go of that when a program ends, however it ends.
//!
//! A record counts if its checksum is right and its number is above the one before. The checksum is of the epoch too, which nobody
//! knows who can only choose what a record says.
//!
//! **Nothing that was acknowledged is lost, or is there twice.** A record is acknowledged when it and all before it are on the
//! disk. What a program leaves behind that ends before that is at the end: it counts, where it is whole, or the next record takes its
//! place. After a loss of power there may be gaps in what was not acknowledged, since blocks reach the disk in any order. So
//! whoever opens the file writes zeros behind the last record that counts before adding any, and nothing from behind a gap
//! comes back.
//!
//! To start over, the header is written first, and made durable before anything is taken out. If it did not reach the disk,
//! all records still stand behind the old one. If it did, none of them counts, whichever of their blocks are zeros by then: they
//! are of another epoch, and their numbers are not above the header's. For the same reason nothing of them counts that is left
//! behind a new record. The header is far shorter than what a disk writes as a whole; should it be torn all the same, its own
//! checksum shows it.
//!
//! **What a write or a sync that failed has left in the system's memory** is not what is on the disk, and later ones do not tell:
//! they speak of what was written since. So it is written again as it was before, and reaches the disk with what comes next.
//!
//! Numbers only grow: within an epoch from one record to the next, and from one epoch to the next by the header.

mod disk;
mod record;
#[cfg(test)]
pub(super) mod trial;

use crate::error::Failure;
use crate::ledger::Durable;
use disk::Disk;
pub(super) use record::Records;
use record::{Ahead, HEAD};
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Whose file this is, and how it is written: the last byte is the version.
const MAGIC: [u8; 16] = *b"stepwell\0ledger\x01";
/// How a file of SQLite begins, in which earlier versions kept what now is here.
const EARLIER: &[u8] = b"SQLite format 3\0";

/// What is read of the header: the magic, the epoch, the base and a checksum.
const HEADER: usize = 36;

/// Where records begin. A block is what file systems have, so the header shares none with them.
pub(super) const FIRST: u64 = 4_096;

/// By how much the file grows at most. It grows by three times its size at first, since a program that answers once needs next
/// to nothing, and then by as much as it has: each time it has to be waited for.
const STEP: u64 = 4 * 1_024 * 1_024;
const SMALL: u64 = 256 * 1_024;

/// How much room a file has at most while it is in use and nothing waits in it.
const KEPT: u64 = 8 * 1_024 * 1_024;

/// How much is read, or filled with zeros, at a time.
const PIECE: usize = 64 * 1_024;
const ZEROS: &[u8] = &[0; PIECE];

/// How long to wait before the lock is tried again: at first, and at most. It is held for about as long as a sync.
const PAUSE: (Duration, Duration) = (Duration::from_micros(100), Duration::from_millis(2));

/// The file.
#[derive(Debug)]
pub(super) struct Journal {
    disk: Disk,
    path: PathBuf,
}

/// The file while nobody else is at it.
#[derive(Debug)]
pub(super) struct Locked<'a>(&'a Journal);

/// What a file is.
#[derive(Debug)]
enum Kind {
    /// It was made, and nothing was written to it yet.
    Blank,
    /// It was left by an earlier version.
    Earlier,
    Journal(Header),
}

#[derive(Clone, Copy, Debug)]
struct Header {
    epoch: u64,
    /// The last number that was given before.
    base: i64,
}

/// How far a journal was looked through: behind a record, or at its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    epoch: u64,
    at: u64,
    /// The number of the last record.
    last: i64,
    /// How long the file is at least.
    room: u64,
}

impl Journal {
    /// Opens a file that is there.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let disk = Disk::open(path).map_err(|error| failure(path, &error))?;
        Ok(Self { disk, path: path.to_owned() })
    }

    /// Takes the lock, and waits for it no longer than so.
    pub(super) fn lock(&self, patience: Duration) -> Result<Locked<'_>, Failure> {
        let (started, (mut pause, longest)) = (Instant::now(), PAUSE);
        loop {
            match self.disk.try_lock() {
                Ok(()) => return Ok(Locked(self)),
                Err(TryLockError::WouldBlock) if started.elapsed() < patience => std::thread::sleep(pause),
                Err(TryLockError::WouldBlock) => return Err(Failure::Locked(self.path.clone())),
                Err(TryLockError::Error(error)) => return Err(failure(&self.path, &error)),
            }
            pause = longest.min(pause * 2);
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes durable what was appended. That takes no turn.
    pub(super) fn sync(&self) -> Result<(), Failure> {
        self.disk.sync_data().map_err(|error| failure(&self.path, &error))
    }

    #[cfg(test)]
    pub(super) fn trial(&self) -> &trial::Trial {
        &self.disk.trial
    }

    /// A failure that names the file.
    pub(super) fn fails(&self, what: &str) -> Failure {
        Failure::Store(format!("{} {what}", self.path.display()))
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // There is nothing to be done about it; it goes with the file at the latest.
        let _ = self.0.disk.unlock();
    }
}

impl Locked<'_> {
    fn attempt<T>(&self, outcome: io::Result<T>) -> Result<T, Failure> {
        outcome.map_err(|error| failure(&self.0.path, &error))
    }

    fn kind(&self) -> Result<Kind, Failure> {
        let mut header = [0; HEADER];
        let read = self.attempt(self.0.disk.read_at(&mut header, 0))?;
        if let Some(header) = Header::parse(&header) {
            return Ok(Kind::Journal(header));
        }
        let (magic, _) = header.split_at(MAGIC.len());
        if header == [0; HEADER] && self.attempt(self.0.disk.len())? <= FIRST {
            return Ok(Kind::Blank);
        }
        if magic == EARLIER {
            return Ok(Kind::Earlier);
        }
        Err(self.0.fails(if magic == MAGIC {
            "is damaged in its first block, so it does not tell which entries wait in it for the ledger; move it away, and a new \
             one is made"
        } else if magic[..15] == MAGIC[..15] && read == HEADER {
            "was made by a newer version: use a newer stepwell"
        } else {
            "is something else than the file in which entries of the ledger wait; move it away, and that one is made"
        }))
    }

    fn header(&self) -> Result<Header, Failure> {
        match self.kind()? {
            Kind::Journal(header) => Ok(header),
            Kind::Blank => Err(self.0.fails("was emptied by another program")),
            Kind::Earlier => Err(self.0.fails(
                "holds entries of the ledger that an earlier version left. They go into the ledger when the store is opened \
                 while nobody else writes there",
            )),
        }
    }

    /// Whether nothing was ever written to the file.
    pub(super) fn is_blank(&self) -> Result<bool, Failure> {
        Ok(matches!(self.kind()?, Kind::Blank))
    }

    /// Whether an earlier version left the file.
    pub(super) fn is_earlier(&self) -> Result<bool, Failure> {
        Ok(matches!(self.kind()?, Kind::Earlier))
    }

    /// Makes a journal of the file, whatever was in it. Its records get numbers above the base.
    pub(super) fn make(&self, base: i64) -> Result<(), Failure> {
        let mut block = [0; FIRST as usize];
        block[..HEADER].copy_from_slice(&Header { epoch: chance()?, base }.bytes());
        let disk = &self.0.disk;
        // The name is durable before anything in the file is. Where a folder cannot be told so, the system sees to it.
        let folder = self.0.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let _ = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
        let made = disk.cut(0).and_then(|()| disk.write_at(&block, 0)).and_then(|()| disk.sync_all());
        if made.is_err() {
            let _ = disk.cut(0);
        }
        self.attempt(made)
    }

    /// Goes on from where somebody was, or from the beginning if the journal started over since.
    pub(super) fn from(&self, place: Option<Place>) -> Result<Place, Failure> {
        let Header { epoch, base } = self.header()?;
        if let Some(place) = place.filter(|place| place.epoch == epoch) {
            return Ok(place);
        }
        // Asked for here, and not for each append: a system that was asked for what it knows of a file keeps that exact, and
        // has more to write down with the next sync, which then takes half as long again.
        match self.attempt(self.0.disk.len())? {
            room @ FIRST.. => Ok(Place { epoch, at: FIRST, last: base, room }),
            _ => Err(self.0.fails("was cut short; move it away, and a new one is made")),
        }
    }

    /// Reads records from a place on until there are no more, or until it is told to stop. Says where that was.
    pub(super) fn read(
        &self,
        mut place: Place,
        mut take: impl FnMut(i64, &[u8]) -> bool,
    ) -> Result<Place, Failure> {
        let mut ahead = Ahead::from(&self.0.disk, &place);
        let mut goes_on = true;
        while goes_on && let Some((id, said)) = self.attempt(ahead.record(&place))? {
            goes_on = take(id, said);
            place.at += (HEAD + said.len()) as u64;
            place.last = id;
        }
        Ok(place)
    }

    /// Goes to the end.
    pub(super) fn end(&self, place: Option<Place>) -> Result<Place, Failure> {
        self.read(self.from(place)?, |_, _| true)
    }

    /// Writes zeros behind the end, if there is anything else, and makes that durable.
    pub(super) fn tidy(&self, end: &Place) -> Result<(), Failure> {
        let disk = &self.0.disk;
        let tidied = disk.len().and_then(|len| match wipe(disk, end.at, len)? {
            true => disk.sync_data(),
            false => Ok(()),
        });
        self.attempt(tidied)
    }

    /// Whether there is room for records at the end as the file is.
    pub(super) fn has_room(end: &Place, records: &Records) -> bool {
        end.at + records.bytes.len() as u64 <= end.room
    }

    /// Appends records at the end. When it returns, they are as durable as was asked for; if it fails, none of them is there,
    /// unless the disk does not let them be taken back either.
    pub(super) fn append(
        &self,
        mut end: Place,
        records: &Records,
        durable: Durable,
    ) -> Result<Place, Failure> {
        let (disk, bytes) = (&self.0.disk, &records.bytes);
        let until = end.at + bytes.len() as u64;
        if until > end.room {
            end.room = self.attempt(make_room(disk, until))?;
        }
        let written = disk.write_at(bytes, end.at);
        let added = match durable {
            Durable::AtOnce => written.and_then(|()| disk.sync_data()),
            Durable::Soon => written,
        };
        if added.is_err() {
            let _ = wipe(disk, end.at, until);
        }
        self.attempt(added)?;
        Ok(Place { at: until, last: records.last, ..end })
    }

    /// Starts over behind the last record, and leaves room for twice as much as there was.
    pub(super) fn start_over(&self, end: &Place) -> Result<(), Failure> {
        self.begin_epoch(end.last)?;
        let disk = &self.0.disk;
        // Behind the end there are zeros already, but for what somebody was writing who ended in the middle of it.
        let emptied = wipe(disk, FIRST, end.at + PIECE as u64).and_then(|_| disk.len());
        let keep = (2 * end.at).clamp(FIRST + SMALL, FIRST + KEPT);
        self.attempt(emptied.and_then(|len| if len > keep { shorten(disk, keep) } else { Ok(()) }))
    }

    /// Starts over behind the last record, and leaves nothing but the header.
    pub(super) fn strip(&self, end: &Place) -> Result<(), Failure> {
        self.begin_epoch(end.last)?;
        let disk = &self.0.disk;
        let emptied = disk.len().and_then(|len| wipe(disk, FIRST, len));
        self.attempt(emptied.and_then(|_| shorten(disk, FIRST)))
    }

    /// Has nothing count of what is there, durably. The number is the last that was given.
    fn begin_epoch(&self, last: i64) -> Result<(), Failure> {
        let disk = &self.0.disk;
        let before = self.header()?;
        let after = Header { epoch: chance()?, base: before.base.max(last) };
        let begun = disk.write_at(&after.bytes(), 0).and_then(|()| disk.sync_data());
        if begun.is_err() {
            let _ = disk.write_at(&before.bytes(), 0);
        }
        self.attempt(begun)
    }

    /// Whether the file holds its header and nothing else.
    pub(super) fn is_bare(&self) -> Result<bool, Failure> {
        Ok(self.attempt(self.0.disk.len())? <= FIRST)
    }
}

impl Place {
    /// Whether there is no record before.
    pub(super) fn is_first(&self) -> bool {
        self.at == FIRST
    }
}

impl Header {
    fn bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..16].copy_from_slice(&MAGIC);
        bytes[16..24].copy_from_slice(&self.epoch.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.base.to_le_bytes());
        let sum = crc32fast::hash(&bytes[..32]);
        bytes[32..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    fn parse(bytes: &[u8; HEADER]) -> Option<Self> {
        let header =
            Self { epoch: u64::from_le_bytes(part(bytes, 16)?), base: i64::from_le_bytes(part(bytes, 24)?) };
        (header.bytes() == *bytes).then_some(header)
    }
}

/// Makes a file at least so long, with zeros that are durable, and says how long it is. If that fails, it is as it was.
fn make_room(disk: &Disk, until: u64) -> io::Result<u64> {
    let len = disk.len()?;
    // Someone else may have been faster.
    if len >= until {
        return Ok(len);
    }
    let growth = if len < SMALL { len * 3 } else { len.min(STEP) };
    let target = until.max(len + growth).next_multiple_of(FIRST);
    let fill = || {
        let mut at = len;
        while at < target {
            let zeros = &ZEROS[..PIECE.min(usize::try_from(target - at).unwrap_or(PIECE))];
            disk.write_at(zeros, at)?;
            at += zeros.len() as u64;
        }
        disk.sync_all()
    };
    let filled = fill();
    if filled.is_err() {
        let _ = disk.cut(len);
    }
    filled.map(|()| target)
}

/// Writes zeros wherever something else is from one place to another. Says whether there was anything.
fn wipe(disk: &Disk, mut at: u64, until: u64) -> io::Result<bool> {
    let (mut piece, mut was_there) = (vec![0; PIECE], false);
    while at < until {
        let len = PIECE.min(usize::try_from(until - at).unwrap_or(PIECE));
        let read = disk.read_at(&mut piece[..len], at)?;
        if read == 0 {
            break;
        }
        if piece[..read] != ZEROS[..read] {
            disk.write_at(&ZEROS[..read], at)?;
            was_there = true;
        }
        at += read as u64;
    }
    Ok(was_there)
}

/// Cuts off zeros. They are made durable before: what is only cut off stays on the disk until something else needs the room.
fn shorten(disk: &Disk, len: u64) -> io::Result<()> {
    disk.sync_data()?;
    disk.cut(len)
}

/// A number that no other epoch has.
fn chance() -> Result<u64, Failure> {
    getrandom::u64()
        .map_err(|error| Failure::Store(format!("no random bits for a journal of the ledger: {error}")))
}

fn part<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    let what = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "the disk is full; make room on it: ",
        _ => "",
    };
    Failure::Store(format!("entries of the ledger cannot be kept in {}: {what}{error}", path.display()))
}

#[cfg(test)]
mod tests;
