//! A record before the store has prepared it.

use crate::shape::Shape;
use crate::skip::Place;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// One of the streams that an import has announced, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamIndex(pub usize);

/// A stream that an import fills.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Its name.
    pub name: String,
    /// What it declares about itself, in PDPP's shape.
    pub manifest: Value,
}

impl From<&Shape> for Stream {
    fn from(shape: &Shape) -> Self {
        Self { name: shape.name.to_string(), manifest: shape.manifest() }
    }
}

/// A record as an importer hands it over.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Where it goes.
    pub stream: StreamIndex,
    /// Its key, which an id can carry.
    pub key: String,
    /// Its fields, as a JSON object.
    pub data: Box<RawValue>,
    /// Where it came from.
    pub place: Place,
}

impl Draft {
    /// Spells it as the line that the store prepares records from.
    pub fn line(&self) -> serde_json::Result<Vec<u8>> {
        #[derive(Serialize)]
        struct Line<'a> {
            key: &'a str,
            data: &'a RawValue,
        }
        serde_json::to_vec(&Line { key: &self.key, data: &self.data })
    }
}

/// The fields of a record while they are put together. What there is none of is left away.
#[derive(Debug, Default)]
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    /// Repeats the key in the field `id`, before all others.
    pub(crate) fn set_id(&mut self, key: &str) {
        self.0.shift_insert(0, "id".to_owned(), key.into());
    }

    /// Sets a field, unless there is nothing to say.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        let empty = match &value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(list) => list.is_empty(),
            Value::Object(members) => members.is_empty(),
            Value::Bool(_) | Value::Number(_) => false,
        };
        if !empty {
            self.0.insert(name.to_owned(), value);
        }
    }

    /// Sets a field to bytes.
    pub(crate) fn set_bytes(&mut self, name: &str, mime: &str, file_name: Option<&str>, bytes: &[u8]) {
        let mut blob = json!({ "mime_type": mime.replace('\0', ""), "base64": STANDARD.encode(bytes) });
        if let Some(file_name) = file_name {
            blob["file_name"] = file_name.replace('\0', "").into();
        }
        self.0.insert(name.to_owned(), json!({ "$blob": blob }));
    }

    /// Spells them; none if a value is no JSON, which no importer makes.
    pub(crate) fn raw(&self) -> Option<Box<RawValue>> {
        to_raw_value(&self.0).ok()
    }
}
