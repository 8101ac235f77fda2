//! Window maths, in code points. What is next, what came before and whether that was all follow from three numbers.

use crate::budget::MAX_LIMIT;
use crate::unit::{Chars, Span};

/// A part of a field, and what is needed to page on from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The part that is shown. It lies within the field.
    pub span: Span,
    /// How long the field is.
    pub total: Chars,
    /// How long the neighbouring windows may be; at least one, so that paging comes to an end.
    pub limit: Chars,
}

impl Window {
    /// Places a window at an offset; past the end of the field it is empty and stands at the end.
    #[must_use]
    pub fn at_offset(total: Chars, offset: Chars, limit: Chars) -> Self {
        let limit = limit.max(Chars(1));
        let start = offset.min(total);
        Self { span: Span::at(start, limit.min(total - start)), total, limit }
    }

    /// Places a window around a match, with context on both sides.
    ///
    /// The window contains the match whatever the limit says. Where the limit leaves less room than the context asks
    /// for, each side gets half of it, and what one side cannot use goes to the other.
    #[must_use]
    pub fn around(total: Chars, hit: Span, before: Chars, after: Chars, limit: Option<Chars>) -> Self {
        // A match outside the field would be a bug of the caller; the window stays within the field even then.
        let hit_end = hit.end().min(total);
        let hit_start = hit.start().min(hit_end);
        let length = hit_end - hit_start;

        let room = limit.unwrap_or(MAX_LIMIT).saturating_sub(length);
        let (left, right) = share(room, before.min(hit_start), after.min(total - hit_end));
        let asked = before.saturating_add(length).saturating_add(after).min(MAX_LIMIT);
        let limit = limit.unwrap_or(asked).max(Chars(1));
        Self { span: Span::at(hit_start - left, left + length + right), total, limit }
    }

    /// Whether the window is the whole field.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.span.start() == Chars::ZERO && self.span.end() == self.total
    }

    /// Where the next window starts, or `None` at the end of the field.
    #[must_use]
    pub fn next(&self) -> Option<Chars> {
        (self.span.end() < self.total).then(|| self.span.end())
    }

    /// The window that ends where this one starts, or `None` at the start of the field.
    ///
    /// Near the start it is shorter instead of overlapping, so that paging backwards shows nothing twice.
    #[must_use]
    pub fn previous(&self) -> Option<Span> {
        let end = self.span.start();
        (end > Chars::ZERO).then(|| {
            let length = self.limit.min(end);
            Span::at(end - length, length)
        })
    }
}

