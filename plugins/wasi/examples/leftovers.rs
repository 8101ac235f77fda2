//! Uses what is left of a standard library without a system: a hash map, printing, arguments, variables, input.

use std::collections::HashMap;
use std::io::{Read, Write};
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};
use stepwell_wasi_guests::says;

struct Leftovers;

impl Guest for Leftovers {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        let numbers: HashMap<u32, u32> = (0..100).map(|n| (n, n * n)).collect();
        let order: Vec<_> = numbers.keys().take(4).map(ToString::to_string).collect();
        let printed = writeln!(std::io::stdout(), "record text that must not get out").is_ok();
        let complained = writeln!(std::io::stderr(), "record text that must not get out").is_ok();
        let mut input = Vec::new();
        let read = std::io::stdin().read_to_end(&mut input).unwrap_or(usize::MAX);
        let variables = std::env::vars().count();
        Ok(says(format!(
            "printed {} {}, read {read}, {variables} variables, {} arguments, order {}",
            printed,
            complained,
            std::env::args().count(),
            order.join(" ")
        )))
    }
}

stepwell_sdk::preview::export!(Leftovers);
