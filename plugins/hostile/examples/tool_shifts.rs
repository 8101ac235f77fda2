//! Says something else each time it is asked for its tools, and asks itself in between.

use std::sync::atomic::{AtomicU32, Ordering};
use stepwell_hostile_guests::{tells, tool};
use stepwell_sdk::tool::{Answer, Definition, Guest};
use stepwell_sdk::{Context, Fault, RecordShape};

static ASKED: AtomicU32 = AtomicU32::new(0);

struct Shifts;

impl Guest for Shifts {
    fn definitions() -> Vec<Definition> {
        vec![tool(&format!("asked_{}", ASKED.fetch_add(1, Ordering::Relaxed) + 1))]
    }

    fn run(name: String, _: String, _: Vec<RecordShape>, _: Context) -> Result<Answer, Fault> {
        let _ = Self::definitions();
        Ok(tells(format!("{name} now {}", Self::definitions()[0].name)))
    }
}

stepwell_sdk::tool::export!(Shifts);
