//! A preview tier for mail: own words first, quoted replies and signatures out of the way.
//!
//! What is hidden is said in a derived line that covers the hidden part, so that a reader can go there. So is the
//! mail's place in its thread.

mod parts;
mod sheet;

use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, Host, Reader, RecordShape, Wanted};

/// Composes the previews of a page. All that needs reading is read in one crossing for the whole page.
#[must_use]
pub fn compose(records: &[RecordShape], context: &Context, reader: &impl Reader) -> Vec<Sheet> {
    let wanted: Vec<Wanted> = records.iter().filter_map(|record| sheet::wanted(record, context)).collect();
    let read = reader.read(&wanted);
    // What is refused is simply not known; the head must do.
    let known: Vec<(u32, String)> =
        wanted.iter().zip(read).filter_map(|(wanted, text)| Some((wanted.slot, text.ok()?))).collect();
    let text_of = |record: &RecordShape| known.iter().find(|(slot, _)| *slot == record.slot);
    records
        .iter()
        .map(|record| sheet::compose(record, context, text_of(record).map(|(_, text)| text.as_str())))
        .collect()
}

/// The component.
#[derive(Debug)]
pub struct MailPreview;

impl Guest for MailPreview {
    fn compose(records: Vec<RecordShape>, context: Context) -> Result<Vec<Sheet>, Fault> {
        Ok(compose(&records, &context, &Host))
    }
}

stepwell_sdk::preview::export!(MailPreview);
