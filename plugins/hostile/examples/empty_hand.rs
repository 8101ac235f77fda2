//! Calls every import, and tells what it got.

use stepwell_hostile_guests::{outcome, says, sheet};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};
use stepwell_sdk::{Host, Level, Reader, Span, log};

struct EmptyHand;

impl Guest for EmptyHand {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        let all = Span { start: 0, end: u32::MAX };
        let mut told = vec![outcome(&Host.read_one(0, "body", all)), outcome(&Host.read_one(7, "", all))];
        told.push(outcome(&Host.children(0, "")));
        told.push(outcome(&Host.children(0, "/")));
        let left = Host.left();
        log(Level::Warn, "heard by nobody");
        Ok(sheet(vec![says(format!("{} {} {}", told.join(" "), left.reads, left.bytes))]))
    }
}

stepwell_sdk::preview::export!(EmptyHand);
