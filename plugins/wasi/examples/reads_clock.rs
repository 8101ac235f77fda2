//! Looks at the clock.

use std::time::{Instant, SystemTime};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};
use stepwell_wasi_guests::says;

struct ReadsClock;

impl Guest for ReadsClock {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        let (started, now) = (Instant::now(), SystemTime::now());
        Ok(says(format!("{:?} {now:?}", started.elapsed())))
    }
}

stepwell_sdk::preview::export!(ReadsClock);
