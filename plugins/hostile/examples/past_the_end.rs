//! Shows a span that lies outside its field.

use stepwell_hostile_guests::{sheet, shows};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

struct PastTheEnd;

impl Guest for PastTheEnd {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        Ok(sheet(vec![shows("body", 0, u32::MAX)]))
    }
}

stepwell_sdk::preview::export!(PastTheEnd);
