//! Tables: a record a row, with types that are learnt from the rows.

mod columns;
pub(crate) mod csv;
pub(crate) mod jsonl;
pub(crate) mod sqlite;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Counts how often the same was seen: rows without a key of their own may well be alike. It holds 16 bytes a row.
#[derive(Debug, Default)]
pub(crate) struct Tally(HashMap<u64, usize>);

impl Tally {
    /// How often this was seen, with this time.
    pub(crate) fn count(&mut self, content: &[u8]) -> usize {
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        let count = self.0.entry(hasher.finish()).or_default();
        *count += 1;
        *count
    }
}
