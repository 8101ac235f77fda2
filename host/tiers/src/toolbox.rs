//! What a tool tier offers, what it may select, and what it answers.

use crate::runtime::hex_digest;
use crate::shape::{RecordShape, Slot};
use serde_json::{Map, Value, json};
use stepwell_contract::Bytes;

/// A tool of a plugin, checked when the plugin was loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The tool's own name. It may be listed under another.
    pub name: String,
    /// What a person reads.
    pub title: String,
    /// What a model reads.
    pub description: String,
    /// The arguments: a closed JSON Schema with an object root.
    pub input: Value,
    /// The arguments that carry record ids.
    pub record_parameters: Vec<String>,
}

impl Definition {
    /// The SHA-256 of all that it says, in hex.
    pub(crate) fn digest(&self) -> String {
        let Self { name, title, description, input, record_parameters } = self;
        hex_digest(json!([name, title, description, input, record_parameters]).to_string().as_bytes())
    }

    /// How many bytes of a list of tools it takes.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        let words = self.name.len() + self.title.len() + self.description.len();
        Bytes((words + self.input.to_string().len()) as u64)
    }
}

/// Which records a tool wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The stream.
    pub stream: String,
    /// A filter as `query_records` takes it, as JSON; empty for none.
    pub filter: String,
    /// Words to search for; nothing for all records.
    pub query: Option<String>,
    /// At most this many.
    pub limit: usize,
}

/// What a tool was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selected {
    /// The records, each in a slot of its own.
    pub records: Vec<RecordShape>,
    /// Whether there are more of this kind.
    pub has_more: bool,
}

/// A line of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerLine {
    /// The text: on one line, bounded, without control and bidi characters.
    pub text: String,
    /// The record it is about.
    pub slot: Option<Slot>,
}

/// What a tool answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The lines, the most telling first.
    pub lines: Vec<AnswerLine>,
    /// The same for machines. It names no ids, addresses or cursors.
    pub data: Map<String, Value>,
    /// The arguments that go on where this answer ends. They passed the tool's schema.
    pub next: Option<Value>,
}

/// An answer as a guest gave it: nothing in it was checked.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawAnswer {
    pub(crate) lines: Vec<(String, Option<u32>)>,
    pub(crate) data: Option<String>,
    pub(crate) next: Option<String>,
}

/// A definition as a guest gave it.
#[derive(Clone, Debug)]
pub(crate) struct RawDefinition {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) input_schema: String,
    pub(crate) record_parameters: Vec<String>,
}
