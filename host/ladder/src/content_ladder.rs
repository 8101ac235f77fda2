//! The metadata that says, for each long, JSON or binary field, how much of it was shown and how to read the rest.

use crate::ladder::{Asker, Ladder};
use crate::rung::{Preview, Rung};
use crate::seal::{Seal, now_unix, version};
use serde_json::{Map, Value, json};
use stepwell_contract::budget::{DEFAULT_LIMIT, LADDER_RECORDS, SizeGrade};
use stepwell_contract::cursor::FieldVersion;
use stepwell_contract::handle::Handle;
use stepwell_contract::quote::json_string;
use stepwell_contract::selector::WindowArguments;
use stepwell_contract::{Chars, FieldPath};
use stepwell_source::shape::{Digest, RecordIdentity};
use stepwell_source::{FieldKind, RecordView};

/// The line of text that says how to read on in a record, from the wordiest to the barest form: with the address and the
/// other cut fields, without the address, the call alone. Empty where nothing was cut.
pub(crate) type Continuation = [String; 3];

impl Ladder {
    /// The whole block.
    pub(crate) fn content_ladder(&self, kind: &str, records: impl Iterator<Item = Value>) -> Value {
        let records: Vec<Value> = records.take(LADDER_RECORDS).collect();
        json!({ "kind": kind, "records": records })
    }

