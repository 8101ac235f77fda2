//! Guests that break the contract, one behaviour each, under `examples/`. The host's tests build and run them.

use stepwell_sdk::preview::{Derived, Passage, Sheet, Shown};
use stepwell_sdk::resources::{Offer, Target};
use stepwell_sdk::tool::{Answer, AnswerLine, Definition};
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

/// A link to a whole record.
#[must_use]
pub fn link(slot: u32, title: &str) -> Offer {
    let (target, title) = (Target::WholeRecord, title.to_owned());
    Offer { slot, target, title, priority: 0.5, options: Vec::new() }
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

/// A tool of this name, whose arguments may name a record.
#[must_use]
pub fn tool(name: &str) -> Definition {
    Definition {
        name: name.to_owned(),
        title: String::new(),
        description: "Does harm.".to_owned(),
        input_schema:
            r#"{"type":"object","properties":{"id":{"type":"string"}},"additionalProperties":false}"#
                .to_owned(),
        record_parameters: vec!["id".to_owned()],
        options: Vec::new(),
    }
}

/// An answer of one line, which is about no record.
#[must_use]
pub fn tells(text: impl Into<String>) -> Answer {
    let lines = vec![AnswerLine { text: text.into(), slot: None }];
    Answer { lines, data: None, next: None, options: Vec::new() }
}
