//! Panics.

use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

struct Traps;

impl Guest for Traps {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        panic!("record text that must not get out")
    }
}

stepwell_sdk::preview::export!(Traps);
