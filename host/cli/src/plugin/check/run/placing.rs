//! Questions to a field-window tier: every readable field from its start to its end, forwards, backwards and around places.

use super::{Answered, Question};
use crate::plugin::trial::context;
use crate::plugin::trial::records::{Record, alone};
use stepwell_contract::{Chars, Span};
use stepwell_tiers::{Asked, FieldShape, Purpose, TierFault, WindowTier};

/// A window of the usual size.
const LIMIT: Chars = Chars(4_096);
/// What a window around a match has on either side.
const SIDE: Chars = Chars(2_048);

pub(super) struct PlaceWindow<'a> {
    tier: &'a WindowTier,
    record: &'a Record,
    field: FieldShape,
    asked: Asked,
}

pub(super) fn questions<'a>(
    tier: &'a WindowTier,
    sample: &'a [Record],
    odd: &'a [Record],
) -> impl Iterator<Item = PlaceWindow<'a>> {
    odd.iter().chain(sample).flat_map(move |record| {
        // The longest field of a record has the most places to go wrong at.
        let readable =
            alone(record).0.fields.into_iter().filter(|field| Some(&*field.path) == record.readable());
        // A server knows how long a field is before it asks where a window goes.
        let sized = readable.filter_map(|field| Some((field.chars?, field)));
        sized.flat_map(move |(total, field)| {
            windows(total).into_iter().map(move |asked| PlaceWindow {
                tier,
                record,
                field: field.clone(),
                asked,
            })
        })
    })
}

/// What can be asked of a field of this length.
fn windows(total: Chars) -> Vec<Asked> {
    let (middle, last) = (Chars(total.get() / 2), Chars(total.get().saturating_sub(1)));
    let page = |offset, limit| Asked::Page { offset, limit };
    let around = |at| Asked::Around { hit: Span::at(at, Chars(1)), before: SIDE, after: SIDE, limit: LIMIT };
    let mut windows = vec![
        page(Chars::ZERO, LIMIT),
        page(Chars::ZERO, Chars(1)),
        page(middle, LIMIT),
        page(last, Chars(1)),
        page(total, LIMIT),
        Asked::Back { end: total, limit: LIMIT },
        Asked::Back { end: middle, limit: Chars(1) },
    ];
    // Nothing matches in a field without text.
    if total > Chars::ZERO {
        windows.extend([Chars::ZERO, middle, last].map(around));
    }
    windows
}

impl Question for PlaceWindow<'_> {
    fn name(&self) -> String {
        format!("{:?} of {}: {:?}", self.field.path, self.record.name, self.asked)
    }

    async fn ask(&self) -> Result<Answered, TierFault> {
        let (_, hand) = alone(self.record);
        let placed =
            self.tier.place(self.field.clone(), self.asked, &context(Purpose::Document), hand).await?;
        Ok(Answered { said: format!("{placed:?}"), shown: placed.len().get(), left_out: 0 })
    }
}
