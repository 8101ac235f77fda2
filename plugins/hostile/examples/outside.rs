//! Asks for what is not in its hand, and tells what it got.

use stepwell_hostile_guests::{outcome, says, sheet};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};
use stepwell_sdk::{Host, Reader, Span};

struct Outside;

impl Guest for Outside {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        let ask = |slot, path: &str| Host.read_one(slot, path, Span { start: 0, end: 9 });
        let reads = [ask(99, "body"), ask(0, "secret"), ask(0, "/secret/x"), ask(0, "photo"), ask(0, "body")];
        let mut told: Vec<_> = reads.iter().map(outcome).collect();
        told.push(outcome(&Host.children(99, "meta")));
        told.push(outcome(&Host.children(0, "/secret")));
        Ok(sheet(vec![says(told.join(" "))]))
    }
}

stepwell_sdk::preview::export!(Outside);
