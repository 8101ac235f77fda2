//! Grants: who may read what, until when.

pub mod document;
mod error;

pub use error::GrantError;

use crate::time::Millis;
use serde::Serialize;
use serde_json::Value;
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
    /// The code of that purpose in some list of purposes; a label only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose_code: Option<String>,
    /// How long the client promised to keep what it reads; a label only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention: Option<Value>,
    /// Which source of data it was asked of; a label only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Value>,
    /// How often a token is issued for it.
    pub access_mode: AccessMode,
    /// When it was made.
    pub issued_at: Millis,
    /// When it ends.
    pub expires_at: Option<Millis>,
    /// When it was revoked.
    pub revoked_at: Option<Millis>,
    /// When the one token of a single-use grant was issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consumed_at: Option<Millis>,
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

/// How often a token is issued for a grant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessMode {
    /// As often as the owner likes, until the grant ends.
    #[default]
    Continuous,
    /// Once. The token lives for a day at most, and the grant is consumed when it is issued.
    SingleUse,
}

impl AccessMode {
    /// The mode's name in PDPP.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Continuous => "continuous",
            Self::SingleUse => "single_use",
        }
    }

    /// Reads the name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Continuous, Self::SingleUse].into_iter().find(|mode| mode.as_str() == text)
    }
}

/// What a grant says beside what it covers: how tokens are issued for it, and labels that nothing is decided by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// How often a token is issued.
    pub access_mode: AccessMode,
    /// The code of its purpose.
    pub purpose_code: Option<String>,
    /// How long the client promised to keep what it reads.
    pub retention: Option<Value>,
    /// Which source of data it was asked of.
    pub source: Option<Value>,
}

/// What an owner asks for when putting grants together.
#[derive(Clone, Debug)]
pub struct PackageRequest {
    /// The client's name, as the owner knows it.
    pub client: String,
    /// When the package ends; each grant in it ends by itself too.
    pub expires_at: Option<Millis>,
    /// The grants, by their identifiers.
    pub grants: Vec<String>,
}

/// Several grants under one token. Nothing in it changes afterwards but the moment of its revocation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Package {
    /// Its identifier, which is no secret.
    pub package_id: String,
    /// The client's name.
    pub client: String,
    /// When it was made.
    pub issued_at: Millis,
    /// When it ends.
    pub expires_at: Option<Millis>,
    /// When it was revoked.
    pub revoked_at: Option<Millis>,
    /// The grants in it.
    pub grants: Vec<String>,
}

impl Package {
    /// In which state it is at a moment, whatever became of its grants.
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
