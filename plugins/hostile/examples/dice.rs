//! Answers with all the chance that it can find: places in memory, what lies there, the order of a hash map, a NaN.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use stepwell_hostile_guests::{says, sheet};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

struct Dice;

impl Guest for Dice {
    fn compose(records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        let (on_stack, on_heap) = (0_u8, Box::new(0_u8));
        let nan = std::hint::black_box(f64::INFINITY) - std::hint::black_box(f64::INFINITY);
        let sum = (1024..65_536).step_by(8).fold(0_u64, |sum, place: usize| {
            // SAFETY: the first page of a guest's memory can be read everywhere.
            sum.rotate_left(7)
                ^ unsafe { std::ptr::read_volatile(std::ptr::with_exposed_provenance::<u64>(place)) }
        });
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_usize((&raw const on_stack).addr() ^ (&raw const *on_heap).addr());
        hasher.write_u64(nan.to_bits() ^ sum);
        Ok(sheet(vec![says(format!("{} {:x}", records.len(), hasher.finish()))]))
    }
}

stepwell_sdk::preview::export!(Dice);
