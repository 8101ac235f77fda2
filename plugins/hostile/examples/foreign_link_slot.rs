//! Offers a link of a record that was not asked about.

use stepwell_hostile_guests::link;
use stepwell_sdk::resources::{Guest, Offer, Part};
use stepwell_sdk::{Context, Fault, RecordShape};

struct ForeignLinkSlot;

impl Guest for ForeignLinkSlot {
    fn links(records: Vec<RecordShape>, _context: Context) -> Result<Vec<Offer>, Fault> {
        let own = records.iter().map(|record| link(record.slot, "x"));
        Ok(own.chain([link(42, "x")]).collect())
    }

    fn layout(_shape: RecordShape, _context: Context) -> Result<Vec<Part>, Fault> {
        Ok(Vec::new())
    }
}

stepwell_sdk::resources::export!(ForeignLinkSlot);
