//! Answers with a megabyte.

use stepwell_hostile_guests::{says, sheet};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

struct Floods;

impl Guest for Floods {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        Ok(sheet(vec![says("x".repeat(1 << 20))]))
    }
}

stepwell_sdk::preview::export!(Floods);
