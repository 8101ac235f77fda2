//! The resources tier's answers.

use super::{at_most, clean, inside, readable};
use crate::fault::Invalid;
use crate::limits;
use crate::plan::{Offer, Part, Target};
use crate::shape::{Budget, FieldKind, RecordShape, Slot};

/// Checks the links of a page: each belongs to a record in hand, and those of a record obey the rules. They are given
/// back by record, in the order of the page.
pub fn links(
    records: &[RecordShape],
    budget: Budget,
    offers: Vec<(Slot, Offer)>,
) -> Result<Vec<Vec<Offer>>, Invalid> {
    let mut by_record = vec![Vec::new(); records.len()];
    for (slot, offer) in offers {
        let place = records.iter().position(|record| record.slot == slot);
        by_record[place.ok_or(Invalid::SlotNotInHand(slot))?].push(offer);
    }
    records.iter().zip(by_record).map(|(record, offers)| links_of(record, budget, offers)).collect()
}

/// Checks the links of a record: targets in hand, each once; titles clean. The ones that matter most are kept.
fn links_of(record: &RecordShape, budget: Budget, mut offers: Vec<Offer>) -> Result<Vec<Offer>, Invalid> {
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
    use crate::shape::FieldShape;
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
        let kept = links_of(
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
            assert_eq!(links_of(&record(), BUDGET, vec![bad]), Err(why));
        }
        let twice = vec![offer(Target::WholeRecord, "x", 0.5); 2];
        assert_eq!(links_of(&record(), BUDGET, twice), Err(Invalid::Duplicate));
        let many = vec![offer(Target::WholeRecord, "x", 0.5); 65];
        assert!(matches!(links_of(&record(), BUDGET, many), Err(Invalid::TooMany { .. })));
    }

    #[test]
    fn links_come_back_by_record_and_only_for_those_in_hand() {
        let page = [7, 3, 5].map(|slot| RecordShape { slot: Slot(slot), ..record() });
        let of = |slot, title: &str, priority| (Slot(slot), offer(Target::WholeRecord, title, priority));
        let body = (Slot(3), offer(Target::Field("body".into()), "c", 0.9));
        let kept = links(&page, BUDGET, vec![of(5, "a", 0.1), of(3, "b", 0.2), body, of(7, "d", 0.3)]);
        let titles: Vec<Vec<_>> =
            kept.unwrap().into_iter().map(|of| of.into_iter().map(|offer| offer.title).collect()).collect();
        assert_eq!(titles, [vec!["d"], vec!["c", "b"], vec!["a"]]);
        assert_eq!(links(&page, BUDGET, Vec::new()), Ok(vec![Vec::new(); 3]));
        assert_eq!(links(&page, BUDGET, vec![of(0, "x", 0.5)]), Err(Invalid::SlotNotInHand(Slot(0))));
        assert_eq!(links(&page, BUDGET, vec![of(3, "x", 0.5); 2]), Err(Invalid::Duplicate));
        // The rules are for each record: what one has too many, others cannot have had too few of.
        let many = vec![of(3, "x", 0.5); 65];
        let too_many = Invalid::TooMany { what: "links", found: 65, most: 64 };
        assert_eq!(links(&page, BUDGET, many), Err(too_many));
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
