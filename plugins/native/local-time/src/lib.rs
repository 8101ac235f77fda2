//! A native preview tier: says when a record happened, in the reader's time zone.
//!
//! It is native because it reads files. The rules of time zones change several times a year, and the system keeps them
//! up to date in `/usr/share/zoneinfo`, where a component cannot look.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use stepwell_native_sdk::Host;
use stepwell_sdk::preview::{Derived, Guest, Passage, Sheet, Shown};
use stepwell_sdk::record::Part;
use stepwell_sdk::{Context, Fault, FieldExt as _, Reader, RecordExt as _, RecordShape, Span};

/// How much of the body is shown.
const CHARS: u32 = 160;

struct LocalTime;

impl Guest for LocalTime {
    fn compose(records: Vec<RecordShape>, context: Context) -> Result<Vec<Sheet>, Fault> {
        let zone = TimeZone::get(&context.time_zone).unwrap_or(TimeZone::UTC);
        Ok(records.iter().map(|record| sheet(record, &zone, &Host)).collect())
    }
}

stepwell_native_sdk::export_preview!(LocalTime);

/// The title, the moment in this zone, and the beginning of the body.
fn sheet(record: &RecordShape, zone: &TimeZone, reader: &impl Reader) -> Sheet {
    let title = record.part(Part::Title).filter(|field| field.is_readable());
    let moment = record.time.as_deref().or_else(|| record.part(Part::Time)?.head.as_deref());
    let body = record.part(Part::Body).or_else(|| record.longest()).filter(|field| field.is_readable());
    let mut lines = Vec::new();
    lines.extend(
        moment
            .and_then(|moment| local(moment, zone))
            .map(|text| Shown::Derived(Derived { text, covers: None })),
    );
    lines.extend(body.and_then(|field| {
        let at = Span { start: 0, end: field.size().min(CHARS) };
        // A sentence reads better than a number of characters.
        let text = reader.read_one(record.slot, &field.path, at).ok()?;
        let end = stepwell_sdk::text::chars(text.split_inclusive(". ").next().unwrap_or(&text));
        Some(Shown::Verbatim(Passage { path: field.path.clone(), at: Span { start: 0, end } }))
    }));
    let title = title.map(|field| {
        let at = Span { start: 0, end: field.size().min(CHARS) };
        Shown::Verbatim(Passage { path: field.path.clone(), at })
    });
    Sheet { slot: record.slot, title, lines, anchors: Vec::new(), options: Vec::new() }
}

/// A moment of RFC 3339 as people in this zone say it.
fn local(moment: &str, zone: &TimeZone) -> Option<String> {
    let moment: Timestamp = moment.parse().ok()?;
    Some(moment.to_zoned(zone.clone()).strftime("%A %-d %B %Y, %H:%M %Z").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz;
    use stepwell_sdk::testing::{Memory, record, text};

    #[test]
    fn a_moment_is_told_in_the_zone() {
        let zone = TimeZone::fixed(tz::offset(9));
        assert_eq!(local("2026-03-01T22:30:00Z", &zone).as_deref(), Some("Monday 2 March 2026, 07:30 +09"));
        assert_eq!(local("soon", &zone), None);
    }

    #[test]
    fn a_sheet_has_the_title_the_moment_and_the_first_sentence() {
        let body = "The blue kettle leaks. The green one does not.";
        let mut shape = record("notes", vec![text("title", "Kettles"), text("body", body)]);
        shape.time = Some("2026-03-01T08:00:00Z".to_owned());
        let sheet = sheet(&shape, &TimeZone::UTC, &Memory::new(9, 999).with(0, "body", body));
        let first = Shown::Verbatim(Passage { path: "body".into(), at: Span { start: 0, end: 23 } });
        let moment = Derived { text: "Sunday 1 March 2026, 08:00 UTC".into(), covers: None };
        assert_eq!(sheet.lines, [Shown::Derived(moment), first]);
        assert!(sheet.title.is_some());
    }
}
