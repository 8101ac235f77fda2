//! The default preview tier: what of a record is worth a reader's first glance.
//!
//! It shows a title, then where a search matched, who wrote it, how the text begins, and the small facts, each as a
//! passage of the record's own words wherever possible. For a long text on a page of its own it adds places to jump to.

mod anchors;
mod marks;
mod passage;
mod sheet;

use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, Host, Reader, RecordShape};

/// Composes the previews of a page. All that needs reading is read in one crossing for the whole page.
#[must_use]
pub fn compose(records: &[RecordShape], context: &Context, reader: &impl Reader) -> Vec<Sheet> {
    let wanted: Vec<_> = records.iter().flat_map(|record| sheet::wanted(record, context)).collect();
    let pieces = passage::read_all(reader, wanted);
    records.iter().map(|record| sheet::compose(record, context, &pieces, reader)).collect()
}

/// The component.
#[derive(Debug)]
pub struct Preview;

impl Guest for Preview {
    fn compose(records: Vec<RecordShape>, context: Context) -> Result<Vec<Sheet>, Fault> {
        Ok(compose(&records, &context, &Host))
    }
}

stepwell_sdk::preview::export!(Preview);
