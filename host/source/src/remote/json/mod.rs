//! JSON that is read as it arrives, so that what is not wanted of it is never held.

mod measured;
mod taken;
mod tokens;

pub(super) use measured::Measured;
pub(super) use taken::Taken;
pub(super) use tokens::{Sink, Token, Tokenizer};

/// Why an answer cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Broken {
    /// It is no JSON.
    #[error("it is no JSON")]
    Syntax,
    /// It ended before it was complete.
    #[error("it ends too early")]
    Cut,
    /// It has another shape than the interface promises.
    #[error("{0}")]
    Shape(&'static str),
    /// It is larger than is taken.
    #[error("it is too large")]
    TooLarge,
}
