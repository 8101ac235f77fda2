//! Links to a field that the record does not have, and lays one out.

use stepwell_sdk::resources::{Guest, Offer, Part, Target};
use stepwell_sdk::{Context, Fault, RecordShape};

struct ForeignLinks;

impl Guest for ForeignLinks {
    fn links(records: Vec<RecordShape>, _context: Context) -> Result<Vec<Offer>, Fault> {
        let slot = records[0].slot;
        let target = Target::Field("secret".to_owned());
        Ok(vec![Offer { slot, target, title: "x".to_owned(), priority: 1.0, options: Vec::new() }])
    }

    fn layout(_shape: RecordShape, _context: Context) -> Result<Vec<Part>, Fault> {
        Ok(vec![Part { path: "secret".to_owned(), at: None, options: Vec::new() }])
    }
}

stepwell_sdk::resources::export!(ForeignLinks);
