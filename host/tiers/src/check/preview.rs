//! The preview tier's answers.

use super::{at_most, clean, inside, readable};
use crate::fault::Invalid;
use crate::limits;
use crate::plan::{Derived, Passage, Sheet, Shown};
use crate::shape::{Budget, RecordShape};
use std::collections::HashSet;
use stepwell_contract::{Chars, Span};

/// Checks the sheets of a page: slots and fields in hand, spans inside fields, text clean and within the budget.
pub fn sheets(records: &[RecordShape], budget: Budget, sheets: Vec<Sheet>) -> Result<Vec<Sheet>, Invalid> {
    let mut seen = HashSet::new();
    sheets
        .into_iter()
        .map(|sheet| {
            let slot = sheet.slot;
            let record =
                records.iter().find(|record| record.slot == slot).ok_or(Invalid::SlotNotInHand(slot))?;
            if !seen.insert(slot) {
                return Err(Invalid::SlotTwice(slot));
            }
            one(record, budget, sheet)
        })
        .collect()
}

fn one(record: &RecordShape, budget: Budget, mut sheet: Sheet) -> Result<Sheet, Invalid> {
    at_most("lines", sheet.lines.len(), limits::ENTRIES.min(budget.lines as usize))?;
    at_most("anchors", sheet.anchors.len(), limits::ANCHORS.min(budget.anchors as usize))?;
    let line_bytes = usize::try_from(budget.bytes.get()).unwrap_or(usize::MAX);
    sheet.title = sheet.title.map(|title| shown(record, title, limits::TITLE_BYTES)).transpose()?.flatten();
    sheet.lines = keep(sheet.lines.into_iter().map(|line| shown(record, line, line_bytes)))?;
    for anchor in &mut sheet.anchors {
        let field = readable(record, &anchor.path)?;
        inside(field, Span::at(anchor.at, Chars(1)))?;
        let label = shown(record, anchor.label.clone(), limits::TITLE_BYTES)?;
        // A place without a label is still a place.
        anchor.label = label.unwrap_or(Shown::Verbatim(Passage {
            path: anchor.path.clone(),
            at: Span::at(anchor.at, Chars(0)),
        }));
    }
    let labels = sheet.anchors.iter().map(|anchor| &anchor.label);
    let found: u64 = sheet.title.iter().chain(&sheet.lines).chain(labels).map(least_bytes).sum();
    if found > budget.bytes.get() {
        return Err(Invalid::TooLong { found, most: budget.bytes.get() });
    }
    Ok(sheet)
}

/// Leaves out what became empty when it was cleaned.
fn keep(lines: impl Iterator<Item = Result<Option<Shown>, Invalid>>) -> Result<Vec<Shown>, Invalid> {
    lines.filter_map(Result::transpose).collect()
}

/// The least that it takes to show: a passage's bytes are known only when it is read, and the caller cuts it then.
fn least_bytes(shown: &Shown) -> u64 {
    match shown {
        Shown::Verbatim(passage) => passage.at.len().get(),
        Shown::Derived(derived) => derived.text.len() as u64,
    }
}

fn shown(record: &RecordShape, shown: Shown, bytes: usize) -> Result<Option<Shown>, Invalid> {
    Ok(match shown {
        Shown::Verbatim(mut own) => {
            passage(record, &own)?;
            own.at = Span::at(own.at.start(), own.at.len().min(Chars(bytes as u64)));
            (!own.at.is_empty()).then_some(Shown::Verbatim(own))
        }
        Shown::Derived(Derived { text, covers }) => {
            covers.as_ref().map(|covers| passage(record, covers)).transpose()?;
            let text = clean(&text, bytes);
            (!text.is_empty()).then_some(Shown::Derived(Derived { text, covers }))
        }
    })
}

fn passage(record: &RecordShape, passage: &Passage) -> Result<(), Invalid> {
    inside(readable(record, &passage.path)?, passage.at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Anchor;
    use crate::shape::{FieldKind, FieldShape, Slot};
    use stepwell_contract::Bytes;

    const BUDGET: Budget = Budget { bytes: Bytes(100), lines: 3, anchors: 2 };

    fn records() -> Vec<RecordShape> {
        let body = FieldShape::text("body", &"x".repeat(50), Chars(10));
        let open = FieldShape::new("open", FieldKind::Text);
        let photo = FieldShape::new("photo", FieldKind::Binary);
        vec![RecordShape::new(Slot(1), "notes", vec![body, open, photo])]
    }

    fn verbatim(path: &str, start: u64, end: u64) -> Shown {
        Shown::Verbatim(Passage { path: path.into(), at: Span::new(Chars(start), Chars(end)).unwrap() })
    }

    fn derived(text: &str) -> Shown {
        Shown::Derived(Derived { text: text.into(), covers: None })
    }

    fn sheet(lines: Vec<Shown>) -> Sheet {
        Sheet { slot: Slot(1), title: None, lines, anchors: Vec::new() }
    }

    fn checked(sheet: Sheet) -> Result<Sheet, Invalid> {
        sheets(&records(), BUDGET, vec![sheet]).map(|mut all| all.remove(0))
    }

    #[test]
    fn a_good_sheet_passes_and_its_text_is_cleaned() {
        let mut good = sheet(vec![verbatim("body", 0, 50), derived("a\nid=\u{202e}x"), derived("\u{200b}")]);
        good.title = Some(verbatim("open", 5, 9));
        good.anchors = vec![Anchor { path: "body".into(), at: Chars(49), label: derived("end") }];
        let checked = checked(good).unwrap();
        assert_eq!(checked.lines, [verbatim("body", 0, 50), derived("a id=x")]);
        assert_eq!(checked.anchors.len(), 1);
    }

    #[test]
    fn what_is_not_in_hand_is_refused() {
        let size = Chars(50);
        assert!(
            matches!(checked(sheet(vec![verbatim("body", 40, 51)])), Err(Invalid::OutsideField { size: s, .. }) if s == size)
        );
        assert_eq!(checked(sheet(vec![verbatim("photo", 0, 1)])), Err(Invalid::FieldNotInHand));
        assert_eq!(checked(sheet(vec![verbatim("other", 0, 1)])), Err(Invalid::FieldNotInHand));
        let covers = Some(Passage { path: "body".into(), at: Span::at(Chars(50), Chars(1)) });
        let lie = Shown::Derived(Derived { text: "x".into(), covers });
        assert!(checked(sheet(vec![lie])).is_err());
        let mut anchored = sheet(Vec::new());
        anchored.anchors = vec![Anchor { path: "body".into(), at: Chars(50), label: derived("past") }];
        assert!(checked(anchored).is_err());
        let other = Sheet { slot: Slot(2), ..sheet(Vec::new()) };
        assert_eq!(checked(other), Err(Invalid::SlotNotInHand(Slot(2))));
        let twice = sheets(&records(), BUDGET, vec![sheet(Vec::new()), sheet(Vec::new())]);
        assert_eq!(twice, Err(Invalid::SlotTwice(Slot(1))));
    }

    #[test]
    fn the_budget_holds() {
        assert!(matches!(checked(sheet(vec![derived("x"); 4])), Err(Invalid::TooMany { what: "lines", .. })));
        assert_eq!(
            checked(sheet(vec![derived(&"x".repeat(60)), verbatim("body", 0, 50)])),
            Err(Invalid::TooLong { found: 110, most: 100 })
        );
        let long = checked(sheet(vec![derived(&"x".repeat(9_999))])).unwrap();
        assert_eq!(long.lines, [derived(&"x".repeat(100))]);
    }
}
