//! Guests that break the contract, one behaviour each, under `examples/`. The host's tests build and run them.

use stepwell_sdk::preview::{Derived, Passage, Sheet, Shown};
use stepwell_sdk::{Refusal, Span};

/// A sheet for slot 0 with these lines.
#[must_use]
pub fn sheet(lines: Vec<Shown>) -> Vec<Sheet> {
    vec![Sheet { slot: 0, title: None, lines, anchors: Vec::new(), options: Vec::new() }]
}

/// A line of the tier's own.
#[must_use]
pub fn says(text: impl Into<String>) -> Shown {
    Shown::Derived(Derived { text: text.into(), covers: None })
}

/// A line of the record's own.
#[must_use]
pub fn shows(path: &str, start: u32, end: u32) -> Shown {
    Shown::Verbatim(Passage { path: path.to_owned(), at: Span { start, end } })
}

/// What came of a read, in a word.
#[must_use]
pub fn outcome<T>(answer: &Result<T, Refusal>) -> &'static str {
    match answer {
        Ok(_) => "given",
        Err(Refusal::NotInHand) => "not-in-hand",
        Err(Refusal::NotText) => "not-text",
        Err(Refusal::OverAllowance) => "over-allowance",
        Err(Refusal::Other(_)) => "other",
    }
}
