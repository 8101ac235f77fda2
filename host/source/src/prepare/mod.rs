//! Turns a line of input into rows, without a store: parsing, canonical JSON, chunks, digests.
//!
//! Both engines store exactly what is prepared here, so they cannot differ in what a field's text, size or digest is.

pub mod blob;
pub mod canonical;
pub mod chunk;
pub(crate) mod digest;
pub mod line;
pub mod manifest;
pub mod nul;
pub mod record;

pub use chunk::{CHUNK_MAX, INLINE_MAX};
pub use line::{Rejection, RejectionCode};
pub use manifest::{Cardinality, ExpandLimits, Manifest, Relationship, Semantics, View};
pub use record::{Body, PreparedBlob, PreparedField, PreparedRecord, PreparedUnit, prepare};
