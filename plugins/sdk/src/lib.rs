//! Write a Stepwell tier in Rust.
//!
//! A tier is a `cdylib` for `wasm32-unknown-unknown` that implements one `Guest` trait and exports it:
//!
//! ```ignore
//! use stepwell_sdk::field_window::{Asked, Guest};
//! use stepwell_sdk::{Context, Fault, FieldShape, Span};
//!
//! struct Plain;
//!
//! impl Guest for Plain {
//!     fn place(_slot: u32, _field: FieldShape, asked: Asked, _context: Context) -> Result<Span, Fault> {
//!         match asked {
//!             Asked::Page(page) => Ok(Span { start: page.offset, end: page.offset + page.limit }),
//!             _ => Err(Fault::Unsupported("pages only".into())),
//!         }
//!     }
//! }
//!
//! stepwell_sdk::field_window::export!(Plain);
//! ```
//!
//! Keep the thinking in plain functions over [`Reader`]: they run natively under `cargo test`, with
//! [`testing::Memory`] in the place of the host.

#[cfg(any(target_family = "wasm", test))]
mod arena;
pub mod bindings;
mod export;
mod reader;
pub mod record;
pub mod testing;
pub mod text;

pub use bindings::imports::stepwell::ladder::fields::{Allowance, Refusal, Wanted};
pub use bindings::imports::stepwell::ladder::log::{Level, write as log};
pub use bindings::imports::stepwell::ladder::shapes::{
    Budget, Context, Fault, FieldKind, FieldShape, Hit, Purpose, RecordShape, Span,
};
pub use reader::{Host, Reader};
pub use record::{FieldExt, RecordExt};

/// The preview tier: what of a record is worth a reader's first glance.
pub mod preview {
    pub use crate::bindings::preview::exports::stepwell::ladder::previewer::{
        Anchor, Derived, Guest, Passage, Sheet, Shown,
    };
    pub use crate::export_preview_tier as export;
}

/// The field-window tier: which span of a field one window shows.
pub mod field_window {
    pub use crate::bindings::field_window::exports::stepwell::ladder::windower::{
        Around, Asked, Back, Guest, Page,
    };
    pub use crate::export_field_window_tier as export;
}

/// The resources tier: which links a result offers, and how a record reads as a resource.
pub mod resources {
    pub use crate::bindings::resources::exports::stepwell::ladder0_2_0::librarian::{
        Guest, Offer, Part, Target,
    };
    pub use crate::export_resources_tier as export;
}

/// The binary-export tier: what to call a blob, and how it may leave.
pub mod binary_export {
    pub use crate::bindings::binary_export::exports::stepwell::ladder::exporter::{
        BlobShape, Card, Guest, Mode,
    };
    pub use crate::export_binary_export_tier as export;
}

/// The tool tier: read-only tools over the records that the caller may read.
pub mod tool {
    pub use crate::bindings::tool::exports::stepwell::ladder0_2_0::toolbox::{
        Answer, AnswerLine, Definition, Guest,
    };
    pub use crate::bindings::tool::stepwell::ladder0_2_0::records::{Selected, Selection, select};
    pub use crate::export_tool_tier as export;
}
