//! A resources tier that adds nothing of its own: one link for each record, and its fields in their own order.

use stepwell_sdk::resources::{Guest, Offer, Part, Target};
use stepwell_sdk::text::prefix_of_words;
use stepwell_sdk::{Context, Fault, FieldKind, RecordShape};

/// A title is at most this long, in bytes.
const TITLE: usize = 120;

/// Offers the whole record, called by where it is from.
#[must_use]
pub fn link(record: &RecordShape) -> Offer {
    let place = record.label.as_deref().or(record.connector.as_deref());
    let title =
        place.map_or_else(|| record.stream_name.clone(), |place| format!("{}: {place}", record.stream_name));
    let title = prefix_of_words(&title, TITLE).to_owned();
    Offer { slot: record.slot, target: Target::WholeRecord, title, priority: 0.5, options: Vec::new() }
}

/// Lays the fields out in the record's own order. Bytes and nothing are no text.
#[must_use]
pub fn layout(record: &RecordShape, context: &Context) -> Vec<Part> {
    let fields =
        record.fields.iter().filter(|field| !matches!(field.kind, FieldKind::Binary | FieldKind::Empty));
    let parts = fields.map(|field| Part { path: field.path.clone(), at: None, options: Vec::new() });
    parts.take(context.budget.lines as usize).collect()
}

/// The component.
#[derive(Debug)]
pub struct LayoutPlain;

impl Guest for LayoutPlain {
    fn links(records: Vec<RecordShape>, _context: Context) -> Result<Vec<Offer>, Fault> {
        Ok(records.iter().map(link).collect())
    }

    fn layout(shape: RecordShape, context: Context) -> Result<Vec<Part>, Fault> {
        Ok(layout(&shape, &context))
    }
}

stepwell_sdk::resources::export!(LayoutPlain);

#[cfg(test)]
mod tests {
    use super::*;
    use stepwell_sdk::Purpose;
    use stepwell_sdk::testing::{blob, context, number, record, text};

    #[test]
    fn fields_keep_their_order_and_the_budget_is_kept() {
        let fields =
            vec![text("zebra", "z"), blob("photo", "image/png", 9), number("n", "1"), text("body", "b")];
        let shape = record("notes", fields);
        let mut context = context(Purpose::Document, 1_000);
        let paths =
            |context: &Context| layout(&shape, context).into_iter().map(|part| part.path).collect::<Vec<_>>();
        assert_eq!(paths(&context), ["zebra", "n", "body"]);
        context.budget.lines = 2;
        assert_eq!(paths(&context), ["zebra", "n"]);
    }

    #[test]
    fn the_only_link_is_the_record_s() {
        let mut shape =
            record("notes", vec![text("body", &"long ".repeat(9_000)), blob("photo", "image/png", 9)]);
        let title = |shape: &RecordShape| {
            let offer = link(shape);
            assert_eq!((offer.slot, offer.target), (shape.slot, Target::WholeRecord));
            offer.title
        };
        assert_eq!(title(&shape), "notes");
        (shape.slot, shape.label) = (3, Some("Home".into()));
        assert_eq!(title(&shape), "notes: Home");
        shape.label = Some("é".repeat(500));
        assert!(title(&shape).len() <= TITLE);
    }
}
