//! Words: what search indexes and looks for, the same on both engines.
//!
//! Text is taken apart here and not by the engines, whose tokenizers differ from each other and from version to version.
//! Case and diacritics are folded away; Chinese, Japanese and Korean characters, which no space separates, are words of
//! their own.

use std::borrow::Cow;
use std::collections::HashSet;
use stepwell_contract::{Chars, Span};
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// The longest word that is told apart; what follows makes no difference.
const WORD_MAX: usize = 64;

/// A word of a text, folded, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The folded word.
    pub text: String,
    /// Where it stands in the text.
    pub at: Span,
}

/// Takes a text apart into words.
pub fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    let mut chars = text.chars().enumerate().peekable();
    std::iter::from_fn(move || {
        let mut word = String::new();
        let mut start = None;
        while let Some(&(index, c)) = chars.peek() {
            let whole = stands_alone(c);
            if start.is_some() && whole {
                break;
            }
            let before = word.len();
            fold_into(&mut word, c);
            let part_of_word = word.len() > before || (start.is_some() && is_combining_mark(c));
            if !part_of_word && start.is_some() {
                break;
            }
            chars.next();
            if part_of_word {
                start.get_or_insert(index);
            }
            if whole && part_of_word {
                break;
            }
        }
        let start = start?;
        let end = chars.peek().map_or_else(|| text.chars().count(), |(index, _)| *index);
        if let Some((cut, _)) = word.char_indices().nth(WORD_MAX) {
            word.truncate(cut);
        }
        Some(Word { text: word, at: Span::at(Chars(start as u64), Chars((end - start) as u64)) })
    })
}

/// A word of a text as it is compared, without being copied where it needs no folding but that of case.
#[derive(Debug)]
pub(crate) enum Piece<'a> {
    /// ASCII letters and digits in any case.
    Plain(&'a str),
    /// A folded word.
    Folded(String),
}

impl Piece<'_> {
    /// Whether it is this folded word.
    pub(crate) fn is(&self, word: &str) -> bool {
        match self {
            Self::Plain(plain) => plain.eq_ignore_ascii_case(word),
            Self::Folded(folded) => folded == word,
        }
    }

    /// Whether it begins with this folded text.
    pub(crate) fn starts_with(&self, word: &str) -> bool {
        match self {
            Self::Plain(plain) => {
                plain.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
            }
            Self::Folded(folded) => folded.starts_with(word),
        }
    }
}

/// The words of a text one after the other: as [`words`], without their places.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let folded = |piece| words(piece).map(|word| Piece::Folded(word.text));
    between_separators(text).flat_map(move |piece| {
        let is_plain = piece.is_ascii();
        let plain =
            (is_plain && !piece.is_empty()).then(|| Piece::Plain(&piece[..piece.len().min(WORD_MAX)]));
        plain.into_iter().chain((!is_plain).then(|| folded(piece)).into_iter().flatten())
    })
}

/// Cuts a text at the ASCII characters that are neither letter nor digit. No word goes on beyond one, so what is between them
/// can be taken apart by itself; and most of it is plain words, which need no folding but that of case.
fn between_separators(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric())
}

/// The different words of a text, separated by spaces, in the order of their first appearance.
#[must_use]
pub fn distinct(text: &str) -> String {
    // All words are put into one text first and told apart there: none is copied to be remembered.
    let mut all = String::with_capacity(text.len());
    for piece in between_separators(text) {
        if piece.is_ascii() {
            let start = all.len();
            all.push_str(&piece[..piece.len().min(WORD_MAX)]);
            all[start..].make_ascii_lowercase();
            all.push(' ');
        } else {
            for word in words(piece) {
                all.push_str(&word.text);
                all.push(' ');
            }
        }
    }
    let mut seen = HashSet::new();
    let mut distinct = String::new();
    for word in all.split(' ').filter(|word| !word.is_empty()) {
        if seen.insert(word) {
            if !distinct.is_empty() {
                distinct.push(' ');
            }
            distinct.push_str(word);
        }
    }
    distinct
}

/// The different words that begin in a chunk of a longer text. A word that a cut goes through belongs to the chunk that it
/// begins in, as far as the chunk after it goes: further on makes no difference. Of the text before, its end is enough.
#[must_use]
pub fn distinct_of_chunk(before: &str, chunk: &str, after: &str) -> String {
    distinct(&words_of_chunk(before, chunk, after))
}

