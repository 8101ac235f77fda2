//! Why a grant, a package or a token could not be made or found.

use crate::error::Failure;

/// Why a grant could not be made or found.
#[derive(Debug, thiserror::Error)]
pub enum GrantError {
    /// A grant of nothing.
    #[error("a grant names at least one stream")]
    Empty,
    /// The same stream was asked for twice.
    #[error("the stream \"{0}\" is named twice; list its fields in one place")]
    StreamTwice(String),
    /// No connection has the stream.
    #[error("no connection has a stream \"{stream}\"; there are: {known}")]
    UnknownStream {
        /// The stream that was asked for.
        stream: String,
        /// The streams that there are.
        known: String,
    },
    /// The connection does not have the stream.
    #[error("the connection \"{connection}\" has no stream \"{stream}\"; these have: {known}")]
    UnknownConnection {
        /// The connection that was asked for.
        connection: String,
        /// The stream.
        stream: String,
        /// The connections that have it.
        known: String,
    },
    /// The stream neither declares the field nor has it.
    #[error("the stream \"{stream}\" of \"{connection}\" has no field \"{field}\"; it has: {known}")]
    UnknownField {
        /// The field that was asked for.
        field: String,
        /// The stream.
        stream: String,
        /// The connection.
        connection: String,
        /// The fields that it has.
        known: String,
    },
    /// A range that no moment lies in.
    #[error("the time range of \"{0}\" is empty: --since must lie before --until")]
    EmptyTimeRange(String),
    /// No grant has the identifier.
    #[error("there is no grant \"{0}\"; list them with: stepwell grant list")]
    NotFound(String),
    /// Nobody to make it for.
    #[error("the request does not say which client it is for: name one with --client")]
    NoClient,
    /// No grant was named.
    #[error("a package holds at least one grant")]
    EmptyPackage,
    /// The same grant was named twice.
    #[error("the grant \"{0}\" is named twice")]
    GrantTwice(String),
    /// Two grants of a package would decide about the same records.
    #[error(
        "the grants \"{one}\" and \"{two}\" both cover the stream \"{stream}\" of \"{connection}\": in a package one grant \
         decides what may be seen of a record; leave one of them out, or make one grant that says what is meant"
    )]
    Overlap {
        /// The one.
        one: String,
        /// The other.
        two: String,
        /// The stream that both cover.
        stream: String,
        /// Its connection.
        connection: String,
    },
    /// A package is one more token for its grants.
    #[error("the grant \"{0}\" is for single use, so it has a token of its own and goes into no package")]
    SingleUseInPackage(String),
    /// The grant or package has ended.
    #[error("\"{0}\" has ended; make a new one")]
    Ended(String),
    /// A single-use grant has had its token.
    #[error(
        "grant_consumed: the grant \"{0}\" is for single use, and its one token was issued; make a new grant"
    )]
    Consumed(String),
    /// No token has the name.
    #[error(
        "there is no token \"{0}\"; list them with: stepwell grant token list, or: stepwell owner token list"
    )]
    UnknownToken(String),
    /// The stream declares no such view.
    #[error("the stream \"{stream}\" of \"{connection}\" declares no view \"{view}\"; it declares: {known}")]
    UnknownView {
        /// The view that was asked for.
        view: String,
        /// The stream.
        stream: String,
        /// The connection.
        connection: String,
        /// The views that it declares.
        known: String,
    },
    /// The random source of the machine failed.
    #[error("no random bits for a token: {0}")]
    Random(#[from] getrandom::Error),
    /// The store failed.
    #[error(transparent)]
    Failed(#[from] Failure),
}
