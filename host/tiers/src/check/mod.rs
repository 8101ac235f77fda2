//! What every answer of a tier must satisfy, as pure functions.
//!
//! A broken rule is a fault, because a tier that breaks one is not to be trusted with the next. Text is another matter:
//! it is cleaned and cut here whatever it says, so that no wording can forge a control line.

mod answer;
mod definition;
mod export;
mod preview;
mod resources;
mod text;
mod window;

pub(crate) use answer::answer;
pub(crate) use definition::definitions;
pub use export::{MIME_TYPES, OCTET_STREAM, card, file_name};
pub use preview::sheets;
pub use resources::{links, parts};
pub use text::clean;
pub use window::window;

use crate::fault::Invalid;
use crate::shape::{FieldShape, RecordShape};
use stepwell_contract::Span;

/// Checks that a span lies inside a field, as far as the field's size is known.
fn inside(field: &FieldShape, at: Span) -> Result<(), Invalid> {
    match field.chars {
        Some(size) if at.end() > size => Err(Invalid::OutsideField { at, size }),
        _ => Ok(()),
    }
}

/// Finds a readable field of a record.
fn readable<'a>(record: &'a RecordShape, path: &str) -> Result<&'a FieldShape, Invalid> {
    record.field(path).filter(|field| field.kind.is_readable()).ok_or(Invalid::FieldNotInHand)
}

/// Checks a count against what is allowed.
fn at_most(what: &'static str, found: usize, most: usize) -> Result<(), Invalid> {
    if found > most { Err(Invalid::TooMany { what, found, most }) } else { Ok(()) }
}
