//! Pieces of fields whose text is known, and passages cut out of them.

use stepwell_sdk::preview::{Passage, Shown};
use stepwell_sdk::text::{byte_of, chars, prefix_of_words, slice};
use stepwell_sdk::{FieldExt, FieldShape, Reader, Span, Wanted};

/// A part of a field whose text the tier knows.
#[derive(Clone, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) slot: u32,
    pub(crate) path: &'a str,
    /// The code point of the field at which `text` starts.
    pub(crate) start: u32,
    pub(crate) text: std::borrow::Cow<'a, str>,
}

impl<'a> Piece<'a> {
    /// The beginning of a field, which its shape carries.
    pub(crate) fn head(slot: u32, field: &'a FieldShape) -> Self {
        Self { slot, path: &field.path, start: 0, text: field.head_text().into() }
    }

    /// The passage between two bytes of the piece.
    fn between(&self, from: usize, to: usize) -> Passage {
        let start = self.start + chars(&self.text[..from]);
        let end = start + chars(&self.text[from..to]);
        Passage { path: self.path.to_owned(), at: Span { start, end } }
    }

    /// How many bytes a passage of this piece takes.
    pub(crate) fn bytes_of(&self, at: Span) -> usize {
        let (start, end) = (at.start.saturating_sub(self.start), at.end.saturating_sub(self.start));
        slice(&self.text, Span { start, end }).len()
    }

    /// The first words from a code point of the field on, in at most `bytes` bytes; nothing if there are none.
    pub(crate) fn words_from(&self, start: u32, bytes: usize) -> Option<(Passage, usize)> {
        let from = byte_of(&self.text, start.checked_sub(self.start)?);
        let rest = &self.text[from..];
        let from = from + (rest.len() - rest.trim_start().len());
        let words = prefix_of_words(&self.text[from..], bytes);
        (!words.is_empty()).then(|| (self.between(from, from + words.len()), words.len()))
    }

    /// The words around a match, in at most `bytes` bytes: a third before it, starting with a whole word.
    pub(crate) fn around(&self, hit: Span, bytes: usize) -> Option<(Passage, usize)> {
        let hit_from = byte_of(&self.text, hit.start.checked_sub(self.start)?);
        let hit_to = byte_of(&self.text, hit.end.checked_sub(self.start)?);
        if hit_from >= hit_to || hit_to - hit_from > bytes {
            return None;
        }
        let before = (bytes - (hit_to - hit_from)) / 3;
        let earliest = self.text.ceil_char_boundary(hit_from.saturating_sub(before));
        let from = earliest + start_of_words(&self.text[earliest..hit_from], earliest == 0);
        let after = prefix_of_words(&self.text[hit_to..], bytes - (hit_to - from));
        let to = hit_to + after.len();
        Some((self.between(from, to), to - from))
    }
}

/// Where to start so that the first word is whole: after the last line end, else after the first space.
fn start_of_words(before: &str, is_start: bool) -> usize {
    if let Some(line) = before.rfind('\n') {
        return line + 1;
    }
    if is_start {
        return before.len() - before.trim_start().len();
    }
    before.find(char::is_whitespace).map_or(before.len(), |space| space + 1).min(before.len())
}

/// Reads all that is wanted in one crossing; what is refused is simply not known.
pub(crate) fn read_all<'a>(reader: &impl Reader, wanted: Vec<(u32, &'a str, Span)>) -> Vec<Piece<'a>> {
    let asked: Vec<_> = wanted
        .iter()
        .map(|(slot, path, at)| Wanted { slot: *slot, path: (*path).to_owned(), at: *at })
        .collect();
    let answers = reader.read(&asked);
    wanted
        .into_iter()
        .zip(answers)
        .filter_map(|((slot, path, at), text)| {
            Some(Piece { slot, path, start: at.start, text: text.ok()?.into() })
        })
        .collect()
}

/// Shows a passage verbatim.
pub(crate) fn verbatim(passage: Passage) -> Shown {
    Shown::Verbatim(passage)
}
