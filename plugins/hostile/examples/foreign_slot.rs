//! Answers for a record that was not asked about.

use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

struct ForeignSlot;

impl Guest for ForeignSlot {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        Ok(vec![Sheet { slot: 42, title: None, lines: Vec::new(), anchors: Vec::new(), options: Vec::new() }])
    }
}

stepwell_sdk::preview::export!(ForeignSlot);
