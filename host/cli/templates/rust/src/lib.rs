//! A preview of records: what they are called, how long they take to read, and how they begin.
//!
//! The host shows a record without its content, as a `RecordShape`. The answer is a plan: passages of the record's
//! own words, which the host cuts out and prints, and words of your own, which it marks as derived.

use stepwell_sdk::preview::{Derived, Guest, Passage, Sheet, Shown};
use stepwell_sdk::record::Part;
use stepwell_sdk::text::{chars, first_line, prefix};
use stepwell_sdk::{Context, Fault, FieldExt, FieldShape, Level, RecordExt, RecordShape, Span, log};

/// How many characters people read in a minute.
const CHARS_A_MINUTE: u32 = 1_200;
/// The longest title, in bytes.
const TITLE: usize = 80;
/// The longest line, in bytes.
const LINE: usize = 120;

/// The component.
#[derive(Debug)]
pub struct Preview;

impl Guest for Preview {
    fn compose(records: Vec<RecordShape>, context: Context) -> Result<Vec<Sheet>, Fault> {
        // `stepwell plugin check` and `stepwell plugin preview` show this; a server drops it.
        log(Level::Debug, &format!("{} records", records.len()));
        let room = context.budget.bytes as usize;
        Ok(records.iter().map(|record| sheet(record, room)).collect())
    }
}

stepwell_sdk::preview::export!(Preview);

/// One record's preview, in at most `room` bytes: what is longer is refused.
pub fn sheet(record: &RecordShape, room: usize) -> Sheet {
    let title = record.part(Part::Title).and_then(|field| beginning(field, TITLE.min(room / 3)));
    let mut room = room - title.as_ref().map_or(0, size);
    let mut lines = Vec::new();
    if let Some(body) = record.part(Part::Body).filter(|field| field.is_readable()) {
        let minutes = body.size().div_ceil(CHARS_A_MINUTE);
        // `covers` says which part the words stand for, so that a reader can go there.
        let covers = Passage { path: body.path.clone(), at: Span { start: 0, end: body.size() } };
        let time = Shown::Derived(Derived { text: format!("{minutes} min to read"), covers: Some(covers) });
        if size(&time) <= room {
            room -= size(&time);
            lines.push(time);
        }
        lines.extend(beginning(body, LINE.min(room)));
    }
    Sheet { slot: record.slot, title, lines, anchors: Vec::new(), options: Vec::new() }
}

/// The first line of a text in its own words. The head that a shape carries is enough; more would be read from the host.
fn beginning(field: &FieldShape, bytes: usize) -> Option<Shown> {
    let head = field.head_text();
    let line = first_line(head)?;
    let words = prefix(stepwell_sdk::text::slice(head, line), bytes);
    let at = Span { start: line.start, end: line.start + chars(words) };
    (!words.is_empty()).then(|| Shown::Verbatim(Passage { path: field.path.clone(), at }))
}

/// What it counts for in the budget.
fn size(shown: &Shown) -> usize {
    match shown {
        Shown::Verbatim(passage) => (passage.at.end - passage.at.start) as usize,
        Shown::Derived(derived) => derived.text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwell_sdk::testing::{record, text};

    #[test]
    fn says_how_long_a_text_takes_to_read() {
        let mail = record("messages", vec![text("subject", "Hello"), text("body", &"word ".repeat(1_000))]);
        let sheet = sheet(&mail, 240);
        assert_eq!(size(sheet.title.as_ref().unwrap()), "Hello".len());
        let Shown::Derived(time) = &sheet.lines[0] else { panic!("{:?}", sheet.lines) };
        assert_eq!(time.text, "5 min to read");
        assert_eq!(time.covers.as_ref().unwrap().at, Span { start: 0, end: 5_000 });
    }

    #[test]
    fn stays_within_its_budget_whatever_the_record_holds() {
        for room in [0, 1, 10, 240] {
            let body = "é\u{202e}".repeat(900);
            let odd = record("notes", vec![text("title", "日本語🙂\n"), text("body", &body)]);
            let sheet = sheet(&odd, room);
            assert!(sheet.title.iter().chain(&sheet.lines).map(size).sum::<usize>() <= room);
        }
        assert_eq!(sheet(&record("notes", Vec::new()), 240).lines, []);
    }
}
