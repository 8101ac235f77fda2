//! Calls a blob by a name and a type that would do harm.

use stepwell_sdk::binary_export::{BlobShape, Card, Guest, Mode};
use stepwell_sdk::{Context, Fault};

struct DangerousCard;

impl Guest for DangerousCard {
    fn describe(_blob: BlobShape, _context: Context) -> Result<Card, Fault> {
        Ok(Card {
            file_name: "../../.ssh/authorized_keys\r\nX: y".to_owned(),
            mime: "text/html".to_owned(),
            mode: Mode::Window,
            note: Some("\u{202e}\n".repeat(9_999)),
            options: Vec::new(),
        })
    }
}

stepwell_sdk::binary_export::export!(DangerousCard);
