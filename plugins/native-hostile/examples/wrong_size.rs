//! Has a table that is too short to hold a function.

/// The right version, and nothing behind it.
#[unsafe(no_mangle)]
pub static STEPWELL_TIER_V1: [u32; 2] = [1, 8];
