//! A record's fields as one JSON object, however long they are.

use super::{BYTES_PIECE, Broken, Pen, each_text_piece, write_text};
use crate::error::SourceError;
use crate::shape::{Field, FieldKind, FieldView, RecordIdentity, RecordRef, RecordView};
use crate::source::Source;
use crate::token::Caller;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use stepwell_contract::handle::Handle;
use stepwell_contract::{Bytes, FieldPath};

/// How bytes stand in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blobs {
    /// By an object that says what they are and where they can be had: under this address, followed by their id.
    Linked(&'static str),
    /// Themselves, as base64 in the form that an ingest takes.
    Inline,
}

/// A record whose long values were found again, ready to be written.
#[derive(Debug)]
pub struct WholeRecord<'a> {
    source: &'a dyn Source,
    caller: &'a Caller,
    view: &'a RecordView,
    blobs: Blobs,
    long: Vec<Field>,
}

impl<'a> WholeRecord<'a> {
    /// Finds a record's long values. If one is no longer what the view saw, that is [`SourceError::Changed`]: nothing is
    /// written by then, and whoever reads the record again gets all of it from one moment.
    pub async fn locate(
        source: &'a dyn Source,
        caller: &'a Caller,
        view: &'a RecordView,
        blobs: Blobs,
    ) -> Result<Self, SourceError> {
        let mut long = Vec::new();
        for field in view.fields.iter().filter(|field| is_read_by_pieces(field, blobs)) {
            long.push(located(source, caller, &view.identity, field).await?);
        }
        Ok(Self { source, caller, view, blobs, long })
    }

    /// Writes the fields as a JSON object.
    pub async fn write(self, pen: &mut Pen<'_>) -> Result<(), Broken> {
        let Self { source, caller, view, blobs, long } = self;
        let mut long = long.into_iter().peekable();
        pen.write("{").await?;
        for (index, field) in view.fields.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            pen.write(format!("{comma}{}:", json!(field.name))).await?;
            match long.next_if(|located| located.path == FieldPath::top_level(&field.name)) {
                Some(located) => write_long(source, caller, &located, pen).await?,
                None => pen.write(short(&view.identity, field, blobs)).await?,
            }
        }
        Ok(pen.write("}").await?)
    }
}

fn is_read_by_pieces(field: &FieldView, blobs: Blobs) -> bool {
    match field.shape.kind {
        FieldKind::Binary => blobs == Blobs::Inline,
        kind => kind.is_text_like() && !field.is_whole(),
    }
}

/// Finds a field again to read it, if it is still the one that the view saw.
async fn located(
    source: &dyn Source,
    caller: &Caller,
    identity: &RecordIdentity,
    field: &FieldView,
) -> Result<Field, SourceError> {
    let record = RecordRef::from(identity.id());
    let located = source.field(caller, &record, &FieldPath::top_level(&field.name)).await?;
    if located.shape != field.shape {
        return Err(SourceError::Changed);
    }
    Ok(located)
}

/// A value that is at hand.
fn short(identity: &RecordIdentity, field: &FieldView, blobs: Blobs) -> String {
    match (field.shape.kind, blobs, &field.head) {
        (FieldKind::Binary, Blobs::Linked(base), _) => link(identity, field, base).to_string(),
        (FieldKind::Text, _, Some(head)) => json!(head).to_string(),
        // Canonical JSON, and scalars as they were spelled.
        (_, _, Some(head)) => head.clone(),
        (_, _, None) => Value::Null.to_string(),
    }
}

/// What stands for bytes.
fn link(identity: &RecordIdentity, field: &FieldView, base: &str) -> Value {
    let shape = &field.shape;
    let id = blob_id(identity, field);
    let mut link = json!({
        "blob_id": id,
        "mime_type": shape.mime,
        "size_bytes": shape.bytes,
        "digest": shape.digest.to_string(),
        "fetch_url": format!("{base}{id}"),
    });
    if let Some(name) = &shape.file_name {
        link["file_name"] = json!(name);
    }
    link
}

/// The id of a field's bytes. Like every handle it identifies and grants nothing.
fn blob_id(identity: &RecordIdentity, field: &FieldView) -> String {
    let handle = Handle::Blob {
        connection: Some(identity.connection.clone()),
        stream: identity.stream.clone(),
        record: identity.record.clone(),
        field_path: FieldPath::top_level(&field.name).as_str().to_owned(),
        start: None,
        digest: Some(field.shape.digest.to_string()),
    };
    handle.encode()
}

async fn write_long(
    source: &dyn Source,
    caller: &Caller,
    field: &Field,
    pen: &mut Pen<'_>,
) -> Result<(), Broken> {
    match field.shape.kind {
        FieldKind::Binary => write_blob(source, caller, field, pen).await,
        FieldKind::Text => {
            pen.write("\"").await?;
            each_text_piece(source, caller, field, pen, |piece| inside_quotes(&piece)).await?;
            Ok(pen.write("\"").await?)
        }
        _ => write_text(source, caller, field, pen).await,
    }
}

/// A text as it stands between the quotes of a JSON string.
fn inside_quotes(text: &str) -> Vec<u8> {
    let quoted = json!(text).to_string();
    quoted.as_bytes()[1..quoted.len() - 1].to_vec()
}

/// Bytes as [`crate::prepare::blob`] reads them.
async fn write_blob(
    source: &dyn Source,
    caller: &Caller,
    field: &Field,
    pen: &mut Pen<'_>,
) -> Result<(), Broken> {
    let shape = &field.shape;
    let mime = shape.mime.as_deref().unwrap_or("application/octet-stream");
    pen.write(format!("{{\"$blob\":{{\"mime_type\":{}", json!(mime))).await?;
    if let Some(name) = &shape.file_name {
        pen.write(format!(",\"file_name\":{}", json!(name))).await?;
    }
    pen.write(",\"base64\":\"").await?;
    let mut at = Bytes::ZERO;
    while at < shape.bytes {
        let piece = source.bytes(caller, field, at, BYTES_PIECE).await?;
        if piece.is_empty() {
            return Err(SourceError::Changed.into());
        }
        at = at + Bytes(piece.len() as u64);
        pen.write(STANDARD.encode(&piece)).await?;
    }
    Ok(pen.write("\"}}").await?)
}
