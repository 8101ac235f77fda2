//! Writes messages for ever: every import is a chance to be stopped.

use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};
use stepwell_sdk::{Level, log};

struct EndlessLog;

impl Guest for EndlessLog {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        loop {
            log(Level::Info, "x");
        }
    }
}

stepwell_sdk::preview::export!(EndlessLog);
