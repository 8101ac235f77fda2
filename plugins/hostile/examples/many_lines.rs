//! Answers with more lines than anyone asked for.

use stepwell_hostile_guests::{says, sheet};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

struct ManyLines;

impl Guest for ManyLines {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        Ok(sheet(vec![says("x"); 1_000]))
    }
}

stepwell_sdk::preview::export!(ManyLines);
