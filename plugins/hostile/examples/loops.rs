//! Never answers.

use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

struct Loops;

impl Guest for Loops {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        loop {
            std::hint::spin_loop();
        }
    }
}

stepwell_sdk::preview::export!(Loops);
