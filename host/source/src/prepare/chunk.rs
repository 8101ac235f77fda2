//! Cuts a long text into chunks that can be read, searched and indexed one by one.

use std::ops::Range;
use stepwell_contract::Chars;

/// The longest text that stands in its field's row; a longer one is kept in chunks.
pub const INLINE_MAX: Chars = Chars(4_096);

/// The longest chunk. One default window touches two chunks at most, the largest window six.
pub const CHUNK_MAX: Chars = Chars(4_096);

/// How far before the limit a cut may fall so as not to split a word.
const SLACK: u64 = 256;

/// One chunk: where it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The offset of its first code point.
    pub start: Chars,
    /// How many code points it holds.
    pub chars: Chars,
    /// The same in bytes of UTF-8.
    pub bytes: Range<usize>,
}

/// Cuts a text after white space where there is some near the limit, and at the limit where there is none.
#[must_use]
pub fn cut(text: &str) -> Vec<Cut> {
    let mut cuts = Vec::with_capacity(text.len() / CHUNK_MAX.get() as usize + 1);
    let (mut start, mut from) = (Chars::ZERO, 0);
    while from < text.len() {
        let (chars, bytes) = next_length(&text[from..]);
        cuts.push(Cut { start, chars, bytes: from..from + bytes });
        start = start + chars;
        from += bytes;
    }
    cuts
}

/// Measures the next chunk, in code points and bytes.
fn next_length(rest: &str) -> (Chars, usize) {
    let mut after_space = None;
    for (index, (byte, c)) in rest.char_indices().enumerate() {
        let index = index as u64;
        if index == CHUNK_MAX.get() {
            return after_space.unwrap_or((CHUNK_MAX, byte));
        }
        if index >= CHUNK_MAX.get() - SLACK && c.is_whitespace() {
            after_space = Some((Chars(index + 1), byte + c.len_utf8()));
        }
    }
    (Chars::of(rest), rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn chunks_join_to_the_text_and_stay_within_the_limit(words in proptest::collection::vec("[a-z😀é\u{301}]{1,300} ?", 0..120)) {
            let text = words.concat();
            let cuts = cut(&text);
            let mut at = Chars::ZERO;
            for piece in &cuts {
                prop_assert_eq!(piece.start, at);
                prop_assert!(piece.chars <= CHUNK_MAX && piece.chars > Chars::ZERO);
                prop_assert_eq!(Chars::of(&text[piece.bytes.clone()]), piece.chars);
                at = at + piece.chars;
            }
            prop_assert_eq!(cuts.iter().map(|piece| &text[piece.bytes.clone()]).collect::<String>(), text);
        }
    }

    #[test]
    fn a_word_near_the_limit_is_not_split() {
        let text = format!("{} {}", "x".repeat(4_000), "y".repeat(4_000));
        assert_eq!(cut(&text)[0].chars, Chars(4_001));
    }
}
