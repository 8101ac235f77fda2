//! What a record of a resource server is in our words.

use super::client::invalid;
use super::json::Taken;
use super::rows::Row;
use crate::embedded::revision;
use crate::error::Result;
use crate::shape::{Digest, FieldKind, FieldShape, FieldView, RecordIdentity, RecordView};
use crate::time::{self, Millis};
use serde_json::{Map, Value};
use stepwell_contract::{Bytes, ConnectionId, RecordId, StreamName};

/// A blob that a field refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlobRef {
    pub(super) id: String,
    mime: String,
    file_name: Option<String>,
    bytes: Option<Bytes>,
    digest: Option<Digest>,
}

impl BlobRef {
    /// Reads a reference: an object that has both a blob's id and its type. Anything else is a value of its own.
    fn read(taken: &Taken) -> Option<Self> {
        if taken.kind() != FieldKind::Json {
            return None;
        }
        let value: Value = serde_json::from_str(&taken.json()?).ok()?;
        let word =
            |names: &[&str]| names.iter().find_map(|name| value.get(*name)?.as_str()).map(str::to_owned);
        let number = |names: &[&str]| names.iter().find_map(|name| value.get(*name)?.as_u64());
        Some(Self {
            id: word(&["blob_id"])?,
            mime: word(&["mime_type", "content_type"])?,
            file_name: word(&["file_name", "filename", "name"]),
            bytes: number(&["size_bytes", "byte_size", "size"]).map(Bytes),
            digest: word(&["sha256", "digest"]).and_then(|text| digest(&text)),
        })
    }

    fn shape(&self) -> FieldShape {
        FieldShape {
            kind: FieldKind::Binary,
            mime: Some(self.mime.clone()),
            file_name: self.file_name.clone(),
            chars: None,
            bytes: self.bytes,
            digest: self.digest,
            windows: false,
        }
    }
}

/// A SHA-256 in hexadecimal digits.
fn digest(text: &str) -> Option<Digest> {
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    let mut bytes = [0; 32];
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()?;
    }
    Some(Digest(bytes))
}

/// A field of a record, and the blob that it refers to if it does.
pub(super) fn field(name: String, taken: Taken) -> (FieldView, Option<BlobRef>) {
    if let Some(blob) = BlobRef::read(&taken) {
        return (FieldView { name, shape: blob.shape(), head: None }, Some(blob));
    }
    let kind = taken.kind();
    let measured = taken.into_measured();
    if measured.has_nul() {
        // A resource server on SQLite counts a text up to its first NUL and shows no window behind it.
        tracing::warn!(field = name, "a field has a NUL: the resource server may show no window behind it");
    }
    let mime = match kind {
        FieldKind::Text => Some("text/plain".to_owned()),
        FieldKind::Json => Some("application/json".to_owned()),
        _ => None,
    };
    let shape = FieldShape {
        kind,
        mime,
        file_name: None,
        chars: Some(measured.chars()),
        bytes: Some(measured.bytes()),
        digest: Some(measured.digest()),
        // Windows are for texts. Of other values there is what fits into a head.
        windows: kind == FieldKind::Text || kind == FieldKind::Json && measured.is_whole(),
    };
    (FieldView { name, shape, head: Some(measured.into_head()) }, None)
}

/// What is known of a record before its answer is read.
pub(super) struct Expected<'a> {
    pub(super) stream: &'a StreamName,
    pub(super) connection: Option<&'a ConnectionId>,
    /// Whether all granted fields were asked for, so that the whole can be told from another whole.
    pub(super) all_fields: bool,
}

impl Expected<'_> {
    /// A record with its fields.
    pub(super) fn record(&self, row: Row) -> Result<RecordView> {
        let identity = self.identity(&row.about)?;
        let mut fields: Vec<FieldView> =
            row.fields.into_iter().map(|(name, taken)| field(name, taken).0).collect();
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        fields.dedup_by(|one, other| one.name == other.name);
        let revision = self.all_fields.then(|| revision(&fields));
        Ok(view(identity, &row.about, revision, fields))
    }

    /// Which record a row is about.
    pub(super) fn identity(&self, about: &Map<String, Value>) -> Result<RecordIdentity> {
        let word = |name: &str| about.get(name).and_then(Value::as_str);
        let unsafe_part = |_| invalid("it names a record that no id can carry");
        let record = word("id").or(word("record_key")).or(word("key"));
        let record = record.ok_or_else(|| invalid("a record in it has no id"))?;
        let connection = match word("connection_id").or(word("connector_instance_id")) {
            Some(connection) => ConnectionId::new(connection).map_err(unsafe_part)?,
            None => {
                let known = self.connection.cloned();
                known.ok_or_else(|| invalid("a record in it names no connection"))?
            }
        };
        if self.connection.is_some_and(|wanted| *wanted != connection) {
            return Err(invalid("it is about another connection").into());
        }
        if word("stream").is_some_and(|stream| stream != self.stream.as_str()) {
            return Err(invalid("it is about another stream").into());
        }
        let record = RecordId::new(record).map_err(unsafe_part)?;
        Ok(RecordIdentity { connection, stream: self.stream.clone(), record })
    }
}

/// A record with what is said about it.
pub(super) fn view(
    identity: RecordIdentity,
    about: &Map<String, Value>,
    revision: Option<String>,
    fields: Vec<FieldView>,
) -> RecordView {
    let word = |name: &str| about.get(name).and_then(Value::as_str).map(str::to_owned);
    let moment = |name: &str| about.get(name).and_then(Value::as_str).and_then(time::parse);
    let emitted_at: Millis = moment("emitted_at").unwrap_or_default();
    RecordView {
        identity,
        connector: word("connector_key").or_else(|| word("connector_id")),
        label: word("display_name"),
        time: moment("authored_at").unwrap_or(emitted_at),
        emitted_at,
        revision,
        fields,
    }
}
