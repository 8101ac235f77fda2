//! A request for a grant as a JSON document, in PDPP's shape.
//!
//! It takes what PDPP's `authorization_details` ask for, and a grant as `stepwell grant show --json` prints it: what is about
//! that grant alone (its identifier, its state) is set aside, and the new one is made from the rest. Every other member
//! that is not known is an error, because a condition that nobody reads is a condition that nobody keeps.

mod read;

use crate::grant::Terms;
use crate::time::Millis;
use stepwell_contract::{ConnectionId, RecordId, StreamName};

/// A request as it was written: views and `*` are not resolved yet.
#[derive(Clone, Debug, PartialEq)]
pub struct GrantDocument {
    /// The client's name, where the document says it.
    pub client: Option<String>,
    /// Whose data it is.
    pub subject: Option<String>,
    /// What it is for, in words.
    pub purpose: Option<String>,
    /// When it ends.
    pub expires_at: Option<Millis>,
    /// How tokens are issued, and labels.
    pub terms: Terms,
    /// The streams; none means each one that there is (`*`).
    pub streams: Vec<StreamDocument>,
}

/// One stream of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamDocument {
    /// The stream's name; none means each one that there is (`*`).
    pub name: Option<StreamName>,
    /// The connections; empty means each one that has the stream.
    pub connections: Vec<ConnectionId>,
    /// Which fields.
    pub fields: Selection,
    /// Only records from this moment on.
    pub since: Option<Millis>,
    /// Only records before this moment.
    pub until: Option<Millis>,
    /// Only these records.
    pub resources: Option<Vec<RecordId>>,
}

/// Which fields of a stream are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All that the stream declares or has.
    All,
    /// These.
    Fields(Vec<String>),
    /// Those of a view that the stream's manifest declares.
    View(String),
}

/// Why a text is no request for a grant.
#[derive(Debug, thiserror::Error)]
pub enum BadDocument {
    /// Not JSON.
    #[error("the request is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Not what the shape asks for.
    #[error("the request's \"{member}\" must be {wanted}")]
    Member {
        /// Which member, by its path.
        member: String,
        /// What belongs there.
        wanted: String,
    },
    /// A member that the shape does not have.
    #[error("the request has a member \"{member}\" that is not known; there are: {known}")]
    Unknown {
        /// Which member, by its path.
        member: String,
        /// The members that are known there.
        known: String,
    },
}

impl GrantDocument {
    /// Reads a document.
    pub fn parse(text: &str) -> Result<Self, BadDocument> {
        read::document(&serde_json::from_str(text)?)
    }
}

#[cfg(test)]
mod tests;
