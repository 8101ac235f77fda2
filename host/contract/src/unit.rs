//! Units of length. A bare integer never says whether it counts bytes or characters; these do.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Range, Sub};

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl $name {
            /// Nothing at all.
            pub const ZERO: Self = Self(0);

            /// Returns the plain number.
            #[must_use]
            pub const fn get(self) -> u64 {
                self.0
            }

            /// Subtracts and stops at zero.
            #[must_use]
            pub const fn saturating_sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }

            /// Adds and stops at the largest number, so that hostile offsets cannot wrap around.
            #[must_use]
            pub const fn saturating_add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

unit! {
    /// A count of Unicode code points: the only unit of text that a client ever sees.
    Chars
}
unit! {
    /// A count of bytes.
    Bytes
}

impl Chars {
    /// Counts the code points of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self(text.chars().count() as u64)
    }
}

impl Bytes {
    /// Counts the UTF-8 bytes of a text.
    #[must_use]
    pub const fn of(text: &str) -> Self {
        Self(text.len() as u64)
    }
}

/// A half-open range of code points. `start <= end` always holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    start: Chars,
    end: Chars,
}

impl Span {
    /// Builds a span; `None` if it would end before it starts.
    #[must_use]
    pub fn new(start: Chars, end: Chars) -> Option<Self> {
        (start <= end).then_some(Self { start, end })
    }

    /// Builds the span of `len` code points from `start`.
    #[must_use]
    pub const fn at(start: Chars, len: Chars) -> Self {
        Self { start, end: start.saturating_add(len) }
    }

    /// The first code point inside.
    #[must_use]
    pub const fn start(self) -> Chars {
        self.start
    }

    /// The first code point that is no longer inside.
    #[must_use]
    pub const fn end(self) -> Chars {
        self.end
    }

    /// How many code points it holds.
    #[must_use]
    pub const fn len(self) -> Chars {
        Chars(self.end.0 - self.start.0)
    }

    /// Whether it holds nothing.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start.0 == self.end.0
    }

    /// Whether `other` lies wholly inside.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Moves the span along by `by` code points.
    #[must_use]
    pub const fn shifted(self, by: Chars) -> Self {
        Self { start: self.start.saturating_add(by), end: self.end.saturating_add(by) }
    }
}

/// Cuts a span of code points out of a text; what lies past the end is simply not there.
#[must_use]
pub fn slice(text: &str, span: Span) -> &str {
    &text[bytes_of(text, span)]
}

/// Does the same to a text that is there for it, and copies nothing if it starts with what is left.
#[must_use]
pub fn cut(mut text: String, span: Span) -> String {
    let kept = bytes_of(&text, span);
    text.truncate(kept.end);
    text.drain(..kept.start);
    text
}

/// The bytes of a span of code points, as far as it is there.
fn bytes_of(text: &str, span: Span) -> Range<usize> {
    let from = byte_of(text, span.start());
    from..from + byte_of(&text[from..], span.len())
}

/// Finds the byte at which the `at`-th code point starts, or the end of the text.
fn byte_of(text: &str, at: Chars) -> usize {
    // A walk from one code point to the next takes many times as long as counting where a block of bytes has any start.
    const BLOCK: usize = 64;
    let mut left = usize::try_from(at.get()).unwrap_or(usize::MAX);
    if left >= text.len() {
        return text.len();
    }
    let bytes = text.as_bytes();
    let mut skipped = 0;
    while let Some(block) = bytes[skipped..].first_chunk::<BLOCK>() {
        let starts: u8 = block.iter().map(|byte| u8::from(starts_code_point(*byte))).sum();
        if usize::from(starts) > left {
            break;
        }
        (left, skipped) = (left - usize::from(starts), skipped + BLOCK);
    }
    let mut starts = (skipped..bytes.len()).filter(|place| starts_code_point(bytes[*place]));
    starts.nth(left).unwrap_or(bytes.len())
}

/// Whether a byte of UTF-8 begins a code point: all but `10xxxxxx` do.
const fn starts_code_point(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn slices_like_a_list_of_chars(text in "\\PC{0,40}|[a\u{e9}]{100,300}", start in 0u64..310, len in 0u64..310) {
            let naive: String = text.chars().skip(start as usize).take(len as usize).collect();
            let span = Span::at(Chars(start), Chars(len));
            prop_assert_eq!(slice(&text, span), &naive);
            prop_assert_eq!(cut(text, span), naive);
        }
    }

    #[test]
    fn a_span_never_ends_before_it_starts() {
        assert!(Span::new(Chars(3), Chars(2)).is_none());
        assert_eq!(Span::at(Chars(u64::MAX), Chars(9)).len(), Chars(0));
    }
}
