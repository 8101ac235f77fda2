//! Takes all the memory that there is.

use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

struct MemoryBomb;

impl Guest for MemoryBomb {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        let mut hoard = Vec::new();
        loop {
            hoard.push(std::hint::black_box(vec![1_u8; 1 << 20]));
        }
    }
}

stepwell_sdk::preview::export!(MemoryBomb);
