//! The metadata that says, for each long, JSON or binary field, how much of it was shown and how to read the rest.

use crate::ladder::{Asker, Ladder};
use crate::seal::{Seal, now_unix};
use serde_json::{Map, Value, json};
use stepwell_contract::budget::{DEFAULT_LIMIT, LADDER_FIELDS, LADDER_RECORDS, SizeGrade};
use stepwell_contract::handle::Handle;
use stepwell_contract::selector::WindowArguments;
use stepwell_contract::{Chars, FieldPath, Span};
use stepwell_source::shape::{FieldView, RecordIdentity};
use stepwell_source::{FieldKind, RecordView};

/// A text longer than this is worth an entry even where a whole line of it was shown.
const LONG: Chars = Chars(512);

/// How much of a field was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Preview {
    /// All of it.
    Complete,
    /// The part from its start up to here.
    Truncated(Chars),
    /// A part from its middle.
    Snippet { at: Span, text: String },
    /// It is bytes.
    Binary,
    /// Nothing.
    Unavailable,
}

impl Preview {
    fn status(&self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Truncated(_) => "truncated",
            Self::Snippet { .. } => "snippet-only",
            Self::Binary => "binary-only",
            Self::Unavailable => "unavailable",
        }
    }

    /// Where reading goes on, if it has to.
    fn goes_on_at(&self) -> Option<Chars> {
        match self {
            Self::Complete | Self::Binary => None,
            Self::Truncated(end) => Some(*end),
            Self::Snippet { at, .. } => Some(at.start()),
            Self::Unavailable => Some(Chars::ZERO),
        }
    }
}

/// A field of a record, and how much of it was shown.
#[derive(Clone, Debug)]
pub(crate) struct Rung<'a> {
    pub(crate) path: FieldPath,
    pub(crate) view: &'a FieldView,
    pub(crate) preview: Preview,
}

impl Rung<'_> {
    /// Where reading goes on, for a field that can be read in windows.
    pub(crate) fn goes_on_at(&self) -> Option<Chars> {
        self.preview.goes_on_at().filter(|_| self.view.shape.kind.is_text_like())
    }
}

/// The fields of a record that deserve an entry, the most important first.
pub(crate) fn rungs<'a>(view: &'a RecordView, preview: impl Fn(&FieldView) -> Preview) -> Vec<Rung<'a>> {
    let worth = |field: &&FieldView| match field.shape.kind {
        FieldKind::Text => field.shape.chars > Some(LONG),
        FieldKind::Json | FieldKind::Binary => true,
        _ => false,
    };
    let rung = |field: &'a FieldView| {
        let preview = if field.shape.kind == FieldKind::Binary { Preview::Binary } else { preview(field) };
        Rung { path: FieldPath::top_level(&field.name), view: field, preview }
    };
    let mut rungs: Vec<Rung<'_>> = view.fields.iter().filter(worth).map(rung).collect();
    // What matched comes first, then what was cut, and the longest of those.
    rungs.sort_by_key(|rung| {
        let matched = matches!(rung.preview, Preview::Snippet { .. });
        std::cmp::Reverse((matched, rung.preview.goes_on_at().is_some(), rung.view.shape.bytes))
    });
    rungs.truncate(LADDER_FIELDS);
    rungs
}

impl Ladder {
    /// The whole block.
    pub(crate) fn content_ladder(&self, kind: &str, records: Vec<Value>) -> Value {
        let records: Vec<Value> = records.into_iter().take(LADDER_RECORDS).collect();
        json!({ "kind": kind, "records": records })
    }

    /// The entry of one record.
    pub(crate) fn ladder_record(
        &self,
        asker: &Asker<'_>,
        identity: &RecordIdentity,
        rungs: &[Rung<'_>],
    ) -> Value {
        let fields: Vec<Value> = rungs.iter().map(|rung| self.ladder_field(asker, identity, rung)).collect();
        json!({
            "id": identity.id().to_string(),
            "connection_id": identity.connection.as_str(),
            "stream": identity.stream.as_str(),
            "record_id": identity.record.as_str(),
            "fields": fields,
        })
    }

    fn ladder_field(&self, asker: &Asker<'_>, identity: &RecordIdentity, rung: &Rung<'_>) -> Value {
        let shape = &rung.view.shape;
        let mut entry = Map::new();
        entry.insert("path".into(), json!(rung.path.as_str()));
        entry.insert("type".into(), json!(shape.kind.as_str()));
        entry.insert("text_like".into(), json!(shape.kind.is_text_like()));
        if let Some(mime) = &shape.mime {
            entry.insert("mime_type".into(), json!(mime));
        }
        if let Some(chars) = shape.chars {
            entry.insert("size_chars".into(), json!(chars));
        }
        entry.insert("size_bytes".into(), json!(shape.bytes));
        let size = shape.chars.unwrap_or(Chars(shape.bytes.get()));
        entry.insert("size_grade".into(), json!(SizeGrade::of(size).as_str()));
        entry.insert("digest".into(), json!(shape.digest.to_string()));
        entry.insert("preview".into(), preview_json(&rung.preview));
        if self.tiers.window().is_some()
            && let Some(offset) = rung.goes_on_at()
        {
            let args = read_args(identity, &rung.path, offset);
            entry.insert("read".into(), json!({ "tool": "read_record_field", "args": args }));
            let seal = Seal::new(&self.keys, asker.caller, identity, &rung.path, shape, now_unix());
            entry.insert("next_cursor".into(), json!(seal.window(offset, DEFAULT_LIMIT)));
        }
        if let Some(uri) = self.field_uri(identity, rung) {
            entry.insert("resource".into(), json!({ "uri": uri }));
        }
        Value::Object(entry)
    }

    /// Where a field can be read as a resource, if the tiers for that are on.
    pub(crate) fn field_uri(&self, identity: &RecordIdentity, rung: &Rung<'_>) -> Option<String> {
        self.tiers.resources()?;
        let field_path = rung.path.as_str().to_owned();
        let digest = Some(rung.view.shape.digest.to_string());
        let (connection, stream, record) =
            (Some(identity.connection.clone()), identity.stream.clone(), identity.record.clone());
        if rung.view.shape.kind == FieldKind::Binary {
            self.tiers.export()?;
            return Some(Handle::Blob { connection, stream, record, field_path, start: None, digest }.uri());
        }
        self.tiers.window()?;
        let offset = rung.goes_on_at()?;
        let arguments = WindowArguments { offset_chars: Some(offset.get()), ..WindowArguments::default() };
        Some(Handle::FieldWindow { connection, stream, record, field_path, arguments, digest }.uri())
    }
}

/// The arguments that read on, callable as they stand.
pub(crate) fn read_args(identity: &RecordIdentity, path: &FieldPath, offset: Chars) -> Value {
    json!({ "id": identity.id().to_string(), "field_path": path.as_str(), "offset_chars": offset })
}

fn preview_json(preview: &Preview) -> Value {
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
        _ => {}
    }
    value
}
