//! A resources tier of the contract's second version. It calls every import of that version and tells what it got.

use stepwell_hostile_guests::{link, outcome};
use stepwell_sdk::resources::{Guest, Offer, Part};
use stepwell_sdk::{Context, Fault, RecordShape};
use stepwell_sdk::{Host, Level, Reader, Span, log};

struct Second;

impl Guest for Second {
    fn links(records: Vec<RecordShape>, _context: Context) -> Result<Vec<Offer>, Fault> {
        let all = Span { start: 0, end: u32::MAX };
        let told = |slot: u32| {
            let read = Host.read_one(slot, "body", all);
            let children = Host.children(slot, "body");
            log(Level::Warn, "heard by nobody");
            format!("{} {}", read.as_deref().unwrap_or(outcome(&read)), outcome(&children))
        };
        // One more than there are.
        let slots = records.iter().map(|record| record.slot).chain([u32::MAX]);
        let told: Vec<_> = slots.map(told).collect();
        let title = format!("{} {}", told.join(" "), Host.left().reads);
        Ok(records.iter().map(|record| link(record.slot, &title)).collect())
    }

    fn layout(_shape: RecordShape, _context: Context) -> Result<Vec<Part>, Fault> {
        Ok(Vec::new())
    }
}

stepwell_sdk::resources::export!(Second);
