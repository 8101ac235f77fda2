//! Reads a file.

use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};
use stepwell_wasi_guests::says;

struct ReadsFile;

impl Guest for ReadsFile {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        Ok(says(std::fs::read_to_string("/etc/passwd").unwrap_or_default()))
    }
}

stepwell_sdk::preview::export!(ReadsFile);
