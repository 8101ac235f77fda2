//! What a caller may see of the store: its connections, streams and fields.

use crate::shape::FieldKind;
use crate::time::Millis;
use serde_json::Value;
use stepwell_contract::{ConnectionId, StreamName};

/// One granted stream of one connection.
#[derive(Clone, Debug, PartialEq)]
pub struct GrantedScope {
    /// The connection.
    pub connection: ConnectionId,
    /// The kind of source, such as `mail`.
    pub connector: Option<String>,
    /// The connection's name for people.
    pub label: Option<String>,
    /// The stream.
    pub stream: StreamName,
    /// Whether the stream came with a manifest; without one its fields were inferred from the records.
    pub declared: bool,
    /// The fields that make a record's key, as far as they are granted.
    pub primary_key: Vec<String>,
    /// The field that orders records, if it is granted.
    pub cursor_field: Option<String>,
    /// The granted fields, sorted by name.
    pub fields: Vec<FieldInfo>,
    /// From when on records may be read.
    pub since: Option<Millis>,
    /// Before when records may be read.
    pub until: Option<Millis>,
}

/// One granted field of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldInfo {
    /// Its top-level key.
    pub name: String,
    /// The kinds of value that records have in it; empty if none has it yet.
    pub kinds: Vec<FieldKind>,
    /// What the manifest's JSON Schema says about it.
    pub schema: Option<Value>,
    /// Its role for people, such as `title`, `body`, `author` or `time`.
    pub role: Option<String>,
    /// Whether search looks into it.
    pub searchable: bool,
}

impl GrantedScope {
    /// The field that has a role.
    #[must_use]
    pub fn with_role(&self, role: &str) -> Option<&FieldInfo> {
        self.fields.iter().find(|field| field.role.as_deref() == Some(role))
    }
}
