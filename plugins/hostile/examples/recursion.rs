//! Calls itself without end.

#![allow(unconditional_recursion)]

use stepwell_hostile_guests::{says, sheet};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

struct Recursion;

impl Guest for Recursion {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        fn deeper(depth: u64) -> u64 {
            let room = std::hint::black_box([depth; 64]);
            1 + deeper(depth + 1) + room[(depth % 64) as usize]
        }
        Ok(sheet(vec![says(deeper(0).to_string())]))
    }
}

stepwell_sdk::preview::export!(Recursion);
