//! Write a Stepwell tier as a native library, for code that cannot be compiled to WebAssembly.
//!
//! A native tier implements the same `Guest` trait of [`stepwell_sdk`] as a component does, in a `cdylib`, and exports it
//! with a macro of this crate. It reads through [`Host`]:
//!
//! ```
//! use stepwell_native_sdk::Host;
//! use stepwell_sdk::preview::{Guest, Sheet};
//! use stepwell_sdk::{Context, Fault, Reader, RecordShape};
//!
//! struct Plain;
//!
//! impl Guest for Plain {
//!     fn compose(records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
//!         let _left = Host.left();
//!         let sheet = |slot| Sheet { slot, title: None, lines: vec![], anchors: vec![], options: vec![] };
//!         Ok(records.iter().map(|record| sheet(record.slot)).collect())
//!     }
//! }
//!
//! stepwell_native_sdk::export_preview!(Plain);
//! # fn main() {}
//! ```
//!
//! The library runs in a process of its own, without an environment, and each call in a new one: what it keeps in memory
//! is gone with the call. A panic ends the call, as a fault of the tier.

pub mod abi;
mod export;
mod host;

pub use export::{binary_export, field_window, preview, resources};
pub use host::{Host, log};
