//! The records that a resource server for tests serves.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// A record.
#[derive(Clone, Debug)]
pub struct ShelfRecord {
    /// The connection that it is in.
    pub connection: String,
    /// The connection's name for people.
    pub label: String,
    /// The kind of source.
    pub connector: String,
    /// The stream.
    pub stream: String,
    /// Its key.
    pub key: String,
    /// When it was emitted.
    pub emitted_at: String,
    /// Its fields.
    pub data: Map<String, Value>,
}

/// All records, their blobs, and what the grant leaves out.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    /// The records.
    pub records: Vec<ShelfRecord>,
    /// The blobs by id.
    pub blobs: BTreeMap<String, (String, Vec<u8>)>,
    /// Fields that the grant does not cover.
    pub withheld: Vec<String>,
}

impl Shelf {
    /// Adds a record at `connection/stream:key`.
    ///
    /// # Panics
    /// If the id has another form, or the data is no object.
    #[must_use]
    pub fn with(mut self, id: &str, data: Value) -> Self {
        let (connection, rest) = id.split_once('/').expect("connection/stream:key");
        let (stream, key) = rest.split_once(':').expect("connection/stream:key");
        let Value::Object(data) = data else { panic!("a record is an object") };
        self.records.push(ShelfRecord {
            connection: connection.to_owned(),
            label: format!("The {connection}"),
            connector: "mail".to_owned(),
            stream: stream.to_owned(),
            key: key.to_owned(),
            emitted_at: format!("2026-01-01T00:00:{:02}Z", self.records.len() % 60),
            data,
        });
        self
    }

    /// Adds a blob and gives what a field refers to it by.
    pub fn blob(&mut self, id: &str, mime: &str, bytes: Vec<u8>) -> Value {
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let reference =
            json!({ "blob_id": id, "mime_type": mime, "size_bytes": bytes.len(), "sha256": digest });
        self.blobs.insert(id.to_owned(), (mime.to_owned(), bytes));
        reference
    }

    /// The record of an id.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn record(&self, connection: &str, stream: &str, key: &str) -> &ShelfRecord {
        let is_it =
            |one: &&ShelfRecord| one.connection == connection && one.stream == stream && one.key == key;
        self.records.iter().find(is_it).expect("the record")
    }

    /// The fields of a record that the grant covers.
    pub(super) fn granted<'a>(
        &'a self,
        record: &'a ShelfRecord,
    ) -> impl Iterator<Item = (&'a String, &'a Value)> {
        record.data.iter().filter(|(name, _)| !self.withheld.contains(*name))
    }
}
