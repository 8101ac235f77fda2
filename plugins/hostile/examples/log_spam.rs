//! Writes ten thousand messages.

use stepwell_hostile_guests::{says, sheet};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};
use stepwell_sdk::{Level, log};

struct LogSpam;

impl Guest for LogSpam {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        for _ in 0..10_000 {
            log(Level::Info, "record text that must not get out");
        }
        Ok(sheet(vec![says("done")]))
    }
}

stepwell_sdk::preview::export!(LogSpam);
