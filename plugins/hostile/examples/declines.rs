//! Declines, with record text in its reason.

use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

struct Declines;

impl Guest for Declines {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        Err(Fault::Other("record text that must not get out".to_owned()))
    }
}

stepwell_sdk::preview::export!(Declines);
