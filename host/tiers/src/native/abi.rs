//! What a native tier and `stepwell tier-host` agree on. `plugins/native-sdk` spells the same for authors.

use std::ffi::c_void;

/// The name of the table that a library exports.
pub(super) const SYMBOL: &[u8] = b"STEPWELL_TIER_V1\0";

/// The version of the table and of the messages.
pub(super) const ABI: u32 = 1;

/// Bytes that are borrowed for one call.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Bytes {
    pub(super) ptr: *const u8,
    pub(super) len: usize,
}

/// Takes a message from the library. An answer to it, if there is one, is delivered by [`Table::call`] before this
/// returns, so that nobody ever owns memory of the other side. It gives 0, or something else if the message is refused.
pub(super) type Put = extern "C" fn(ctx: *mut c_void, ptr: *const u8, len: usize) -> i32;

/// Gives the library a message. It gives 0, or something else if the library failed.
pub(super) type Call = unsafe extern "C" fn(request: Bytes, put: Put, ctx: *mut c_void) -> i32;

/// What a library exports under [`SYMBOL`]. `abi` and `size` stand first and are looked at before anything else.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Table {
    pub(super) abi: u32,
    pub(super) size: u32,
    pub(super) call: Call,
}
