//! Speaks a version that nobody knows.

/// A table of a version to come, which has no function where this one has its own.
#[unsafe(no_mangle)]
pub static STEPWELL_TIER_V1: [u32; 4] = [7, 16, 0, 0];
