//! The default resources tier: links to the record, its long fields and its blobs, and a layout that reads top down.

use stepwell_sdk::record::Part as Role;
use stepwell_sdk::resources::{Guest, Offer, Part, Target};
use stepwell_sdk::text::{count, prefix_of_words};
use stepwell_sdk::{Context, Fault, FieldExt, FieldKind, FieldShape, RecordExt, RecordShape};

/// A text longer than one default window is worth a link of its own.
const LONG: u32 = 4_096;
/// A title is at most this long, in bytes.
const TITLE: usize = 120;

/// Chooses links: the fields that a reader cannot have seen whole, those that matched first, then blobs, then the record.
#[must_use]
pub fn links(record: &RecordShape, context: &Context) -> Vec<Offer> {
    let name = name_of(record);
    let mut offers: Vec<_> =
        record.fields.iter().filter_map(|field| field_offer(record, field, &name)).collect();
    // A short record has been seen whole; its link is a convenience.
    let priority = if offers.is_empty() { 0.3 } else { 0.5 };
    offers.push(offer(record, Target::WholeRecord, name, priority));
    offers.sort_by(|a, b| b.priority.total_cmp(&a.priority));
    offers.truncate(context.budget.lines as usize);
    offers
}

fn field_offer(record: &RecordShape, field: &FieldShape, name: &str) -> Option<Offer> {
    let bonus = if record.hits.iter().any(|hit| hit.path == field.path) { 0.2 } else { 0.0 };
    match field.kind {
        FieldKind::Text | FieldKind::Json if field.size() > LONG => {
            let is_body = record.part(Role::Body).is_some_and(|body| body.path == field.path);
            let base = if is_body || record.longest() == Some(field) { 0.8 } else { 0.6 };
            let base = if field.kind == FieldKind::Json { base - 0.2 } else { base };
            let title = title(name, &format!("{} ({} chars)", field.path, count(field.size())));
            Some(offer(record, Target::Field(field.path.clone()), title, base + bonus))
        }
        FieldKind::Binary => {
            let size = field.bytes.map_or_else(String::new, |bytes| format!(", {}B", count(bytes)));
            let mime = field.mime.as_deref().unwrap_or("binary");
            let title = title(name, &format!("{} ({mime}{size})", field.path));
            Some(offer(record, Target::Blob(field.path.clone()), title, 0.4 + bonus))
        }
        _ => None,
    }
}

fn offer(record: &RecordShape, target: Target, title: String, priority: f32) -> Offer {
    Offer { slot: record.slot, target, title, priority, options: Vec::new() }
}

/// What a person would call the record: its title, else its stream.
fn name_of(record: &RecordShape) -> String {
    let title = record.part(Role::Title).filter(|field| field.is_readable()).map(FieldExt::head_text);
    let line = title.and_then(|text| text.lines().map(str::trim).find(|line| !line.is_empty()));
    prefix_of_words(line.unwrap_or(&record.stream_name), TITLE).to_owned()
}

/// The part is what tells links apart, so the name gives way.
fn title(name: &str, part: &str) -> String {
    let part = prefix_of_words(part, TITLE);
    let name = prefix_of_words(name, (TITLE - part.len()).saturating_sub(3));
    if name.is_empty() { part.to_owned() } else { format!("{name}: {part}") }
}

/// Lays a record out: what it is called, who and when, the small facts, the text, then the long rest. Blobs have links.
#[must_use]
pub fn layout(record: &RecordShape, context: &Context) -> Vec<Part> {
    let paths = [Role::Title, Role::Author, Role::Time]
        .map(|role| record.part(role).map(|field| field.path.as_str()));
    let body = record.part(Role::Body).or_else(|| record.longest()).map(|field| field.path.as_str());
    let rank = |field: &FieldShape| {
        let path = Some(field.path.as_str());
        match paths.iter().position(|known| *known == path) {
            Some(position) => position,
            None if path == body => paths.len() + 1,
            None if field.size() > LONG => paths.len() + 2,
            None => paths.len(),
        }
    };
    let shown = |field: &&FieldShape| !matches!(field.kind, FieldKind::Binary | FieldKind::Empty);
    let mut fields: Vec<_> = record.fields.iter().filter(shown).collect();
    fields.sort_by_key(|field| rank(field));
    fields.truncate(context.budget.lines as usize);
    fields.into_iter().map(|field| Part { path: field.path.clone(), at: None, options: Vec::new() }).collect()
}

/// The component.
#[derive(Debug)]
pub struct Resources;

impl Guest for Resources {
    fn links(records: Vec<RecordShape>, context: Context) -> Result<Vec<Offer>, Fault> {
        Ok(records.iter().flat_map(|record| links(record, &context)).collect())
    }

    fn layout(shape: RecordShape, context: Context) -> Result<Vec<Part>, Fault> {
        Ok(layout(&shape, &context))
    }
}

stepwell_sdk::resources::export!(Resources);

#[cfg(test)]
mod tests {
    use super::*;
    use stepwell_sdk::testing::{blob, context, number, record, text};
    use stepwell_sdk::{Hit, Purpose};

    fn mail() -> RecordShape {
        let long = "x ".repeat(9_000);
        record(
            "messages",
            vec![
                blob("attachment", "application/pdf", 2_000_000),
                text("body", &long),
                number("size", "7"),
                text("headers", &long),
                text("subject", "Lunch\non Friday"),
                text("from", "Ann"),
            ],
        )
    }

    #[test]
    fn long_fields_come_before_the_record_and_blobs() {
        let offers = links(&mail(), &context(Purpose::Document, 2_000));
        let titles: Vec<_> = offers.iter().map(|offer| offer.title.as_str()).collect();
        assert_eq!(
            titles,
            [
                "Lunch: body (18.0 k chars)",
                "Lunch: headers (18.0 k chars)",
                "Lunch",
                "Lunch: attachment (application/pdf, 2.0 MB)"
            ]
        );
    }

    #[test]
    fn a_field_that_matched_comes_first() {
        let mut shape = mail();
        shape.hits = vec![Hit { path: "headers".into(), at: None, snippet: None }];
        shape.fields[1].role = Some("other".into());
        let offers = links(&shape, &context(Purpose::Document, 2_000));
        assert!(matches!(&offers[0].target, Target::Field(path) if path == "headers"));
        assert!(offers.iter().all(|offer| (0.0..=1.0).contains(&offer.priority)));
    }

    #[test]
    fn titles_are_bounded_and_keep_the_part() {
        let name = "long ".repeat(100);
        assert!(title(&name, "body (3 chars)").len() <= TITLE);
        assert!(title(&name, "body (3 chars)").ends_with("body (3 chars)"));
        assert!(title("a", &"p".repeat(500)).len() <= TITLE);
    }

    #[test]
    fn a_record_reads_top_down() {
        let parts = layout(&mail(), &context(Purpose::Document, 2_000));
        let paths: Vec<_> = parts.iter().map(|part| part.path.as_str()).collect();
        assert_eq!(paths, ["subject", "from", "size", "body", "headers"]);
    }
}
