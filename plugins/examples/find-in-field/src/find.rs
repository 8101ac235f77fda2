//! Reads a field from a place on, piece by piece, and notes where the phrase stands.

use crate::matcher::Matcher;
use stepwell_sdk::{Reader, Refusal, Span};

/// How much is read at once: few crossings, and little memory.
const PIECE: u32 = 65_536;

/// The smallest piece that is worth a read when the allowance runs out. It is longer than any phrase, so that every call
/// gets further than the one before.
const LEAST: u32 = 1_024;

/// What is kept of the allowance for reading the words around the matches.
const KEPT_BYTES: u32 = 64 * 1_024;

/// What to look for, and where.
pub(crate) struct Search<'a> {
    pub(crate) slot: u32,
    pub(crate) path: &'a str,
    pub(crate) q: &'a str,
    pub(crate) from: u32,
    /// How long the field is, where that is known.
    pub(crate) size: Option<u32>,
}

/// What was found.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// Where the first matches start.
    pub(crate) starts: Vec<u32>,
    /// How many there are in all, as far as the search went.
    pub(crate) count: u32,
    /// Where the first one starts that is not among `starts`.
    pub(crate) next: Option<u32>,
    /// How far the search went.
    pub(crate) to: u32,
    /// Where a further search has to begin, unless this one reached the field's end.
    pub(crate) resume: Option<u32>,
}

/// Why there was nothing to search.
#[derive(Debug, PartialEq)]
pub(crate) enum Stop {
    /// The record has no such text.
    NoText,
    /// It has, but it cannot be read now.
    Unavailable,
}

impl Search<'_> {
    /// Searches as far as the allowance goes, and keeps the places of the first `most` matches.
    pub(crate) fn run(&self, most: u32, reader: &impl Reader) -> Result<Found, Stop> {
        let start = self.size.map_or(self.from, |size| self.from.min(size));
        let mut matcher = Matcher::new(self.q, start);
        let mut found = Found::default();
        found.resume = loop {
            if self.size.is_some_and(|size| matcher.at() >= size) {
                break None;
            }
            let Some(wanted) = self.piece(matcher.at(), most, reader) else { break Some(matcher.resume()) };
            let piece = match reader.read_one(self.slot, self.path, wanted) {
                Ok(piece) => piece,
                Err(Refusal::OverAllowance) => break Some(matcher.resume()),
                Err(Refusal::NotInHand | Refusal::NotText) => return Err(Stop::NoText),
                Err(Refusal::Other(_)) => return Err(Stop::Unavailable),
            };
            matcher.feed(&piece, |at| found.note(at, most));
            // A field of unknown size ends where less came than was asked for.
            if matcher.at() < wanted.end {
                break None;
            }
        };
        found.to = matcher.at();
        Ok(found)
    }

    /// What to read next; nothing if the allowance is used up but for what is kept.
    fn piece(&self, at: u32, most: u32, reader: &impl Reader) -> Option<Span> {
        let left = reader.left();
        let rest = self.size.map_or(u32::MAX, |size| size.saturating_sub(at));
        // A code point takes four bytes at most.
        let affordable = left.bytes.saturating_sub(KEPT_BYTES.min(left.bytes / 2)) / 4;
        let chars = PIECE.min(affordable).min(rest);
        let is_worth_it = chars == rest || chars >= LEAST;
        let has_reads = left.reads > most.min(left.reads / 2);
        (chars > 0 && is_worth_it && has_reads).then(|| Span { start: at, end: at.saturating_add(chars) })
    }
}

impl Found {
    fn note(&mut self, at: u32, most: u32) {
        self.count += 1;
        if self.starts.len() < most as usize {
            self.starts.push(at);
        } else if self.next.is_none() {
            self.next = Some(at);
        }
    }
}
