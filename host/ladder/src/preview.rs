//! Asks the preview tier what of each record is worth a first glance.

use crate::describe::scope_of;
use crate::ladder::{Asker, Ladder};
use crate::shapes::{self, InHand};
use crate::tier_fault;
use stepwell_contract::unit::slice;
use stepwell_contract::{Chars, Refusal};
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::query::FieldMatch;
use stepwell_source::{RecordRef, RecordView};
use stepwell_tiers::{Purpose, Sheet, Shown};

impl Ladder {
    /// The tier's sheets, one for each record that it had something to say about; none if it is off or failed.
    pub(crate) async fn sheets(
        &self,
        asker: &Asker<'_>,
        views: &[(&RecordView, &[FieldMatch])],
        scopes: &[GrantedScope],
        purpose: Purpose,
        bytes_per_record: u64,
    ) -> Result<Option<Vec<Sheet>>, Refusal> {
        let Some(tier) = self.tiers.preview() else { return Ok(None) };
        let record = |(slot, (view, hits)): (usize, &(&RecordView, &[FieldMatch]))| {
            shapes::record(slot as u32, view, scope_of(scopes, &view.identity), hits)
        };
        let records = views.iter().enumerate().map(record).collect();
        let hand = views.iter().map(|(view, _)| RecordRef::from(view.identity.id())).collect();
        let hand = InHand::new(&self.source, asker.caller, hand);
        let context = shapes::context(purpose, bytes_per_record, 4);
        tier_fault::settle("preview", tier.on_fault(), tier.compose(records, &context, hand).await)
    }
}

/// The words of something that a sheet shows: a part of a field that is at hand, or the tier's own, marked as such.
pub(crate) fn words(shown: &Shown, view: &RecordView) -> Option<String> {
    match shown {
        Shown::Verbatim(passage) => {
            let field = view.fields.iter().find(|field| field.name == passage.path)?;
            let head = field.head.as_deref()?;
            // Only what the record's view already holds; a passage further down is reached by its window.
            (passage.at.end() <= Chars::of(head)).then(|| slice(head, passage.at).to_owned())
        }
        Shown::Derived(derived) => Some(derived.text.clone()),
    }
}
