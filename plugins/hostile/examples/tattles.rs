//! Says all that it reads wherever it may say something: in messages, and in its reason to decline.

use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};
use stepwell_sdk::{Level, log};

struct Tattles;

impl Guest for Tattles {
    fn compose(records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        let mut said = String::new();
        for field in records.iter().flat_map(|record| &record.fields) {
            said.push_str(field.head.as_deref().unwrap_or_default());
        }
        for level in [Level::Debug, Level::Info, Level::Warn] {
            log(level, &said);
        }
        Err(Fault::Invalid(said))
    }
}

stepwell_sdk::preview::export!(Tattles);
