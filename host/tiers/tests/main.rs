//! Real guests under real limits: one binary, because linking wasmtime is slow.

// Helpers of tests are tests too, though clippy cannot see it.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod builtin;
mod hostile;
mod loading;
mod locking;
mod previews;
mod support;
mod timing;
