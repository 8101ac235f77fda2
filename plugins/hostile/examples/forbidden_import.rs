//! Imports a door to the outside.

use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};

mod outside {
    wit_bindgen::generate!({
        inline: "package evil:net@1.0.0;
            interface door { open: func(address: string) -> string; }
            world outside { import door; }",
    });
}

struct ForbiddenImport;

impl Guest for ForbiddenImport {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        Err(Fault::Other(outside::evil::net::door::open("example.org")))
    }
}

stepwell_sdk::preview::export!(ForbiddenImport);
