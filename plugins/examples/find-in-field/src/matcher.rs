//! Finds a phrase in text that arrives in pieces.
//!
//! What was matched so far is carried over every border as a number (Knuth, Morris and Pratt), so a match may lie across
//! any of them, no piece is looked at twice, and no phrase makes it slow.

/// A phrase, and how much of it stands at the end of the text so far.
pub(crate) struct Matcher {
    phrase: Vec<char>,
    /// For each length of a matched beginning: the longest shorter beginning that it ends with.
    shorter: Vec<usize>,
    matched: usize,
    /// Where the next code point stands.
    at: u32,
}

impl Matcher {
    /// Starts to look for a phrase in a text whose first piece begins at `at`.
    pub(crate) fn new(phrase: &str, at: u32) -> Self {
        let phrase: Vec<char> = phrase.chars().map(fold).collect();
        let mut shorter = vec![0; phrase.len()];
        let mut length = 0;
        for end in 1..phrase.len() {
            while length > 0 && phrase[end] != phrase[length] {
                length = shorter[length - 1];
            }
            length += usize::from(phrase[end] == phrase[length]);
            shorter[end] = length;
        }
        Self { phrase, shorter, matched: 0, at }
    }

    /// Looks at the next piece and tells where matches start. They do not overlap.
    pub(crate) fn feed(&mut self, piece: &str, mut found: impl FnMut(u32)) {
        for c in piece.chars().map(fold) {
            self.at = self.at.saturating_add(1);
            while self.matched > 0 && self.phrase.get(self.matched) != Some(&c) {
                self.matched = self.shorter[self.matched - 1];
            }
            self.matched += usize::from(self.phrase.get(self.matched) == Some(&c));
            if self.matched == self.phrase.len() && self.matched > 0 {
                found(self.at - self.chars());
                self.matched = 0;
            }
        }
    }

    /// How long a match is.
    pub(crate) fn chars(&self) -> u32 {
        u32::try_from(self.phrase.len()).unwrap_or(u32::MAX)
    }

    /// Where the text so far ends.
    pub(crate) const fn at(&self) -> u32 {
        self.at
    }

    /// Where a match may have begun that the text so far does not show whole.
    pub(crate) fn resume(&self) -> u32 {
        self.at - u32::try_from(self.matched).unwrap_or_default()
    }
}

/// Folds case one code point to one, as the host does for `q`.
fn fold(c: char) -> char {
    unicode_case_mapping::case_folded(c).and_then(|folded| char::from_u32(folded.get())).unwrap_or(c)
}
