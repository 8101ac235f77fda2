//! How long a resource server may take and how much is taken from it, each with its reason.

use std::time::Duration;

/// Bounds on what is asked of a resource server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until a connection stands: a server that is there answers in milliseconds.
    pub connect: Duration,
    /// Until the first byte, and between any two pieces of an answer.
    pub silence: Duration,
    /// For one answer as a whole: hosts give up on a tool after a minute.
    pub whole: Duration,
    /// For looking through a field window by window, which takes as many answers as it needs.
    pub find: Duration,
    /// How often a request is made, with the first time.
    pub attempts: u32,
    /// The wait before the second attempt; it doubles with each.
    pub back_off: Duration,
    /// The longest `Retry-After` that is waited for; with a longer one the caller is told.
    pub retry_after: Duration,
    /// The largest answer that is held whole: schemas, hits, groups, windows.
    pub held: usize,
    /// The largest answer that is read past: records, of whose long texts only the beginning is kept.
    pub streamed: u64,
    /// How much of such an answer is kept.
    pub kept: usize,
    /// How much of a blob is read past where the server starts at its beginning whatever it is asked.
    pub skipped: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            silence: Duration::from_secs(10),
            whole: Duration::from_secs(45),
            find: Duration::from_secs(40),
            attempts: 3,
            back_off: Duration::from_millis(200),
            retry_after: Duration::from_secs(3),
            held: 8 << 20,
            streamed: 1 << 30,
            kept: 16 << 20,
            skipped: 64 << 20,
        }
    }
}

/// The largest window that is asked for at a time: the ceiling of the route.
pub(super) const WINDOW: u64 = 16_384;

/// The beginning of a value that is kept of a record: one document's text.
pub(super) const HEAD: u64 = 4_096;

/// The largest error that is read: what is longer explains nothing.
pub(super) const ERROR: usize = 64 << 10;

/// How long a judgement about a token and a list of streams are believed. A read of data asks the server itself, so that
/// a revocation counts at once.
pub(super) const BELIEVED: Duration = Duration::from_secs(60);

/// How many judgements are remembered.
pub(super) const REMEMBERED: usize = 1_024;
