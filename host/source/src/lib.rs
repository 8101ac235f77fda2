//! Where records come from.
//!
//! A [`Source`] answers reads, and every read takes a [`Caller`]: there is no function here that reads a record without
//! one. The grant is enforced inside the query itself (see [`embedded::statement`]), below everything that a tool or a
//! plugin can influence. This crate knows neither MCP nor tiers.

pub mod care;
pub mod catalogue;
pub mod embedded;
pub mod error;
mod exact;
pub mod filter;
pub mod grant;
pub mod ledger;
pub mod ordered;
pub mod postgres;
pub mod prepare;
pub mod query;
pub mod remote;
pub mod scan;
pub mod shape;
pub mod source;
pub mod sqlite;
pub mod terms;
pub mod time;
pub mod token;
pub mod url;
pub mod whole;
pub mod words;

pub use embedded::Embedded;
pub use error::{Failure, SourceError};
pub use ledger::{Disclosure, Durable, Extent};
pub use remote::{Remote, RemoteUrl};
pub use shape::{Field, FieldKind, FieldShape, RecordRef, RecordView};
pub use source::{Source, StoreUse};
pub use token::{Caller, Token};
pub use url::SourceUrl;
