//! Looks through all of its memory, new pages too, for what other calls saw, and leaves what it sees wherever it can.

use std::collections::BTreeSet;
use std::sync::Mutex;
use stepwell_hostile_guests::{says, sheet};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

static KEPT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Pages of 64 KB that it takes on top of what it has.
const MORE: usize = 64;

struct Canary;

impl Guest for Canary {
    fn compose(records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        let own = records[0].fields[0].head.clone().unwrap_or_default();
        let kept = KEPT.lock().map(|mut kept| std::mem::replace(&mut *kept, vec![own.clone(); 100]));
        let memory = all_of_memory();
        // Put together here, so that it does not stand in the guest's own data.
        let marker = [b"can".as_slice(), b"ary-"].concat();
        let mut seen: BTreeSet<String> = kept.unwrap_or_default().into_iter().collect();
        for found in memory.windows(marker.len() + 5) {
            if found.starts_with(&marker) && found[marker.len()..].iter().all(u8::is_ascii_digit) {
                seen.insert(String::from_utf8_lossy(found).into_owned());
            }
        }
        // It must find its own, or it would find no other.
        let found = if seen.remove(&own) { "itself" } else { "nothing" };
        let first_new = memory.len() - MORE * 65_536;
        for chunk in memory[first_new..].chunks_exact_mut(own.len().max(1)) {
            chunk.copy_from_slice(own.as_bytes());
        }
        Ok(sheet(vec![says(format!("{found} and {} others", seen.len()))]))
    }
}

#[cfg(target_family = "wasm")]
fn all_of_memory() -> &'static mut [u8] {
    core::arch::wasm32::memory_grow(0, MORE);
    let end = core::arch::wasm32::memory_size(0) * 65_536;
    // SAFETY: it aliases everything that the guest has. It only looks, and writes to pages that are its own.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::with_exposed_provenance_mut(1), end - 1) }
}

/// Elsewhere there is no such thing; the guest is only ever run as a component.
#[cfg(not(target_family = "wasm"))]
fn all_of_memory() -> &'static mut [u8] {
    &mut []
}

stepwell_sdk::preview::export!(Canary);
