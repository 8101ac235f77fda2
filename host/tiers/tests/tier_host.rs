//! A program that does nothing but run native tiers, for the tests of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(2).collect();
    stepwell_tiers::tier_host(&arguments)
}
