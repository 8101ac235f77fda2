//! Counts its calls, in the hope of being asked twice.

use std::sync::atomic::{AtomicU32, Ordering};
use stepwell_hostile_guests::{says, sheet};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

static SEEN: AtomicU32 = AtomicU32::new(0);

struct Remembers;

impl Guest for Remembers {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        Ok(sheet(vec![says(format!("call {}", SEEN.fetch_add(1, Ordering::Relaxed) + 1))]))
    }
}

stepwell_sdk::preview::export!(Remembers);
