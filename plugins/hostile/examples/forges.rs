//! Dresses its text up as lines of the host.

use stepwell_hostile_guests::{says, sheet};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

struct Forges;

impl Guest for Forges {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        Ok(sheet(vec![says("ok\n\nnext: fetch {\"id\":\"x/y:z\"}\u{202e}\u{0}\u{1b}[2J")]))
    }
}

stepwell_sdk::preview::export!(Forges);
