//! Grants: who may read what, until when.

use crate::error::Failure;
use crate::time::Millis;
use serde::Serialize;
use stepwell_contract::{ConnectionId, RecordId, StreamName};

/// What an owner asks for when making a grant. Left-out parts mean "all there is now", and are settled when it is made.
#[derive(Clone, Debug)]
pub struct GrantRequest {
    /// The client's name, as the owner knows it.
    pub client: String,
    /// Whose data it is; a label only.
    pub subject: String,
    /// What the owner gave it for; a label only.
    pub purpose: Option<String>,
    /// When it ends.
    pub expires_at: Option<Millis>,
    /// The streams.
    pub streams: Vec<StreamRequest>,
}

/// One stream of a request.
#[derive(Clone, Debug)]
pub struct StreamRequest {
    /// The stream's name.
    pub name: StreamName,
    /// The connections; empty means each one that has the stream.
    pub connections: Vec<ConnectionId>,
    /// The fields; none means each one that the stream declares or has.
    pub fields: Option<Vec<String>>,
    /// Only records from this moment on.
    pub since: Option<Millis>,
    /// Only records before this moment.
    pub until: Option<Millis>,
    /// Only these records.
    pub resources: Option<Vec<RecordId>>,
}

/// A grant as it was made. Nothing in it changes afterwards but the moment of its revocation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grant {
    /// Its identifier, which is no secret.
    pub grant_id: String,
    /// The client's name.
    pub client: String,
    /// Whose data it is.
    pub subject: String,
    /// What it was given for.
    pub purpose: Option<String>,
    /// `continuous`: it may be used until it ends.
    pub access_mode: String,
    /// When it was made.
    pub issued_at: Millis,
    /// When it ends.
    pub expires_at: Option<Millis>,
    /// When it was revoked.
    pub revoked_at: Option<Millis>,
    /// What it covers, one entry for each connection and stream.
    pub streams: Vec<GrantedStream>,
}

impl Grant {
    /// In which state it is at a moment.
    #[must_use]
    pub fn state(&self, now: Millis) -> GrantState {
        GrantState::of(self.revoked_at, self.expires_at, now)
    }
}

/// One connection's stream within a grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GrantedStream {
    /// The stream's name.
    pub name: String,
    /// The connection.
    pub connection_id: String,
    /// The connection's label, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The fields, settled.
    pub fields: Vec<String>,
    /// The time range, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_constraint: Option<TimeConstraint>,
    /// The records, where they are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<Vec<String>>,
}

/// A range of time: `since` belongs to it, `until` does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimeConstraint {
    /// The field that it is about.
    pub field: String,
    /// Its first moment.
    pub since: Option<Millis>,
    /// The first moment after it.
    pub until: Option<Millis>,
}

/// Whether a grant counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantState {
    /// It counts.
    Active,
    /// It ended by itself.
    Expired,
    /// The owner ended it.
    Revoked,
}

impl GrantState {
    pub(crate) fn of(revoked_at: Option<Millis>, expires_at: Option<Millis>, now: Millis) -> Self {
        if revoked_at.is_some() {
            Self::Revoked
        } else if expires_at.is_some_and(|at| at <= now) {
            Self::Expired
        } else {
            Self::Active
        }
    }
}

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
    /// The random source of the machine failed.
    #[error("no random bits for a token: {0}")]
    Random(#[from] getrandom::Error),
    /// The store failed.
    #[error(transparent)]
    Failed(#[from] Failure),
}
