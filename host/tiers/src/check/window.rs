//! The field-window tier's answers.

use super::inside;
use crate::fault::Invalid;
use crate::plan::Asked;
use crate::shape::FieldShape;
use stepwell_contract::{Chars, Span};

/// Checks a window against what was asked. Pages must touch and advance: an agent that pages along would otherwise miss
/// text, or page for ever.
pub fn window(field: &FieldShape, asked: Asked, at: Span) -> Result<Span, Invalid> {
    inside(field, at)?;
    let size = field.chars.unwrap_or(Chars(u64::MAX));
    let check = |holds: bool, rule| if holds { Ok(()) } else { Err(Invalid::Window { at, rule }) };
    match asked {
        Asked::Page { offset, limit } => {
            let offset = offset.min(size);
            check(at.start() == offset, "start at the offset asked for")?;
            check(at.len() <= limit, "keep to the limit")?;
            check(!at.is_empty() || offset == size || limit == Chars::ZERO, "advance")?;
        }
        Asked::Back { end, limit } => {
            let end = end.min(size);
            check(at.end() == end, "end at the place asked for")?;
            check(at.len() <= limit, "keep to the limit")?;
            check(!at.is_empty() || end == Chars::ZERO || limit == Chars::ZERO, "advance")?;
        }
        Asked::Around { hit, before, after, limit } => {
            check(at.contains(hit), "contain the match")?;
            check(hit.start().saturating_sub(at.start()) <= before, "keep to the context before the match")?;
            check(at.end().saturating_sub(hit.end()) <= after, "keep to the context after the match")?;
            check(at.len() <= limit.max(hit.len()), "keep to the limit")?;
        }
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span(start: u64, end: u64) -> Span {
        Span::new(Chars(start), Chars(end)).unwrap()
    }

    fn field() -> FieldShape {
        FieldShape::text("body", &"x".repeat(100), Chars(10))
    }

    fn holds(asked: Asked, start: u64, end: u64) -> bool {
        window(&field(), asked, span(start, end)).is_ok()
    }

    #[test]
    fn a_page_touches_the_last_one_and_advances() {
        let page = |offset, limit| Asked::Page { offset: Chars(offset), limit: Chars(limit) };
        assert!(holds(page(10, 20), 10, 30) && holds(page(10, 20), 10, 11));
        assert!(!holds(page(10, 20), 11, 30) && !holds(page(10, 20), 9, 20));
        assert!(!holds(page(10, 20), 10, 31) && !holds(page(10, 20), 10, 10));
        assert!(holds(page(100, 20), 100, 100) && holds(page(500, 20), 100, 100));
        assert!(!holds(page(90, 20), 90, 101));
    }

    #[test]
    fn a_page_back_touches_too() {
        let back = |end, limit| Asked::Back { end: Chars(end), limit: Chars(limit) };
        assert!(holds(back(50, 20), 30, 50) && holds(back(50, 20), 49, 50) && holds(back(0, 20), 0, 0));
        assert!(!holds(back(50, 20), 50, 50) && !holds(back(50, 20), 29, 50) && !holds(back(50, 20), 30, 49));
    }

    #[test]
    fn around_contains_the_match() {
        let around = |before, after, limit| Asked::Around {
            hit: span(40, 50),
            before: Chars(before),
            after: Chars(after),
            limit: Chars(limit),
        };
        assert!(holds(around(10, 10, 50), 30, 60) && holds(around(10, 10, 50), 40, 50));
        assert!(!holds(around(10, 10, 50), 41, 60) && !holds(around(10, 10, 50), 29, 60));
        assert!(!holds(around(10, 10, 50), 30, 61) && !holds(around(10, 10, 15), 35, 55));
        assert!(holds(around(0, 0, 3), 40, 50));
    }

    #[test]
    fn a_field_of_unknown_size_must_still_advance() {
        let open = FieldShape::new("body", crate::shape::FieldKind::Text);
        let page = Asked::Page { offset: Chars(5), limit: Chars(10) };
        assert!(window(&open, page, span(5, 15)).is_ok());
        assert!(window(&open, page, span(5, 5)).is_err());
    }

    proptest! {
        /// Whatever pages are accepted, following them reaches the end of the field and covers every code point once.
        #[test]
        fn accepted_pages_concatenate_to_the_field(moves in proptest::collection::vec(1u64..60, 1..200)) {
            let (mut offset, field) = (0, field());
            for len in moves.into_iter().chain(std::iter::repeat_n(1, 100)) {
                if offset == 100 { break; }
                let end = (offset + len).min(100);
                let asked = Asked::Page { offset: Chars(offset), limit: Chars(60) };
                let at = window(&field, asked, span(offset, end)).unwrap();
                prop_assert!(at.end().get() > offset);
                offset = at.end().get();
            }
            prop_assert_eq!(offset, 100);
        }
    }
}
