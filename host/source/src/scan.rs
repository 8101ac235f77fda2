//! Finds a phrase in a text that arrives in pieces.

use crate::error::Result;
use regex::{Regex, RegexBuilder};
use stepwell_contract::selector::Query;
use stepwell_contract::{Chars, Code, Refusal, Span};

/// Looks for one phrase in a text that is fed piece by piece, in constant memory.
///
/// Case is folded one code point to one code point (Unicode simple case folding, which is what `regex` applies), so a
/// match is exactly as long as the phrase and its offsets are those of the original text.
#[derive(Debug)]
pub struct Scanner {
    phrase: Regex,
    phrase_chars: u64,
    /// The end of what was fed so far: one code point short of a match, so it can never hold one by itself.
    carry: String,
    /// Where the next piece starts.
    at: Chars,
}

/// A search through a text of a known length, which whoever has the text feeds piece by piece.
pub(crate) struct Search {
    scanner: Scanner,
    at: Chars,
    total: Chars,
}

impl Search {
    /// Starts at a place.
    pub(crate) fn new(q: &Query, from: Chars, total: Chars) -> Result<Self> {
        Ok(Self { scanner: scanner(q, from)?, at: from, total })
    }

    /// Where the next piece starts; none at the end.
    pub(crate) fn next(&self) -> Option<Chars> {
        (self.at < self.total).then_some(self.at)
    }

    /// Looks at the next piece. A text that is shorter than it was said to be has an end all the same.
    pub(crate) fn feed(&mut self, piece: &str) -> Option<Span> {
        self.at = self.at + Chars::of(piece).max(Chars(1));
        self.scanner.feed(piece)
    }
}

/// A search for a phrase whose first piece begins at `at`, or the refusal of one that is too complex.
pub(crate) fn scanner(q: &Query, at: Chars) -> Result<Scanner> {
    Ok(Scanner::new(q.as_str(), at).ok_or_else(|| {
        Refusal::new(Code::InvalidWindowSelector, "q is too complex to search for").param("q")
    })?)
}

impl Scanner {
    /// Starts a search whose first piece begins at `at`. `None` if the phrase is too large to compile.
    #[must_use]
    pub fn new(phrase: &str, at: Chars) -> Option<Self> {
        let regex = RegexBuilder::new(&regex::escape(phrase)).case_insensitive(true).build().ok()?;
        Some(Self { phrase: regex, phrase_chars: Chars::of(phrase).get(), carry: String::new(), at })
    }

    /// Looks at the next piece; gives the first match that ends in it.
    pub fn feed(&mut self, piece: &str) -> Option<Span> {
        let found = self.across_the_border(piece).or_else(|| {
            let hit = self.phrase.find(piece)?;
            Some(self.at + Chars::of(&piece[..hit.start()]))
        });
        if let Some(start) = found {
            return Some(Span::at(start, Chars(self.phrase_chars)));
        }
        self.at = self.at + Chars::of(piece);
        self.keep_tail(piece);
        None
    }

    /// Searches the seam only: what was carried and as much of the piece as a match could need. A match there starts
    /// before the piece, so it comes before any match inside.
    fn across_the_border(&self, piece: &str) -> Option<Chars> {
        if self.carry.is_empty() {
            return None;
        }
        let head = piece
            .char_indices()
            .nth(self.phrase_chars as usize - 1)
            .map_or(piece, |(byte, _)| &piece[..byte]);
        let seam = format!("{}{head}", self.carry);
        let hit = self.phrase.find(&seam)?;
        let seam_start = self.at - Chars::of(&self.carry);
        Some(seam_start + Chars::of(&seam[..hit.start()]))
    }

    fn keep_tail(&mut self, piece: &str) {
        let keep = self.phrase_chars as usize - 1;
        self.carry.push_str(piece);
        let surplus = match self.carry.char_indices().rev().nth(keep.wrapping_sub(1)) {
            _ if keep == 0 => self.carry.len(),
            Some((byte, _)) => byte,
            None => 0,
        };
        self.carry.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fold(c: char) -> char {
        unicode_case_mapping::case_folded(c).and_then(|folded| char::from_u32(folded.get())).unwrap_or(c)
    }

    /// The obvious model: fold everything, compare at every offset.
    fn naive(text: &str, phrase: &str, from: usize) -> Option<u64> {
        let text: Vec<char> = text.chars().map(fold).collect();
        let phrase: Vec<char> = phrase.chars().map(fold).collect();
        (from..text.len()).find(|&at| text[at..].starts_with(&phrase)).map(|at| at as u64)
    }

    fn scan(pieces: &[String], phrase: &str) -> Option<u64> {
        let mut scanner = Scanner::new(phrase, Chars::ZERO).unwrap();
        pieces.iter().find_map(|piece| scanner.feed(piece)).map(|span| {
            assert_eq!(span.len(), Chars::of(phrase));
            span.start().get()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn finds_what_the_model_finds_however_the_text_is_cut(
            pieces in proptest::collection::vec("[aAbBüÜßẞſsKk\u{212a}σςΣ😀İ.]{0,4}", 0..8),
            phrase in "[aAbBüÜßẞſsKk\u{212a}σςΣ😀İ.]{1,4}",
        ) {
            prop_assert_eq!(scan(&pieces, &phrase), naive(&pieces.concat(), &phrase, 0));
        }
    }

    #[test]
    fn folds_more_than_ascii_and_keeps_the_offsets_of_the_original() {
        let pieces = ["Gruß aus Z".to_owned(), "ÜRICH, 3× Kelvin: 5 \u{212a}".to_owned()];
        assert_eq!(scan(&pieces, "zürich"), Some(9));
        assert_eq!(scan(&pieces, "5 k"), Some(28));
        assert_eq!(scan(&pieces, "a.s"), None);
    }
}
