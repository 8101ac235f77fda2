//! What a library exports, and how a message gets from one side to the other.
//!
//! A table of this kind is exported as `STEPWELL_TIER_V1`. The host gives the library one message with [`Table::call`],
//! and the library gives messages to the host with [`Put`]. Where the host has an answer, it delivers that by another
//! `call` before `put` returns. Both sides only ever borrow the other's bytes.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The version of the table and of the messages.
pub const ABI: u32 = 1;

/// Bytes that are borrowed for one call.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Bytes {
    /// The first of them.
    pub ptr: *const u8,
    /// How many there are.
    pub len: usize,
}

/// Gives the host a message; 0 if it took it.
pub type Put = extern "C" fn(ctx: *mut c_void, ptr: *const u8, len: usize) -> i32;

/// Takes a message of the host; 0 if all is well.
pub type Call = unsafe extern "C" fn(request: Bytes, put: Put, ctx: *mut c_void) -> i32;

/// What a library exports.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Table {
    /// The version: [`ABI`].
    pub abi: u32,
    /// The size of this table in bytes.
    pub size: u32,
    /// Takes a message of the host.
    pub call: Call,
}

impl Table {
    /// A table of this version.
    #[must_use]
    pub const fn new(call: Call) -> Self {
        Self { abi: ABI, size: size_of::<Self>() as u32, call }
    }
}

thread_local! {
    /// The way to the host during a call.
    static WAY: Cell<Option<(Put, *mut c_void)>> = const { Cell::new(None) };
    /// What the host delivered while a message was on its way.
    static DELIVERED: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Serves one message: a request, which `answer` turns into a message, or the host's answer to a question.
///
/// # Safety
///
/// `request` must be readable, and `put` and `ctx` usable, until this returns. The host sees to both.
pub unsafe fn serve(request: Bytes, put: Put, ctx: *mut c_void, answer: fn(&[u8]) -> Option<Vec<u8>>) -> i32 {
    if request.ptr.is_null() {
        return 1;
    }
    // SAFETY: the caller vouches for these bytes.
    let message = unsafe { std::slice::from_raw_parts(request.ptr, request.len) };
    if WAY.get().is_some() {
        DELIVERED.set(Some(message.to_vec()));
        return 0;
    }
    WAY.set(Some((put, ctx)));
    // A panic must not pass into the host's own frames.
    let answered = catch_unwind(AssertUnwindSafe(|| answer(message).and_then(|answer| tell(&answer))));
    WAY.set(None);
    if matches!(answered, Ok(Some(_))) { 0 } else { 1 }
}

/// Gives the host a message, and returns what it delivered, empty if that is nothing. None if it was refused, or if no
/// call is going on in this thread.
pub fn tell(message: &[u8]) -> Option<Vec<u8>> {
    let (put, ctx) = WAY.get()?;
    DELIVERED.set(None);
    if put(ctx, message.as_ptr(), message.len()) != 0 {
        return None;
    }
    Some(DELIVERED.take().unwrap_or_default())
}