/// Shares room between two sides that want so much each.
fn share(room: Chars, left: Chars, right: Chars) -> (Chars, Chars) {
    if left.saturating_add(right) <= room {
        return (left, right);
    }
    let half = Chars(room.get() / 2);
    let left = left.min(half.max(room.saturating_sub(right)));
    (left, right.min(room - left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::slice;
    use proptest::prelude::*;

    fn window(start: u64, end: u64, total: u64, limit: u64) -> Window {
        let span = Span::new(Chars(start), Chars(end)).unwrap();
        Window { span, total: Chars(total), limit: Chars(limit) }
    }

    #[test]
    fn pages_by_offset() {
        let at = |offset, limit, total| Window::at_offset(Chars(total), Chars(offset), Chars(limit));
        assert_eq!(at(0, 100, 100), window(0, 100, 100, 100));
        assert_eq!(at(50, 30, 100), window(50, 80, 100, 30));
        assert_eq!(at(10, 200, 100), window(10, 100, 100, 200));
        assert_eq!(at(200, 30, 100), window(100, 100, 100, 30));
        assert_eq!(at(u64::MAX, 30, 0), window(0, 0, 0, 30));
    }

    #[test]
    fn complete_means_the_whole_field() {
        assert!(window(0, 100, 100, 100).complete());
        assert!(window(0, 0, 0, 30).complete());
        assert!(!window(10, 100, 100, 200).complete());
        assert!(!window(0, 99, 100, 99).complete());
        assert!(!window(100, 100, 100, 30).complete());
    }

    #[test]
    fn neighbours_touch_and_never_overlap() {
        let shorter = window(10, 40, 100, 30);
        assert_eq!(shorter.previous(), Span::new(Chars(0), Chars(10)));
        assert_eq!(shorter.next(), Some(Chars(40)));
        assert_eq!(window(0, 40, 40, 40).next(), None);
        assert_eq!(window(0, 40, 40, 40).previous(), None);
        assert_eq!(window(100, 100, 100, 30).previous(), Span::new(Chars(70), Chars(100)));
    }

    #[test]
    fn context_shrinks_evenly_and_the_match_stays() {
        let around = |limit| {
            let hit = Span::at(Chars(500), Chars(10));
            Window::around(Chars(1_000), hit, Chars(100), Chars(100), limit)
        };
        assert_eq!(around(None), window(400, 610, 1_000, 210));
        assert_eq!(around(Some(Chars(50))), window(480, 530, 1_000, 50));
        assert_eq!(around(Some(Chars(3))), window(500, 510, 1_000, 3));
        let near_start = Window::around(
            Chars(1_000),
            Span::at(Chars(5), Chars(10)),
            Chars(100),
            Chars(100),
            Some(Chars(50)),
        );
        assert_eq!(near_start, window(0, 50, 1_000, 50));
        let widest = Window::around(
            Chars(90_000),
            Span::at(Chars(40_000), Chars(512)),
            Chars(8_192),
            Chars(8_192),
            None,
        );
        assert_eq!((widest.span.len(), widest.limit), (MAX_LIMIT, MAX_LIMIT));
    }

    proptest! {
        #[test]
        fn windows_along_next_make_the_text(text in "\\PC{0,60}", limit in 1u64..20) {
            let total = Chars::of(&text);
            let (mut read, mut at) = (String::new(), Some(Chars::ZERO));
            while let Some(offset) = at {
                let window = Window::at_offset(total, offset, Chars(limit));
                read.push_str(slice(&text, window.span));
                at = window.next();
            }
            prop_assert_eq!(read, text);
        }

        #[test]
        fn windows_along_previous_make_the_text(text in "\\PC{0,60}", offset in 0u64..80, limit in 1u64..20) {
            let mut window = Window::at_offset(Chars::of(&text), Chars(offset), Chars(limit));
            let mut read = slice(&text, window.span).to_owned();
            let end = window.span.end();
            while let Some(span) = window.previous() {
                read.insert_str(0, slice(&text, span));
                window.span = span;
            }
            prop_assert_eq!(read.as_str(), slice(&text, Span::at(Chars::ZERO, end)));
        }

        #[test]
        fn a_window_around_a_match_is_what_a_slow_search_finds(
            total in 0u64..200, start in 0u64..200, length in 1u64..40,
            before in 0u64..60, after in 0u64..60, limit in proptest::option::of(1u64..120),
        ) {
            let start = start.min(total);
            let hit = Span::at(Chars(start), Chars(length.min(total - start)));
            let window = Window::around(Chars(total), hit, Chars(before), Chars(after), limit.map(Chars));
            prop_assert!(window.span.contains(hit));
            prop_assert!(window.span.end() <= window.total);
            let left = (hit.start() - window.span.start()).get();
            let right = (window.span.end() - hit.end()).get();
            let (most_left, most_right) = (before.min(start), after.min(total - hit.end().get()));

            // The slow way: hand out the room one character at a time, the right side first, and stop when it is gone.
            let mut room = limit.unwrap_or(u64::MAX).saturating_sub(hit.len().get());
            let (mut slow_left, mut slow_right) = (0, 0);
            while room > 0 && (slow_left < most_left || slow_right < most_right) {
                let to_right = slow_left >= most_left || (slow_right < most_right && slow_right <= slow_left);
                if to_right { slow_right += 1 } else { slow_left += 1 }
                room -= 1;
            }
            prop_assert_eq!((left, right), (slow_left, slow_right));
        }

        #[test]
        fn no_number_overflows(total in any::<u64>(), a in any::<u64>(), b in any::<u64>(), c in any::<u64>(), d in any::<u64>()) {
            let window = Window::at_offset(Chars(total), Chars(a), Chars(b));
            let around = Window::around(Chars(total), Span::at(Chars(a), Chars(b)), Chars(c), Chars(d), Some(Chars(a)));
            for window in [window, around] {
                prop_assert!(window.span.end() <= window.total);
                let _ = (window.next(), window.previous(), window.complete());
            }
        }
    }
}
