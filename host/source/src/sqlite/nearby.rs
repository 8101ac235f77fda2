//! Readers for what takes but a moment, each for a thread of its own.
//!
//! A connection that one processor used last has to be fetched by the next one, its pages and prepared statements with it. So a
//! thread comes back to the reader that it had before.

use crate::error::Failure;
use crate::sqlite::reader::Reader;
use std::cell::Cell;
use std::num::NonZero;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread::available_parallelism;

/// How many there are at most.
const MOST: usize = 16;

/// The readers.
pub(super) struct Nearby(Vec<Mutex<Reader>>);

impl Nearby {
    /// Opens a file for as many threads as run at a time.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let threads = available_parallelism().map_or(1, NonZero::get);
        let readers = (0..threads.min(MOST)).map(|_| Reader::open(path)).collect::<Result<Vec<_>, _>>()?;
        Ok(readers.into())
    }

    /// The reader that this thread had last, or another one if somebody is at it. None if all are in use.
    pub(super) fn reader(&self) -> Option<MutexGuard<'_, Reader>> {
        let Self(readers) = self;
        SEAT.with(|seat| {
            (0..readers.len()).find_map(|further| {
                let at = (seat.get() + further) % readers.len();
                let reader = match readers[at].try_lock() {
                    Ok(reader) => reader,
                    Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                    Err(TryLockError::WouldBlock) => return None,
                };
                // Two that meet at one reader part here, and do not meet again.
                seat.set(at);
                Some(reader)
            })
        })
    }
}

impl From<Vec<Reader>> for Nearby {
    fn from(readers: Vec<Reader>) -> Self {
        Self(readers.into_iter().map(Mutex::new).collect())
    }
}

thread_local! {
    /// Where the reader stands that this thread had last.
    static SEAT: Cell<usize> = const { Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::{Missing, connect};
    use std::ptr;

    #[test]
    fn a_thread_comes_back_to_its_reader_and_takes_another_one_that_is_free() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        drop(connect(&path, Missing::Create).unwrap());
        let nearby = Nearby::from(vec![Reader::open(&path).unwrap(), Reader::open(&path).unwrap()]);
        let place = || ptr::from_ref(&*nearby.reader().unwrap()) as usize;
        let own = place();
        assert_eq!(place(), own);
        let held = nearby.reader().unwrap();
        let other = place();
        assert_ne!(other, own);
        let held_too = nearby.reader().unwrap();
        assert!(nearby.reader().is_none(), "both are in use");
        drop(held);
        drop(held_too);
        assert_eq!(place(), other, "the last one it had");
    }

    #[test]
    fn there_are_as_many_as_threads_run_and_none_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        drop(connect(&path, Missing::Create).unwrap());
        let nearby = Nearby::open(&path).unwrap();
        assert!((1..=MOST).contains(&nearby.0.len()));
        let held: Vec<_> = std::iter::from_fn(|| nearby.reader()).collect();
        assert_eq!(held.len(), nearby.0.len());
        // One that failed in somebody's hands is a reader all the same.
        drop(held);
        std::thread::scope(|scope| {
            let fails = scope.spawn(|| {
                let _held = nearby.reader().unwrap();
                panic!("on purpose");
            });
            assert!(fails.join().is_err());
        });
        let held: Vec<_> = std::iter::from_fn(|| nearby.reader()).collect();
        assert_eq!(held.len(), nearby.0.len());
    }
}
