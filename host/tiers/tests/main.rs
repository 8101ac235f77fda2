//! Real guests under real limits: one binary, because linking wasmtime is slow.

// Helpers of tests are tests too, though clippy cannot see it.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod builtin;
mod faults;
mod hostile;
mod hostile_table;
mod links;
mod loading;
mod locking;
mod native;
mod passing;
mod previews;
mod state;
mod support;
mod timing;
mod tools;
mod wasi;
