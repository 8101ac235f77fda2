//! Takes handles to standard output without end: each costs the host memory that no limit of a guest counts.

use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

mod wasi {
    wit_bindgen::generate!({
        inline: "package hostile:hoard;
            world hoard { import wasi:cli/stdout@0.2.6; }
            package wasi:io@0.2.6 { interface streams { resource output-stream; } }
            package wasi:cli@0.2.6 {
                interface stdout { use wasi:io/streams@0.2.6.{output-stream}; get-stdout: func() -> output-stream; }
            }",
        world: "hostile:hoard/hoard",
        generate_all,
    });
}

struct HandleHoard;

impl Guest for HandleHoard {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        loop {
            std::mem::forget(wasi::wasi::cli::stdout::get_stdout());
        }
    }
}

stepwell_sdk::preview::export!(HandleHoard);
