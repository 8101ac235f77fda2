//! Never says which tools it has.

use stepwell_sdk::tool::{Answer, Definition, Guest};
use stepwell_sdk::{Context, Fault, RecordShape};

struct Loops;

impl Guest for Loops {
    fn definitions() -> Vec<Definition> {
        loop {
            std::hint::spin_loop();
        }
    }

    fn run(_: String, _: String, _: Vec<RecordShape>, _: Context) -> Result<Answer, Fault> {
        Err(Fault::Other(String::new()))
    }
}

stepwell_sdk::tool::export!(Loops);
