//! Lets someone watch which statements run and how much they select.

use crate::embedded::statement::Statement;
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

/// One statement that ran. It carries no content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Which one.
    pub statement: Statement,
    /// How many rows came back.
    pub rows: usize,
    /// How many bytes of text and blobs were in them.
    pub bytes: u64,
    /// How many of these were of records, and not their names and measures.
    pub content: u64,
}

/// Someone who watches.
pub trait Observer: Send + Sync + Debug {
    /// Hears of a statement that ran.
    fn seen(&self, seen: Seen);
}

/// Remembers what it saw, in order.
#[derive(Debug, Default)]
pub struct Record(Mutex<Vec<Seen>>);

impl Record {
    /// Takes what was seen since the last time.
    pub fn take(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Record {
    fn seen(&self, seen: Seen) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
    }
}
