//! A text of which the beginning is kept and the rest is counted and forgotten.

use crate::shape::Digest;
use sha2::{Digest as _, Sha256};
use stepwell_contract::unit::slice;
use stepwell_contract::{Bytes, Chars, Span};

/// Takes a text piece by piece, in memory of no more than its head.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    head: String,
    most: Chars,
    chars: Chars,
    bytes: Bytes,
    hash: Sha256,
    has_nul: bool,
}

impl Measured {
    /// Keeps so many code points of the beginning.
    pub(crate) fn new(most: u64) -> Self {
        Self {
            head: String::new(),
            most: Chars(most),
            chars: Chars::ZERO,
            bytes: Bytes::ZERO,
            hash: Sha256::new(),
            has_nul: false,
        }
    }

    pub(crate) fn push(&mut self, piece: &str) {
        let room = self.most.saturating_sub(self.chars);
        if room > Chars::ZERO {
            self.head.push_str(slice(piece, Span::at(Chars::ZERO, room)));
        }
        self.chars = self.chars + Chars::of(piece);
        self.bytes = self.bytes + Bytes::of(piece);
        self.hash.update(piece.as_bytes());
        self.has_nul |= piece.contains('\0');
    }

    /// What is kept.
    pub(crate) fn head(&self) -> &str {
        &self.head
    }

    pub(crate) fn into_head(self) -> String {
        self.head
    }

    /// How long the whole was.
    pub(crate) const fn chars(&self) -> Chars {
        self.chars
    }

    /// How many bytes the whole had.
    pub(crate) const fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// Whether nothing was forgotten.
    pub(crate) fn is_whole(&self) -> bool {
        self.chars <= self.most
    }

    /// Whether the whole has a NUL, at which some resource servers stop counting.
    pub(crate) const fn has_nul(&self) -> bool {
        self.has_nul
    }

    /// The digest of the whole.
    pub(crate) fn digest(&self) -> Digest {
        Digest(self.hash.clone().finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_is_still_counted_and_digested() {
        let text = "añ😀\0".repeat(1_000);
        let mut whole = Measured::new(7);
        text.chars().for_each(|c| whole.push(c.encode_utf8(&mut [0; 4])));
        assert_eq!((whole.chars(), whole.bytes()), (Chars(4_000), Bytes(8_000)));
        assert_eq!(whole.head(), "añ😀\0añ😀");
        assert!(!whole.is_whole() && whole.has_nul());
        assert_eq!(whole.digest(), Digest::of(text.as_bytes()));
    }
}