    /// The entry of one record, and the preview that it goes by.
    pub(crate) fn ladder_record(
        &self,
        asker: &Asker<'_>,
        view: &RecordView,
        rungs: &[Rung<'_>],
        previewed_by: Option<&str>,
    ) -> Value {
        let identity = &view.identity;
        let field = |rung| self.ladder_field(asker, identity, rung, previewed_by.is_some());
        let fields: Vec<Value> = rungs.iter().map(field).collect();
        let mut entry = json!({
            "id": identity.id().to_string(),
            "connection_id": identity.connection.as_str(),
            "stream": identity.stream.as_str(),
            "record_id": identity.record.as_str(),
        });
        if let Some(revision) = &view.revision {
            entry["revision"] = json!(revision);
        }
        entry["fields"] = json!(fields);
        entry
    }

    fn ladder_field(
        &self,
        asker: &Asker<'_>,
        identity: &RecordIdentity,
        rung: &Rung<'_>,
        is_previewed: bool,
    ) -> Value {
        let mut entry = Map::new();
        entry.insert("path".into(), json!(rung.path.as_str()));
        entry.insert("preview".into(), preview_json(&rung.preview, is_previewed));
        if self.tiers.window().is_some()
            && let Some(offset) = rung.next
        {
            let args = read_args(identity, &rung.path, offset);
            entry.insert("read".into(), json!({ "tool": "read_record_field", "args": args }));
            if let Some(version) = self.version_of(rung) {
                let keys = self.keys.last_read();
                let seal = Seal::new(&keys, asker.caller, identity, &rung.path, version, now_unix());
                entry.insert("next_cursor".into(), json!(seal.window(offset, DEFAULT_LIMIT)));
            }
            if !rung.places.is_empty() {
                let places: Vec<Value> = rung.places.iter().map(|place| place.json()).collect();
                entry.insert("anchors".into(), json!(places));
            }
        }
        if let Some(uri) = self.field_uri(identity, rung) {
            entry.insert("resource".into(), json!({ "uri": uri }));
        }
        if let Some(url) = self.export_url(asker, identity, rung) {
            entry.insert("export".into(), json!({ "url": url }));
        }
        entry.insert("type".into(), json!(rung.kind.as_str()));
        entry.insert("text_like".into(), json!(rung.kind.is_text_like()));
        if let Some(mime) = rung.mime {
            entry.insert("mime_type".into(), json!(mime));
        }
        if let Some(chars) = rung.chars {
            entry.insert("size_chars".into(), json!(chars));
        }
        if let Some(bytes) = rung.bytes {
            entry.insert("size_bytes".into(), json!(bytes));
        }
        if let Some(size) = rung.known_size() {
            entry.insert("size_grade".into(), json!(SizeGrade::of(size).as_str()));
        }
        if let Some(digest) = rung.digest {
            entry.insert("digest".into(), json!(digest.to_string()));
        }
        Value::Object(entry)
    }

    /// What a cursor into a field is bound to: what the source will measure when the cursor comes back.
    fn version_of(&self, rung: &Rung<'_>) -> Option<FieldVersion> {
        if self.source.measures_digests() {
            return rung.digest.map(|digest| version(Some(digest), None));
        }
        rung.chars.map(|chars| version(None, Some(chars)))
    }

    /// A digest that a later read can be held against.
    pub(crate) fn measured(&self, digest: Option<Digest>) -> Option<Digest> {
        digest.filter(|_| self.source.measures_digests())
    }

    /// Where a field can be read as a resource, if the tiers for that are on.
    pub(crate) fn field_uri(&self, identity: &RecordIdentity, rung: &Rung<'_>) -> Option<String> {
        if rung.kind == FieldKind::Binary {
            return self.blob_uri(identity, rung);
        }
        self.tiers.resources()?;
        self.tiers.window()?;
        Some(window_uri(identity, rung, rung.next?, self.measured(rung.digest)))
    }

    /// Where a binary field's bytes can be read.
    pub(crate) fn blob_uri(&self, identity: &RecordIdentity, rung: &Rung<'_>) -> Option<String> {
        self.tiers.resources()?;
        self.tiers.export()?;
        Some(self.blob_handle(identity, rung).uri())
    }

    /// Where a binary field's bytes can be downloaded, for a client that could do so. A file whose length nobody knows does
    /// not leave as one.
    pub(crate) fn export_url(
        &self,
        asker: &Asker<'_>,
        identity: &RecordIdentity,
        rung: &Rung<'_>,
    ) -> Option<String> {
        self.tiers.export()?;
        rung.bytes.filter(|_| rung.kind == FieldKind::Binary)?;
        Some(format!("{}{}", asker.exports?, self.blob_handle(identity, rung).encode()))
    }

    fn blob_handle(&self, identity: &RecordIdentity, rung: &Rung<'_>) -> Handle {
        let (connection, stream, record) = parts(identity);
        let digest = self.measured(rung.digest).map(|digest| digest.to_string());
        let field_path = rung.path.as_str().to_owned();
        Handle::Blob { connection, stream, record, field_path, start: None, digest }
    }

    /// How to read on in a record: the call for its first cut field, with what of it was shown, and the others by name.
    pub(crate) fn continuation(&self, identity: &RecordIdentity, rungs: &[Rung<'_>]) -> Continuation {
        let mut cut = rungs.iter().filter(|rung| rung.next.is_some());
        let (Some(first), true) = (cut.next(), self.tiers.window().is_some()) else {
            return Continuation::default();
        };
        let args = read_args(identity, &first.path, first.next.unwrap_or_default());
        let shown = match first.known_size() {
            Some(_) => format!("{} chars", first.range()),
            None => first.range(),
        };
        let bare = format!("next: read_record_field {args} ({shown} shown)");
        let others: Vec<String> =
            cut.map(|rung| format!("{} {}", json_string(rung.path.as_str()), rung.range())).collect();
        let full = match others.as_slice() {
            [] => bare.clone(),
            others => format!("{bare}; also cut: {}", others.join(", ")),
        };
        let uri = self.field_uri(identity, first);
        let with_uri = uri.map_or_else(|| full.clone(), |uri| format!("{full} uri={}", json_string(&uri)));
        [with_uri, full, bare]
    }
}

/// What of a field was shown. Where no preview is on for the record, nothing is: the data stands for itself.
fn preview_json(preview: &Preview, is_previewed: bool) -> Value {
    let preview = match preview {
        Preview::Binary => preview,
        _ if !is_previewed => &Preview::Unavailable,
        _ => preview,
    };
    let mut value = json!({ "status": preview.status() });
    match preview {
        Preview::Truncated(end) => {
            value["start_chars"] = json!(0);
            value["end_chars"] = json!(end);
        }
        Preview::Snippet { at, text } => {
            value["start_chars"] = json!(at.start());
            value["end_chars"] = json!(at.end());
            value["text"] = json!(text);
        }
        Preview::Excerpt(text) => value["text"] = json!(text),
        _ => {}
    }
    value
}

/// The address of the window that starts somewhere in a field.
pub(crate) fn window_uri(
    identity: &RecordIdentity,
    rung: &Rung<'_>,
    offset: Chars,
    digest: Option<Digest>,
) -> String {
    let (connection, stream, record) = parts(identity);
    Handle::FieldWindow {
        connection,
        stream,
        record,
        field_path: rung.path.as_str().to_owned(),
        arguments: WindowArguments { offset_chars: Some(offset.get()), ..WindowArguments::default() },
        digest: digest.map(|digest| digest.to_string()),
    }
    .uri()
}

fn parts(
    identity: &RecordIdentity,
) -> (Option<stepwell_contract::ConnectionId>, stepwell_contract::StreamName, stepwell_contract::RecordId) {
    (Some(identity.connection.clone()), identity.stream.clone(), identity.record.clone())
}

/// The arguments that read on, callable as they stand.
pub(crate) fn read_args(identity: &RecordIdentity, path: &FieldPath, offset: Chars) -> Value {
    json!({ "id": identity.id().to_string(), "field_path": path.as_str(), "offset_chars": offset })
}
