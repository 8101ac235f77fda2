//! The resources tier's answers.

use super::{at_most, clean, inside, readable};
use crate::fault::Invalid;
use crate::limits;
use crate::plan::{Offer, Part, Target};
use crate::shape::{Budget, FieldKind, RecordShape};

/// Checks links: targets in hand, each once; titles clean. The ones that matter most are kept.
pub fn links(record: &RecordShape, budget: Budget, mut offers: Vec<Offer>) -> Result<Vec<Offer>, Invalid> {
    at_most("links", offers.len(), limits::ENTRIES)?;
    for index in 0..offers.len() {
        let (before, rest) = offers.split_at_mut(index);
        let Some(offer) = rest.first_mut() else { break };
        let name = match &offer.target {
            Target::WholeRecord => &record.stream,
            Target::Field(path) => &readable(record, path)?.path,
            Target::Blob(path) => {
                &record
                    .field(path)
                    .filter(|field| field.kind == FieldKind::Binary)
                    .ok_or(Invalid::FieldNotInHand)?
                    .path
            }
        };
        if before.iter().any(|other| other.target == offer.target) {
            return Err(Invalid::Duplicate);
        }
        // NaN is in no range.
        if !(0.0..=1.0).contains(&offer.priority) {
            return Err(Invalid::Priority);
        }
        offer.title = clean(&offer.title, limits::TITLE_BYTES);
        if offer.title.is_empty() {
            offer.title = clean(name, limits::TITLE_BYTES);
        }
    }
    offers.sort_by(|a, b| b.priority.total_cmp(&a.priority));
    offers.truncate(budget.lines as usize);
    Ok(offers)
}

/// Checks the layout of a record resource: fields in hand, each once, spans inside.
pub fn parts(record: &RecordShape, budget: Budget, mut parts: Vec<Part>) -> Result<Vec<Part>, Invalid> {
    at_most("parts", parts.len(), limits::ENTRIES.max(record.fields.len()))?;
    for (index, part) in parts.iter().enumerate() {
        let known = record.field(&part.path).filter(|field| field.kind != FieldKind::Binary);
        let field = known.ok_or(Invalid::FieldNotInHand)?;
        if let Some(at) = part.at {
            inside(readable(record, &field.path)?, at)?;
        }
        if parts[..index].iter().any(|other| other.path == part.path && other.at == part.at) {
            return Err(Invalid::Duplicate);
        }
    }
    parts.truncate(budget.lines as usize);
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{FieldShape, Slot};
    use stepwell_contract::{Bytes, Chars, Span};

    const BUDGET: Budget = Budget { bytes: Bytes(500), lines: 2, anchors: 0 };

    fn record() -> RecordShape {
        let body = FieldShape::text("body", "hello", Chars(10));
        let photo = FieldShape::new("photo", FieldKind::Binary);
        let size = FieldShape::new("size", FieldKind::Number);
        RecordShape::new(Slot(0), "notes", vec![body, photo, size])
    }

    fn offer(target: Target, title: &str, priority: f32) -> Offer {
        Offer { target, title: title.into(), priority }
    }

    #[test]
    fn the_best_links_stay_and_titles_are_clean() {
        let kept = links(
            &record(),
            BUDGET,
            vec![
                offer(Target::WholeRecord, "a", 0.1),
                offer(Target::Field("body".into()), "\u{202e}\n", 0.9),
                offer(Target::Blob("photo".into()), "b\u{0}", 0.5),
            ],
        )
        .unwrap();
        assert_eq!(kept.iter().map(|offer| offer.title.as_str()).collect::<Vec<_>>(), ["body", "b"]);
    }

    #[test]
    fn what_is_not_in_hand_cannot_be_linked() {
        for (bad, why) in [
            (offer(Target::Field("photo".into()), "x", 0.5), Invalid::FieldNotInHand),
            (offer(Target::Field("other".into()), "x", 0.5), Invalid::FieldNotInHand),
            (offer(Target::Blob("body".into()), "x", 0.5), Invalid::FieldNotInHand),
            (offer(Target::WholeRecord, "x", f32::NAN), Invalid::Priority),
            (offer(Target::WholeRecord, "x", 1.5), Invalid::Priority),
        ] {
            assert_eq!(links(&record(), BUDGET, vec![bad]), Err(why));
        }
        let twice = vec![offer(Target::WholeRecord, "x", 0.5); 2];
        assert_eq!(links(&record(), BUDGET, twice), Err(Invalid::Duplicate));
        let many = vec![offer(Target::WholeRecord, "x", 0.5); 65];
        assert!(matches!(links(&record(), BUDGET, many), Err(Invalid::TooMany { .. })));
    }

    #[test]
    fn a_layout_names_fields_in_hand() {
        let part = |path: &str, at: Option<(u64, u64)>| Part {
            path: path.into(),
            at: at.map(|(start, end)| Span::new(Chars(start), Chars(end)).unwrap()),
        };
        assert_eq!(
            parts(&record(), BUDGET, vec![part("size", None), part("body", Some((0, 5)))]).map(|p| p.len()),
            Ok(2)
        );
        assert!(parts(&record(), BUDGET, vec![part("body", Some((0, 6)))]).is_err());
        assert!(parts(&record(), BUDGET, vec![part("photo", None)]).is_err());
        assert!(parts(&record(), BUDGET, vec![part("size", Some((0, 1)))]).is_err());
        assert_eq!(parts(&record(), BUDGET, vec![part("body", None); 2]), Err(Invalid::Duplicate));
    }
}
