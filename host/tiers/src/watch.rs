//! What the author of a tier may see of its calls. A server watches nobody: what a tier says may hold record text.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How many messages of one call are kept, and how much of each: enough to find a mistake, whatever is written.
const MESSAGES: usize = 100;
const MESSAGE_BYTES: usize = 2_048;

/// Collects what happens in calls, until somebody looks.
#[derive(Debug, Default)]
pub struct Watch(Mutex<Vec<Observed>>);

/// What happened in one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// How long it took, the start of the instance included.
    pub took: Duration,
    /// The most memory that it had, in bytes.
    pub memory: u64,
    /// How many spans it read.
    pub reads: u32,
    /// How many bytes that was.
    pub read_bytes: u64,
    /// What it wrote to its author.
    pub messages: Messages,
}

/// What a tier wrote to its author, as it is: anybody's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// The first ones, each with its level.
    pub kept: Vec<(&'static str, String)>,
    /// How many there were in all.
    pub count: u64,
}

impl Messages {
    pub(crate) fn push(&mut self, level: &'static str, mut message: String) {
        self.count += 1;
        if self.kept.len() < MESSAGES {
            message.truncate(message.floor_char_boundary(MESSAGE_BYTES));
            self.kept.push((level, message));
        }
    }
}

impl Watch {
    /// Takes what was seen since the last look.
    pub fn take(&self) -> Vec<Observed> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn saw(&self, call: Observed) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    }
}
