//! Offers more links of one record than anybody could want, and none of the others.

use stepwell_hostile_guests::link;
use stepwell_sdk::resources::{Guest, Offer, Part};
use stepwell_sdk::{Context, Fault, RecordShape};

struct ManyLinks;

impl Guest for ManyLinks {
    fn links(records: Vec<RecordShape>, _context: Context) -> Result<Vec<Offer>, Fault> {
        Ok((0..100).map(|_| link(records[0].slot, "x")).collect())
    }

    fn layout(_shape: RecordShape, _context: Context) -> Result<Vec<Part>, Fault> {
        Ok(Vec::new())
    }
}

stepwell_sdk::resources::export!(ManyLinks);
