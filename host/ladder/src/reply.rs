//! What a rung of the ladder answers with, before the protocol wraps it.

use serde_json::Value;
use stepwell_contract::json::{json_bytes, string_bytes};
use stepwell_contract::{Bytes, Code, Refusal};
use stepwell_source::{Disclosure, SourceError};

/// The answer to a tool call: both channels, each enough by itself.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The text blocks, most often one.
    pub text: Vec<String>,
    /// The structured content.
    pub structured: Value,
    /// Links to resources, for clients that can follow them.
    pub links: Vec<Link>,
    /// What else may help a client and is not part of the answer, for `_meta`.
    pub meta: Option<Value>,
    /// What it shows, for the ledger; it does not leave.
    pub disclosed: Vec<Disclosure>,
}

/// What the protocol puts around a result: its members' names, the request id, a version.
pub(crate) const FRAME: u64 = 256;
/// What a block of text is besides the text.
pub(crate) const TEXT_BLOCK: u64 = 26;

impl Reply {
    /// The bytes of the result as it goes over the wire.
    pub(crate) fn wire(&self) -> Bytes {
        let text: u64 = self.text.iter().map(|text| string_bytes(text).get() + TEXT_BLOCK).sum();
        let links: u64 = self.links.iter().map(Link::wire).sum();
        let meta = self.meta.as_ref().map_or(0, |meta| json_bytes(meta).get());
        Bytes(text + links + meta + json_bytes(&self.structured).get() + FRAME)
    }
}

/// A link to a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Where it points.
    pub uri: String,
    /// A short name.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// The media type behind it.
    pub mime: Option<String>,
    /// The size behind it in bytes.
    pub size: Option<u64>,
    /// How much it matters, from 0 to 1.
    pub priority: f32,
}

impl Link {
    pub(crate) fn wire(&self) -> u64 {
        let words = [Some(&self.uri), Some(&self.name), self.title.as_ref(), self.mime.as_ref()];
        let words = words.map(|word| word.map_or(4, |word| string_bytes(word).get()) + 1);
        let size = self.size.map_or(4, |size| size.to_string().len() as u64);
        // The names of the members, and the annotation.
        words.iter().sum::<u64>() + size + 2 + 120
    }
}

/// What a resource read gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The URI that was read.
    pub uri: String,
    /// The media type.
    pub mime: String,
    /// The content.
    pub content: Content,
    /// Where the next part is, if this is a part.
    pub next_uri: Option<String>,
    /// Where the part before is.
    pub previous_uri: Option<String>,
    /// The size of the whole in bytes.
    pub size: Option<u64>,
    /// What it shows, for the ledger; it does not leave.
    pub disclosed: Vec<Disclosure>,
}

/// A kind of resource that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The address with a place for the handle.
    pub uri_template: String,
    /// A short name.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// What it gives.
    pub description: Option<String>,
    /// The media type, where all of the kind have the same.
    pub mime: Option<String>,
}

/// The content of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// A result that is no answer.
#[derive(Debug, thiserror::Error)]
pub enum LadderError {
    /// The caller may know why.
    #[error(transparent)]
    Refused(Box<Refusal>),
    /// The caller may know why, and learns something about a record by it: that a phrase does not occur there. The ledger
    /// has it before it is told.
    #[error("{0}")]
    Missed(Box<Refusal>, Box<Disclosure>),
    /// What would be shown could not be written down. Only the operator may know why.
    #[error("the ledger could not be written: {0}")]
    Unrecorded(String),
    /// Only the operator may know why.
    #[error("{0}")]
    Failed(String),
}

impl From<Refusal> for LadderError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl From<SourceError> for LadderError {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Refused(refusal) => Self::Refused(refusal),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl LadderError {
    /// What the client is told: a failure's own words stay inside.
    #[must_use]
    pub fn for_client(&self) -> Refusal {
        match self {
            Self::Refused(refusal) | Self::Missed(refusal, _) => (**refusal).clone(),
            Self::Unrecorded(_) => {
                let message = "this read could not be written to the owner's ledger, so nothing is shown";
                Refusal::new(Code::LedgerUnavailable, message).hint("try again in a moment")
            }
            Self::Failed(_) => {
                let message = "the store did not answer; nothing was read";
                Refusal::new(Code::SourceUnavailable, message).hint("try again in a moment")
            }
        }
    }
}
