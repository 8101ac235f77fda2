//! What a source answers when it does not answer with data.

use std::path::PathBuf;
use std::sync::Arc;
use stepwell_contract::{Code, Refusal};

/// The result of a read.
pub type Result<T, E = SourceError> = std::result::Result<T, E>;

/// A read that gave no data.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The caller may know why.
    #[error(transparent)]
    Refused(Box<Refusal>),
    /// The field was rewritten between two statements of one read; reading again gives the new text.
    #[error("the field changed while it was being read; read it again")]
    Changed,
    /// Something that no caller may see the inside of.
    #[error(transparent)]
    Failed(Failure),
}

impl From<Failure> for SourceError {
    fn from(failure: Failure) -> Self {
        match failure {
            // That is no fault of the store, and the caller can do something about it.
            Failure::TooLong => Refusal::new(Code::QueryTooBroad, "the question has to look at too much")
                .hint("narrow it: name a stream, a connection, a filter, or rarer words")
                .into(),
            other => Self::Failed(other),
        }
    }
}

impl From<Refusal> for SourceError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl SourceError {
    /// The refusal inside, if it is one.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}

/// An engine's failure or a broken store. Its text is for the operator, never for a client.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// SQLite said no.
    #[error("sqlite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// Postgres said no.
    #[error("postgres: {}", postgres_detail(.0))]
    Postgres(#[from] tokio_postgres::Error),
    /// No connection to the database could be had.
    #[error("pool of connections: {0}")]
    Pool(String),
    /// The store is not one that this version can use.
    #[error("{0}")]
    Store(String),
    /// Another program has been at a file for longer than anybody waits.
    #[error("{} is locked by another program", .0.display())]
    Locked(PathBuf),
    /// A row did not have the shape that its statement promises.
    #[error("statement {statement} returned a row of an unexpected shape in column {column}")]
    Row {
        /// Which statement of the closed set.
        statement: &'static str,
        /// Which of its columns, from zero.
        column: usize,
    },
    /// What was to be done for several at once failed for all of them.
    #[error("{0}")]
    Shared(Arc<Failure>),
    /// The database said nothing for so long that the connection counts as lost.
    #[error("the database does not answer")]
    NoAnswer,
    /// A statement was ended because it took too long.
    #[error("a statement took too long and was ended")]
    TooLong,
    /// A background task ended early, which happens at shutdown only.
    #[error("the store is shutting down")]
    Gone,
}

/// A server's own message says more than the client library's "db error".
fn postgres_detail(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => format!("{} ({})", db.message(), db.code().code()),
        None => std::error::Error::source(error)
            .map_or_else(|| error.to_string(), |source| format!("{error}: {source}")),
    }
}
