//! Loads a library and calls it. This runs in `stepwell tier-host` alone, never in the process that holds tokens.
#![allow(unsafe_code)]

use super::abi::{ABI, Bytes, SYMBOL, Table};
use super::frame::Kind;
use super::pipe::Pipe;
use libloading::Library;
use std::ffi::{OsStr, c_void};

/// What the library's messages pass through: the pipe, the cap, and the table, which takes what is delivered.
struct Session<'a> {
    pipe: &'a Pipe,
    cap: usize,
    table: Table,
}

/// Loads a library and looks at its table. What is wrong is said in a few words.
pub(super) fn load(path: &OsStr) -> Result<Table, String> {
    // SAFETY: loading runs code of the library. The operator vouches for it with `trust = "native"` and its digest, which
    // the host compared on the very file that is loaded here; and this process holds nothing but the pipe to the host.
    let library = unsafe { Library::new(path) }.map_err(|error| format!("it cannot be loaded: {error}"))?;
    // SAFETY: the symbol is only looked at through a pointer to two numbers, and both are checked before the rest.
    let head = unsafe { library.get::<*const [u32; 2]>(SYMBOL) }
        .map_err(|_| "it exports no STEPWELL_TIER_V1".to_owned())?;
    if head.is_null() || !head.is_aligned() {
        return Err("its STEPWELL_TIER_V1 is no table".to_owned());
    }
    // SAFETY: the pointer is not null and aligned, and a symbol of that name starts with these two numbers.
    let [abi, size] = unsafe { **head };
    if abi != ABI {
        return Err(format!("it speaks version {abi} of the native interface, and this host speaks {ABI}"));
    }
    if size as usize != size_of::<Table>() {
        return Err(format!("its table has {size} bytes, and version {ABI} has {}", size_of::<Table>()));
    }
    // SAFETY: the table says that it is of this version and size, and the library vouches for its function.
    let table = unsafe { **library.get::<*const Table>(SYMBOL).map_err(|_| "its table is gone".to_owned())? };
    // It is never unloaded: threads and handlers of the library may outlive any call.
    std::mem::forget(library);
    Ok(table)
}

/// Gives a library one message to work on, and its messages to the pipe. Returns its status.
pub(super) fn call(table: Table, message: &[u8], pipe: &Pipe, cap: usize) -> i32 {
    deliver(&Session { pipe, cap, table }, message)
}

fn deliver(session: &Session<'_>, message: &[u8]) -> i32 {
    let request = Bytes { ptr: message.as_ptr(), len: message.len() };
    let ctx = std::ptr::from_ref(session).cast::<c_void>().cast_mut();
    // SAFETY: the bytes and the session outlive the call, and `put` takes exactly this `ctx`.
    unsafe { (session.table.call)(request, put, ctx) }
}

/// Passes a message of the library on to the host, and delivers the answer before it returns.
extern "C" fn put(ctx: *mut c_void, ptr: *const u8, len: usize) -> i32 {
    if ctx.is_null() || ptr.is_null() {
        return 1;
    }
    // SAFETY: the library hands back the `ctx` of the call that it is in, whose session lives as long as that call.
    let session = unsafe { &*ctx.cast::<Session<'_>>() };
    if len > session.cap {
        let _ = session.pipe.send(Kind::Over, &[]);
        return 1;
    }
    // SAFETY: the library owns so many bytes there for as long as this call of `put` takes.
    let message = unsafe { std::slice::from_raw_parts(ptr, len) };
    match session.pipe.send(Kind::Put, message).and_then(|()| session.pipe.receive()) {
        Ok((Kind::Deliver, answer)) if answer.is_empty() => 0,
        Ok((Kind::Deliver, answer)) => deliver(session, &answer),
        _ => 1,
    }
}
