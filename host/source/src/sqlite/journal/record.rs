//! Records as they stand in a journal, one behind the other.

use super::disk::Disk;
use super::{PIECE, Place, part};
use crate::error::Failure;
use std::io;

/// What stands before each record: its length, a checksum and its number.
pub(super) const HEAD: usize = 16;

/// How long a record may be. None is nearly as long; more is damage.
const MOST: usize = 16 * 1_024 * 1_024;

/// How much memory is kept from one group of records to the next.
const KEPT: usize = 1_024 * 1_024;

/// Records on their way into a file.
#[derive(Debug, Default)]
pub(in crate::sqlite) struct Records {
    pub(super) bytes: Vec<u8>,
    pub(super) epoch: u64,
    /// The number of the last one.
    pub(super) last: i64,
}

impl Records {
    /// Forgets all that were here, and begins with those that follow a place. Their numbers are above the floor too.
    pub(in crate::sqlite) fn begin(&mut self, end: &Place, floor: i64) {
        self.bytes.clear();
        // What one large answer needed is not kept for all that come.
        self.bytes.shrink_to(KEPT);
        (self.epoch, self.last) = (end.epoch, end.last.max(floor));
    }

    /// Adds a record that says what is written.
    pub(in crate::sqlite) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), Failure> {
        let no_number = || Failure::Store("the ledger has no number left for another entry".into());
        self.last = self.last.checked_add(1).ok_or_else(no_number)?;
        let at = self.bytes.len();
        self.bytes.extend_from_slice(&[0; HEAD]);
        write(&mut self.bytes);
        let said = &self.bytes[at + HEAD..];
        let too_long = |len| Failure::Store(format!("an entry of {len} bytes is too long for the ledger"));
        let len = u32::try_from(said.len()).ok().filter(|_| said.len() <= MOST);
        let len = len.ok_or_else(|| too_long(said.len()))?;
        let sum = checksum(self.epoch, self.last, said);
        let head = &mut self.bytes[at..at + HEAD];
        head[..4].copy_from_slice(&len.to_le_bytes());
        head[4..8].copy_from_slice(&sum.to_le_bytes());
        head[8..].copy_from_slice(&self.last.to_le_bytes());
        Ok(())
    }
}

/// What was read of a file further than was asked for.
pub(super) struct Ahead<'a> {
    disk: &'a Disk,
    bytes: Vec<u8>,
    /// Where it begins.
    from: u64,
}

impl<'a> Ahead<'a> {
    pub(super) fn from(disk: &'a Disk, place: &Place) -> Self {
        Self { disk, bytes: Vec::new(), from: place.at }
    }

    /// The record at a place, if it is one.
    pub(super) fn record(&mut self, place: &Place) -> io::Result<Option<(i64, &[u8])>> {
        let Some(head) = self.get(place.at, HEAD)? else { return Ok(None) };
        let (Some(len), Some(sum), Some(id)) = (part(head, 0), part(head, 4), part(head, 8)) else {
            return Ok(None);
        };
        let (len, sum) = (u32::from_le_bytes(len) as usize, u32::from_le_bytes(sum));
        let (id, epoch) = (i64::from_le_bytes(id), place.epoch);
        if len == 0 || len > MOST || id <= place.last {
            return Ok(None);
        }
        let said = self.get(place.at + HEAD as u64, len)?;
        Ok(said.filter(|said| checksum(epoch, id, said) == sum).map(|said| (id, said)))
    }

    /// So many bytes at a place, if the file has them.
    fn get(&mut self, at: u64, len: usize) -> io::Result<Option<&[u8]>> {
        let inside = |from| usize::try_from(at - from).unwrap_or(usize::MAX);
        let has = self.bytes.len().checked_sub(inside(self.from)).is_some_and(|left| left >= len);
        if !has {
            // Mostly there is nothing where the first record would be, so at first no more is read than shows that.
            let ahead = if self.bytes.is_empty() { 0 } else { PIECE };
            self.bytes.resize(len.max(ahead), 0);
            let read = self.disk.read_at(&mut self.bytes, at)?;
            self.bytes.truncate(read);
            self.from = at;
        }
        let inside = inside(self.from);
        Ok(self.bytes.get(inside..inside + len))
    }
}

fn checksum(epoch: u64, id: i64, said: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&epoch.to_le_bytes());
    sum.update(&id.to_le_bytes());
    sum.update(said);
    sum.finalize()
}
