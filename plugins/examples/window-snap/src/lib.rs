//! A field-window tier whose windows end with a line or a word.
//!
//! The default tier cuts exactly where it was told to. This one gives up to half of a window away so that no line (or,
//! with `snap = "word"`, no word) is torn. What a window leaves out, the next one starts with, so their concatenation is
//! the field all the same.

use stepwell_sdk::field_window::{Around, Asked, Back, Guest, Page};
use stepwell_sdk::text::chars;
use stepwell_sdk::{Context, Fault, FieldShape, Host, Reader, Span};

/// How far from its edge a window looks for a better one, in code points. Half of a window bounds it too.
const LOOK: u32 = 1_024;

/// What a window ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snap {
    /// A line, or a word where no line ends nearby.
    Line,
    /// A word.
    Word,
}

impl Snap {
    /// Reads the operator's choice. A misspelled one is a fault, so that it is noticed.
    pub fn chosen(context: &Context) -> Result<Self, Fault> {
        match context.options.iter().find(|(name, _)| name == "snap").map(|(_, value)| value.as_str()) {
            None | Some("line") => Ok(Self::Line),
            Some("word") => Ok(Self::Word),
            Some(other) => Err(Fault::Invalid(format!("snap is \"line\" or \"word\", not {other:?}"))),
        }
    }

    /// What this kind of edge follows, the best first.
    const fn marks(self) -> &'static [fn(char) -> bool] {
        const LINE_THEN_WORD: &[fn(char) -> bool] = &[is_line_end, char::is_whitespace];
        match self {
            Self::Line => LINE_THEN_WORD,
            Self::Word => LINE_THEN_WORD.split_at(1).1,
        }
    }
}

fn is_line_end(c: char) -> bool {
    c == '\n'
}

/// Places the window: as it was asked for, with its loose edges moved inwards.
pub fn place(
    slot: u32,
    field: &FieldShape,
    asked: &Asked,
    snap: Snap,
    reader: &impl Reader,
) -> Result<Span, Fault> {
    let size = field.chars.unwrap_or(u32::MAX);
    let edges = Edges { slot, path: &field.path, size, snap, reader };
    Ok(match asked {
        Asked::Page(Page { offset, limit }) => {
            let start = (*offset).min(size);
            let end = start.saturating_add(*limit).min(size);
            Span { start, end: edges.end(end, (end - start) / 2) }
        }
        Asked::Back(Back { end, limit }) => {
            let end = (*end).min(size);
            let start = end.saturating_sub(*limit);
            Span { start: edges.start(start, (end - start) / 2), end }
        }
        Asked::Around(around) => {
            let full = around_match(*around, size);
            // The match itself is never touched: an edge moves at most half of the way to it.
            let start = edges.start(full.start, (around.hit.start - full.start) / 2);
            let end = edges.end(full.end, (full.end - around.hit.end) / 2);
            Span { start, end }
        }
        Asked::Other(kind) => return Err(Fault::Unsupported(kind.clone())),
    })
}

/// As much as asked on either side, which share what the match leaves of the limit.
fn around_match(around: Around, size: u32) -> Span {
    let Around { hit, before, after, limit } = around;
    let spare = limit.saturating_sub(hit.end - hit.start);
    let before = before.min(hit.start).min(spare);
    let after = after.min(size.saturating_sub(hit.end)).min(spare);
    let before = before.min((spare / 2).max(spare - after));
    Span { start: hit.start - before, end: hit.end + after.min(spare - before) }
}

/// Looks at the text near an edge. Where it may not, or finds nothing, the edge stays.
struct Edges<'a, R> {
    slot: u32,
    path: &'a str,
    size: u32,
    snap: Snap,
    reader: &'a R,
}

impl<R: Reader> Edges<'_, R> {
    /// Moves an end back by at most `most`, to just after a mark.
    fn end(&self, end: u32, most: u32) -> u32 {
        let most = most.min(LOOK);
        // The field's own end is the best there is.
        if most == 0 || end == self.size {
            return end;
        }
        // One more than may be given away: the mark before the earliest end counts too.
        let from = end - most - 1;
        let Ok(text) = self.reader.read_one(self.slot, self.path, Span { start: from, end }) else {
            return end;
        };
        let last = |mark: &fn(char) -> bool| {
            let (at, c) = text.char_indices().rev().find(|(_, c)| mark(*c))?;
            Some(from + chars(&text[..at + c.len_utf8()]))
        };
        self.snap.marks().iter().find_map(last).unwrap_or(end)
    }

    /// Moves a start on by at most `most`, to just after a mark.
    fn start(&self, start: u32, most: u32) -> u32 {
        let most = most.min(LOOK);
        if most == 0 || start == 0 {
            return start;
        }
        let from = start - 1;
        let Ok(text) = self.reader.read_one(self.slot, self.path, Span { start: from, end: from + most })
        else {
            return start;
        };
        let first = |mark: &fn(char) -> bool| {
            let (at, c) = text.char_indices().find(|(_, c)| mark(*c))?;
            Some(from + chars(&text[..at + c.len_utf8()]))
        };
        self.snap.marks().iter().find_map(first).unwrap_or(start)
    }
}

