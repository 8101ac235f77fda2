//! Exports nothing that a tier has.

/// Something else.
#[unsafe(no_mangle)]
pub static SOME_OTHER_TABLE: u32 = 1;