/// The stretch of a longer text that has the words which begin in a chunk of it.
pub(crate) fn words_of_chunk<'a>(before: &str, chunk: &'a str, after: &str) -> Cow<'a, str> {
    let own = &chunk[carried_over(before, chunk)..];
    match if own.is_empty() { 0 } else { carried_over(own, after) } {
        0 => Cow::Borrowed(own),
        tail => Cow::Owned([own, &after[..tail]].concat()),
    }
}

/// How many bytes of a text go on with the word that the text before it ends in.
#[must_use]
pub fn carried_over(before: &str, after: &str) -> usize {
    let inside = |c: char| {
        let mut folded = String::new();
        fold_into(&mut folded, c);
        !folded.is_empty() || is_combining_mark(c)
    };
    match before.chars().next_back() {
        Some(last) if inside(last) && !stands_alone(last) => {}
        _ => return 0,
    }
    after.find(|c| stands_alone(c) || !inside(c)).unwrap_or(after.len())
}

/// Appends a character without case and marks; nothing if it is no letter or digit.
fn fold_into(word: &mut String, c: char) {
    if c.is_ascii() {
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        }
        return;
    }
    decompose_compatible(c, |part| {
        if part.is_alphanumeric() && !is_combining_mark(part) {
            word.extend(part.to_lowercase().filter(|lower| !is_combining_mark(*lower)));
        }
    });
}

/// Whether a character is a word by itself: ideographs and kana.
const fn stands_alone(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(text: &str) -> Vec<String> {
        words(text).map(|word| word.text).collect()
    }

    #[test]
    fn folds_case_and_marks_and_splits_what_has_no_spaces() {
        assert_eq!(list("Zürich, ZU\u{308}RICH—zurich!"), ["zurich", "zurich", "zurich"]);
        assert_eq!(list("a@b.example 3× e2e"), ["a", "b", "example", "3", "e2e"]);
        assert_eq!(list("東京タワーA塔"), ["東", "京", "タ", "ワ", "ー", "a", "塔"]);
        assert_eq!(list("ﬁne ½"), ["fine", "12"]);
        assert_eq!(list("🙂 … \u{301}"), [""; 0]);
        assert_eq!(distinct("b a B á"), "b a");
    }

    #[test]
    fn a_word_belongs_to_the_chunk_that_it_begins_in() {
        let chunks = ["one fer", "ry", "boat, two ", "three"];
        let at = |index: usize| chunks.get(index).copied().unwrap_or_default();
        let words = |index: usize| {
            let before = index.checked_sub(1).map(at).unwrap_or_default();
            distinct_of_chunk(before, at(index), at(index + 1))
        };
        assert_eq!([words(0), words(1), words(2), words(3)], ["one ferry", "", "two", "three"]);
    }

    #[test]
    fn a_word_goes_on_beyond_a_cut() {
        assert_eq!(carried_over("fer", "ry boat"), 2);
        assert_eq!(carried_over("fer ", "ry"), 0);
        assert_eq!(carried_over("e", "\u{301}t, x"), 3);
        assert_eq!(carried_over("a", "東"), 0);
        assert_eq!(carried_over("東", "京"), 0);
        assert_eq!(carried_over("", "a"), 0);
    }

    #[test]
    fn a_word_knows_where_it_stands() {
        let text = "…Zu\u{308}rich 東京";
        let at: Vec<_> =
            words(text).map(|word| stepwell_contract::unit::slice(text, word.at).to_owned()).collect();
        assert_eq!(at, ["Zu\u{308}rich", "東", "京"]);
    }

    proptest! {
        #[test]
        fn taking_pieces_apart_gives_the_same_words(
            text in proptest::collection::vec(
                prop_oneof![
                    "[a-zA-Z0-9]{1,3}", "[ .,@\n-]", "[\u{e9}\u{301}\u{fc}\u{2014}\u{fb01}\u{6771}\u{30bf}\u{1f642}]", "\\PC", "[a-z]{60,70}",
                ],
                0..12,
            )
        ) {
            let text = text.concat();
            let mut seen = HashSet::new();
            let slow: Vec<String> = list(&text).into_iter().filter(|word| seen.insert(word.clone())).collect();
            prop_assert_eq!(distinct(&text), slow.join(" "));
        }

        #[test]
        fn never_leaves_its_text_and_never_contains_a_space(text in "\\PC{0,40}") {
            for word in words(&text) {
                prop_assert!(word.at.end() <= Chars::of(&text));
                prop_assert!(!word.text.is_empty() && !word.text.contains(' '));
                prop_assert!(word.text.chars().count() <= WORD_MAX);
            }
        }
    }
}
