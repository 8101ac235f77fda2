//! What a client's file is to say, and how that gets into what it says already.

use super::name::ServerName;
use super::{json_file, toml_file};
use serde_json::{Value, json};

/// A server in a client's configuration.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) format: Format,
    /// The member that holds all servers.
    pub(super) room: &'static str,
    pub(super) name: ServerName,
    pub(super) entry: Value,
    /// A question that the client asks its user once, for a client that keeps the answer by itself.
    pub(super) input: Option<Value>,
}

/// How a client's file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON to the letter.
    Json,
    /// JSON that may hold comments and trailing commas.
    JsonWithComments,
    Toml,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Merged {
    /// The file says it already.
    Same,
    /// The new text of the file.
    Changed(String),
}

/// Why a file is left as it is. No message repeats what the file says: it may hold secrets of other servers.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum MergeError {
    #[error("it cannot be read: {0}")]
    Broken(String),
    #[error("it is no object, so it has no room for servers")]
    NoObject,
    #[error("its {0:?} is not what it should be: {1}")]
    Shape(&'static str, &'static str),
    #[error("it has {0:?} twice, and which of them counts is for the client to say")]
    Twice(String),
    #[error("it already has another server {0:?}: choose a --name, or replace it with --force")]
    Taken(String),
}

impl Wanted {
    /// The entry with all that stands around it.
    pub(super) fn document(&self) -> Value {
        let mut document = json!({});
        if let Some(input) = &self.input {
            document[json_file::INPUTS] = json!([input]);
        }
        document[self.room] = json!({ self.name.as_str(): self.entry });
        document
    }

    /// A file that says this and nothing else.
    pub(super) fn alone(&self) -> Result<String, MergeError> {
        match self.merge("", false)? {
            Merged::Changed(text) => Ok(text),
            Merged::Same => Ok(String::new()),
        }
    }

    /// Puts the server into a file's text. Whatever else is there stays, in its order and with its comments.
    pub(super) fn merge(&self, text: &str, force: bool) -> Result<Merged, MergeError> {
        match self.format {
            Format::Json | Format::JsonWithComments => json_file::merge(text, self, force),
            Format::Toml => toml_file::merge(text, self, force),
        }
    }
}
