//! Shows a span that ends before it starts.

use stepwell_hostile_guests::{sheet, shows};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

struct Backwards;

impl Guest for Backwards {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        Ok(sheet(vec![shows("body", 5, 2)]))
    }
}

stepwell_sdk::preview::export!(Backwards);
