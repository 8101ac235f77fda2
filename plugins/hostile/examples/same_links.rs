//! Offers the same link of the last record twice.

use stepwell_hostile_guests::link;
use stepwell_sdk::resources::{Guest, Offer, Part};
use stepwell_sdk::{Context, Fault, RecordShape};

struct SameLinks;

impl Guest for SameLinks {
    fn links(records: Vec<RecordShape>, _context: Context) -> Result<Vec<Offer>, Fault> {
        let last = records.last().map(|record| link(record.slot, "y"));
        Ok(records.iter().map(|record| link(record.slot, "x")).chain(last).collect())
    }

    fn layout(_shape: RecordShape, _context: Context) -> Result<Vec<Part>, Fault> {
        Ok(Vec::new())
    }
}

stepwell_sdk::resources::export!(SameLinks);
