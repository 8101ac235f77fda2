//! The sample data: three connections of invented mail and chat, generated deterministically.
//!
//! Ilse Varnholt has a leaking roof, an invoice that went astray, a choir that travels, a reading circle that never
//! throws anything away, and a job at a company that measures tides. None of them exist. Two mail accounts and a chat
//! export hold different parts of each story, so that the good questions need more than one of them; among the honest
//! records stand long ones, odd ones and hostile ones.
//!
//! Everything is built in memory on request. The same call gives the same bytes on every machine.

mod attachments;
mod chat;
mod generator;
mod hostile;
pub mod known;
mod long_text;
mod mail;
mod manifest;
mod prose;
mod survey;

use serde_json::Value;
use std::fmt::Write as _;

/// One account or export, with everything in it.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The connection's id, the first segment of its records' ids.
    pub id: &'static str,
    /// The key of the connector that reads such accounts.
    pub connector: &'static str,
    /// What the person calls it.
    pub label: &'static str,
    /// Its streams, each with a manifest of its own.
    pub streams: Vec<Stream>,
}

/// One kind of record within a connection.
#[derive(Clone, Debug)]
pub struct Stream {
    /// The stream's name, the second segment of its records' ids.
    pub name: &'static str,
    /// Fields, keys, views and queries, declared in PDPP's shape.
    pub manifest: Value,
    /// The records, in the order in which they were emitted.
    pub records: Vec<Record>,
}

/// One record as an importer hands it over.
#[derive(Clone, Debug)]
pub struct Record {
    /// The record's key; its data repeats it in the field `id`.
    pub key: String,
    /// When the importer saw it, in RFC 3339, UTC.
    pub emitted_at: String,
    /// The fields, as a JSON object.
    pub data: Value,
}

impl Stream {
    /// Writes the records as an importer would send them: one `{"key","data","emitted_at"}` per line.
    #[must_use]
    pub fn ndjson(&self) -> String {
        let mut lines = String::new();
        for record in &self.records {
            let (key, emitted_at) = (Value::from(&*record.key), Value::from(&*record.emitted_at));
            // A `String` takes any text, so there is no failure to report.
            let _ = writeln!(lines, r#"{{"key":{key},"data":{},"emitted_at":{emitted_at}}}"#, record.data);
        }
        lines
    }
}

/// Builds all three connections.
#[must_use]
pub fn connections() -> Vec<Connection> {
    vec![
        Connection {
            id: known::HOME_MAIL,
            connector: "mail",
            label: "Home mail",
            streams: vec![mail::home()],
        },
        Connection {
            id: known::WORK_MAIL,
            connector: "mail",
            label: "Work mail",
            streams: vec![mail::work()],
        },
        Connection {
            id: known::CHAT_EXPORT,
            connector: "chat",
            label: "Chat export",
            streams: vec![chat::conversations(), chat::messages()],
        },
    ]
}

#[cfg(test)]
mod tests;
