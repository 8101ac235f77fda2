//! Whole values, a piece at a time.
//!
//! A result of a tool shows windows. A client of the resource server, or an owner who takes data out, wants values as
//! they are, and a value may be longer than memory. What is here reads a piece, hands it on and forgets it. Each piece is
//! read under the grant, so a revocation ends a long answer in its middle.

mod outlet;
mod record;

pub use outlet::{Closed, Outlet, Pen};
pub use record::{Blobs, WholeRecord};

use crate::error::SourceError;
use crate::prepare::CHUNK_MAX;
use crate::shape::Field;
use crate::source::Source;
use crate::token::Caller;
use stepwell_contract::{Bytes, Chars, Span};

/// How much text is in memory at a time: 32 chunks, which is half a megabyte if all of it is emoji.
const TEXT_PIECE: Chars = Chars(32 * CHUNK_MAX.0);

/// How many bytes of a blob are in memory at a time. A multiple of three, so that base64 pieces join without padding.
const BYTES_PIECE: Bytes = Bytes(3 * 64 * 1024);

/// Why a value was not handed on to its end.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    /// Whoever wanted it is gone.
    #[error(transparent)]
    Closed(#[from] Closed),
    /// It could not be read on.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// Hands on a part of a binary field, from a byte to before another.
pub async fn write_bytes(
    source: &dyn Source,
    caller: &Caller,
    field: &Field,
    (start, end): (Bytes, Bytes),
    pen: &mut Pen<'_>,
) -> Result<(), Broken> {
    let (mut at, end) = (start, end.min(field.shape.bytes));
    while at < end {
        let piece = source.bytes(caller, field, at, BYTES_PIECE.min(end - at)).await?;
        at = at + Bytes(piece.len() as u64);
        if piece.is_empty() {
            return Err(SourceError::Changed.into());
        }
        pen.write(&piece).await?;
    }
    Ok(())
}

/// Hands on the text of a field.
pub async fn write_text(
    source: &dyn Source,
    caller: &Caller,
    field: &Field,
    pen: &mut Pen<'_>,
) -> Result<(), Broken> {
    each_text_piece(source, caller, field, pen, |piece| piece.into_bytes()).await
}

/// Hands on the text of a field in another spelling. A piece ends between two code points, so spelling one by one will do.
async fn each_text_piece(
    source: &dyn Source,
    caller: &Caller,
    field: &Field,
    pen: &mut Pen<'_>,
    spell: impl Fn(String) -> Vec<u8>,
) -> Result<(), Broken> {
    let (mut at, end) = (Chars::ZERO, field.whole().end());
    while at < end {
        let piece = source.text(caller, field, Span::at(at, TEXT_PIECE)).await?;
        if piece.is_empty() {
            return Err(SourceError::Changed.into());
        }
        at = at + Chars::of(&piece);
        pen.write(&spell(piece)).await?;
    }
    Ok(())
}
