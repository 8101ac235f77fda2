//! The pure rules of Stepwell.
//!
//! Everything that a client can rely on and that no plugin can change is decided here: how an id is spelled, what a
//! window is, how a cursor is sealed, what an error means. This crate does no IO, knows no async, and depends on
//! neither the protocol library, the wasm runtime nor a database, so each rule can be tested against a naive model.

pub mod budget;
pub mod cursor;
pub mod error;
pub mod field_path;
pub mod handle;
pub mod id;
pub mod json;
pub mod name;
pub mod quote;
pub mod selector;
pub mod tool;
pub mod tool_name;
pub mod unit;
pub mod window;

pub use error::{Class, Code, Refusal};
pub use field_path::FieldPath;
pub use id::ResultId;
pub use name::{ConnectionId, RecordId, StreamName};
pub use unit::{Bytes, Chars, Span};
