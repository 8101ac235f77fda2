//! Answers that are believed for a short while.

use super::limits::{BELIEVED, REMEMBERED};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What an answer is remembered by: the digest of a token, never the token.
pub(super) type Key = [u8; 32];

/// A small memory whose entries grow old.
#[derive(Debug)]
pub(super) struct Memory<T>(Mutex<HashMap<Key, (T, Instant)>>);

impl<T: Clone> Memory<T> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(HashMap::new()))
    }

    pub(super) fn get(&self, key: &Key) -> Option<T> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.get(key).filter(|(_, until)| Instant::now() < *until).map(|(value, _)| value.clone())
    }

    pub(super) fn put(&self, key: Key, value: T) {
        self.put_for(key, value, BELIEVED);
    }

    /// Remembers for so long, and never longer than is believed at all.
    pub(super) fn put_for(&self, key: Key, value: T, how_long: Duration) {
        let now = Instant::now();
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= REMEMBERED {
            entries.retain(|_, (_, until)| now < *until);
        }
        if entries.len() >= REMEMBERED {
            entries.clear();
        }
        entries.insert(key, (value, now + how_long.min(BELIEVED)));
    }

    pub(super) fn forget(&self, key: &Key) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_ends_and_the_memory_is_small() {
        let memory = Memory::new();
        memory.put_for([1; 32], "old", Duration::ZERO);
        memory.put([2; 32], "new");
        assert_eq!((memory.get(&[1; 32]), memory.get(&[2; 32])), (None, Some("new")));
        memory.forget(&[2; 32]);
        assert_eq!(memory.get(&[2; 32]), None);
        for n in 0..3 * REMEMBERED as u64 {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&n.to_be_bytes());
            memory.put(key, "many");
        }
        assert!(memory.0.lock().unwrap().len() <= REMEMBERED);
    }
}
