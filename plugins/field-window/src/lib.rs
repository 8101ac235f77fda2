//! The default field-window tier: exactly the span that was asked for, within the field.
//!
//! Windows of equal size are what an agent can reckon with, and their concatenation is the field whatever the edges are.
//! A tier that moves the edges to words or lines is a replacement away.

use stepwell_sdk::field_window::{Around, Asked, Back, Guest, Page};
use stepwell_sdk::{Context, Fault, FieldShape, Span};

/// Places the window. An unknown size is no obstacle: the host cuts what lies past the end.
pub fn place(field: &FieldShape, asked: &Asked) -> Result<Span, Fault> {
    let size = field.chars.unwrap_or(u32::MAX);
    match asked {
        Asked::Page(page) => Ok(on_from(*page, size)),
        Asked::Back(back) => Ok(up_to(*back, size)),
        Asked::Around(around) => Ok(around_match(*around, size)),
        Asked::Other(kind) => Err(Fault::Unsupported(kind.clone())),
    }
}

/// An offset past the end is an empty window at the end.
fn on_from(page: Page, size: u32) -> Span {
    let start = page.offset.min(size);
    Span { start, end: start.saturating_add(page.limit).min(size) }
}

fn up_to(back: Back, size: u32) -> Span {
    let end = back.end.min(size);
    Span { start: end.saturating_sub(back.limit), end }
}

/// As much as asked on either side. If the limit is smaller, the sides share what the match leaves of it, and what one
/// side does not need goes to the other.
fn around_match(around: Around, size: u32) -> Span {
    let Around { hit, before, after, limit } = around;
    let before = before.min(hit.start);
    let after = after.min(size.saturating_sub(hit.end));
    let spare = limit.saturating_sub(hit.end - hit.start);
    let (before, after) = if before.saturating_add(after) <= spare {
        (before, after)
    } else {
        let half = spare / 2;
        let before = before.min(half.max(spare.saturating_sub(after)));
        (before, after.min(spare - before))
    };
    Span { start: hit.start - before, end: hit.end + after }
}

/// The component.
#[derive(Debug)]
pub struct FieldWindow;

impl Guest for FieldWindow {
    fn place(_slot: u32, field: FieldShape, asked: Asked, _context: Context) -> Result<Span, Fault> {
        place(&field, &asked)
    }
}

stepwell_sdk::field_window::export!(FieldWindow);

#[cfg(test)]
mod tests {
    use super::*;
    use stepwell_sdk::testing::text;

    fn placed(asked: Asked) -> (u32, u32) {
        let span = place(&text("body", &"x".repeat(1_000)), &asked).unwrap();
        (span.start, span.end)
    }

    #[test]
    fn pages_are_exact_and_end_with_the_field() {
        assert_eq!(placed(Asked::Page(Page { offset: 100, limit: 50 })), (100, 150));
        assert_eq!(placed(Asked::Page(Page { offset: 990, limit: 50 })), (990, 1_000));
        assert_eq!(placed(Asked::Page(Page { offset: 5_000, limit: 50 })), (1_000, 1_000));
        assert_eq!(placed(Asked::Back(Back { end: 100, limit: 30 })), (70, 100));
        assert_eq!(placed(Asked::Back(Back { end: 10, limit: 30 })), (0, 10));
    }

    #[test]
    fn a_field_of_unknown_size_is_placed_as_asked() {
        let mut field = text("body", "");
        field.chars = None;
        let span = place(&field, &Asked::Page(Page { offset: u32::MAX - 1, limit: 9 })).unwrap();
        assert_eq!((span.start, span.end), (u32::MAX - 1, u32::MAX));
    }

    #[test]
    fn around_a_match_the_limit_is_shared() {
        let around = |at: u32, before, after, limit| {
            placed(Asked::Around(Around { hit: Span { start: at, end: at + 10 }, before, after, limit }))
        };
        assert_eq!(around(500, 100, 200, 1_000), (400, 710));
        assert_eq!(around(500, 100, 100, 50), (480, 530));
        assert_eq!(around(500, 5, 100, 50), (495, 545));
        assert_eq!(around(500, 100, 5, 50), (465, 515));
        assert_eq!(around(500, 100, 100, 4), (500, 510));
        assert_eq!(around(990, 100, 100, 60), (940, 1_000));
        assert_eq!(around(0, 100, 100, 60), (0, 60));
    }

    #[test]
    fn what_a_later_host_asks_is_unsupported() {
        assert!(matches!(place(&text("body", ""), &Asked::Other("x".into())), Err(Fault::Unsupported(_))));
    }
}