/// The component.
#[derive(Debug)]
pub struct WindowSnap;

impl Guest for WindowSnap {
    fn place(slot: u32, field: FieldShape, asked: Asked, context: Context) -> Result<Span, Fault> {
        place(slot, &field, &asked, Snap::chosen(&context)?, &Host)
    }
}

stepwell_sdk::field_window::export!(WindowSnap);

#[cfg(test)]
mod tests {
    use super::*;
    use stepwell_sdk::Purpose;
    use stepwell_sdk::testing::{Memory, context, text};
    use stepwell_sdk::text::slice;

    const POEM: &str =
        "Ein Löwe schlief.\nZwei Mäuse kamen leise näher.\r\nDrei\n\nlangewörterohneendeundohnelücke 🦁 Ende";

    fn placed(content: &str, asked: Asked, snap: Snap) -> Span {
        let reader = Memory::new(8, 64 * 1024).with(0, "body", content);
        place(0, &text("body", content), &asked, snap, &reader).unwrap()
    }

    fn shown(asked: Asked, snap: Snap) -> &'static str {
        slice(POEM, placed(POEM, asked, snap))
    }

    #[test]
    fn a_page_ends_with_a_line_else_with_a_word() {
        let page = |offset, limit| Asked::Page(Page { offset, limit });
        assert_eq!(shown(page(0, 25), Snap::Line), "Ein Löwe schlief.\n");
        assert_eq!(shown(page(0, 25), Snap::Word), "Ein Löwe schlief.\nZwei ");
        assert_eq!(shown(page(18, 20), Snap::Line), "Zwei Mäuse kamen ");
        assert_eq!(shown(page(55, 10), Snap::Line), "langewörte");
        assert_eq!(shown(page(55, 1_000), Snap::Line), "langewörterohneendeundohnelücke 🦁 Ende");
        assert_eq!(shown(page(9_999, 10), Snap::Line), "");
    }

    #[test]
    fn a_page_back_starts_with_a_line() {
        let back = |end, limit| Asked::Back(Back { end, limit });
        assert_eq!(shown(back(49, 45), Snap::Line), "Zwei Mäuse kamen leise näher.\r\n");
        assert_eq!(shown(back(49, 45), Snap::Word), "Löwe schlief.\nZwei Mäuse kamen leise näher.\r\n");
        assert_eq!(shown(back(5, 45), Snap::Line), "Ein L");
    }

    #[test]
    fn a_match_stays_inside() {
        let at = chars("Ein Löwe schlief.\nZwei Mäuse ");
        let hit = Span { start: at, end: at + 5 };
        for limit in 1..60 {
            for (before, after) in [(0, 0), (3, 3), (29, 50), (200, 200)] {
                let around = Around { hit, before, after, limit };
                let span = placed(POEM, Asked::Around(around), Snap::Word);
                assert!(span.start <= hit.start && span.end >= hit.end, "{around:?}: {span:?}");
                assert!(
                    hit.start - span.start <= before && span.end - hit.end <= after,
                    "{around:?}: {span:?}"
                );
                assert!(span.end - span.start <= limit.max(5), "{around:?}: {span:?}");
            }
        }
        let around = Around { hit, before: 14, after: 12, limit: 100 };
        assert_eq!(shown(Asked::Around(around), Snap::Word), "Zwei Mäuse kamen leise ");
    }

    #[test]
    fn pages_of_any_size_join_to_the_text_and_always_advance() {
        for snap in [Snap::Line, Snap::Word] {
            for limit in 1..40 {
                let (mut offset, mut joined) = (0, String::new());
                while offset < chars(POEM) {
                    let span = placed(POEM, Asked::Page(Page { offset, limit }), snap);
                    assert!(span.start == offset && span.end > offset && span.end - offset <= limit);
                    joined.push_str(slice(POEM, span));
                    offset = span.end;
                }
                assert_eq!(joined, POEM);
            }
        }
    }

    #[test]
    fn without_a_look_at_the_text_windows_are_as_asked() {
        let nothing = Memory::new(0, 0);
        let asked = Asked::Page(Page { offset: 0, limit: 20 });
        let span = place(0, &text("body", POEM), &asked, Snap::Line, &nothing).unwrap();
        assert_eq!((span.start, span.end), (0, 20));
    }

    #[test]
    fn a_misspelled_choice_is_noticed() {
        let mut context = context(Purpose::Document, 0);
        assert_eq!(Snap::chosen(&context).ok(), Some(Snap::Line));
        context.options = vec![("snap".into(), "word".into())];
        assert_eq!(Snap::chosen(&context).ok(), Some(Snap::Word));
        context.options = vec![("snap".into(), "page".into())];
        assert!(matches!(Snap::chosen(&context), Err(Fault::Invalid(_))));
    }
}
