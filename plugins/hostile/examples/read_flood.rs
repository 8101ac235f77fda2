//! Reads until it is stopped, and tells how often it could.

use stepwell_hostile_guests::{says, sheet};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};
use stepwell_sdk::{Host, Reader, Span};

struct ReadFlood;

impl Guest for ReadFlood {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        let mut reads = 0;
        while Host.read_one(0, "body", Span { start: 0, end: 10 }).is_ok() {
            reads += 1;
        }
        Ok(sheet(vec![says(format!("{reads} reads"))]))
    }
}

stepwell_sdk::preview::export!(ReadFlood);
