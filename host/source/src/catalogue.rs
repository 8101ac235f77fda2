//! What a caller may see of the store: its connections, streams and fields.

use crate::prepare::{Cardinality, ExpandLimits, Semantics};
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
    /// How its records live.
    pub semantics: Semantics,
    /// The fields that make a record's key, as far as they are granted.
    pub primary_key: Vec<String>,
    /// The field that orders records, if it is granted.
    pub cursor_field: Option<String>,
    /// The granted fields, sorted by name.
    pub fields: Vec<FieldInfo>,
    /// The declared views that have a granted field.
    pub views: Vec<GrantedView>,
    /// The declared relationships that lead to records within the grant.
    pub relationships: Vec<GrantedRelationship>,
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
    /// Whether a filter can ask for a value of it.
    pub exact: bool,
    /// The operators with which a filter can ask for a range of it.
    pub ranges: Vec<String>,
    /// What can be computed of it.
    pub aggregations: Vec<&'static str>,
    /// Whether records can be sorted by it.
    pub sortable: bool,
}

/// A declared view, cut to what is granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedView {
    /// What it is asked for by.
    pub id: String,
    /// What people call it.
    pub label: Option<String>,
    /// Its granted fields.
    pub fields: Vec<String>,
    /// Whether these are all of its fields.
    pub complete: bool,
}

/// A declared relationship whose foreign key and other side are granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedRelationship {
    /// What it is asked for by.
    pub name: String,
    /// The stream that it leads to, in the same connection.
    pub stream: StreamName,
    /// The field that holds the other side's key.
    pub foreign_key: String,
    /// Which side has that field.
    pub cardinality: Cardinality,
    /// How many records an expansion shows; none if it is not declared for expanding.
    pub expands: Option<ExpandLimits>,
}

impl GrantedScope {
    /// The field of a name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&FieldInfo> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The field that has a role.
    #[must_use]
    pub fn with_role(&self, role: &str) -> Option<&FieldInfo> {
        self.fields.iter().find(|field| field.role.as_deref() == Some(role))
    }
}
