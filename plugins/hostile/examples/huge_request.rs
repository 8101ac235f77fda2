//! Asks for a million spans at once.

use stepwell_hostile_guests::{says, sheet};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};
use stepwell_sdk::{Host, Reader, Span, Wanted};

struct HugeRequest;

impl Guest for HugeRequest {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        let wanted = Wanted { slot: 0, path: "body".to_owned(), at: Span { start: 0, end: 1 } };
        let answers = Host.read(&vec![wanted; 1 << 20]);
        Ok(sheet(vec![says(answers.len().to_string())]))
    }
}

stepwell_sdk::preview::export!(HugeRequest);
