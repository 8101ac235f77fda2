//! One record, ready to be stored.

use crate::ordered;
use crate::prepare::blob;
use crate::prepare::canonical::{self, InsideValue};
use crate::prepare::chunk::{self, Cut, INLINE_MAX};
use crate::prepare::digest::RecordDigest;
use crate::prepare::line::{self, Line, NAME_MAX, Rejection, RejectionCode};
use crate::prepare::manifest::Manifest;
use crate::prepare::nul::{self, NulPlan};
use crate::shape::{Digest, FieldKind};
use crate::time::{self, Millis};
use crate::words;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use stepwell_contract::{Bytes, Chars, RecordId, field_path};

/// A record with all its rows.
#[derive(Debug)]
pub struct PreparedRecord {
    /// Its key.
    pub key: RecordId,
    /// Whether the line takes the record away. It has no rows then.
    pub deleted: bool,
    /// What orders it: the value of the manifest's cursor field; none if that is not there.
    pub cursor: Option<Millis>,
    /// When it was emitted, if the line says so.
    pub emitted: Option<Millis>,
    /// What a grant's time range is about: the declared field alone if one is declared, else what orders the record, else
    /// when it was emitted.
    pub consent_time: Option<Millis>,
    /// Whether that is the moment of its emission, for want of a field. A record keeps the first one that it had.
    pub consent_is_emission: bool,
    /// Changes exactly when something that is stored changes.
    pub digest: Digest,
    /// One row for each top-level field, and one for each long value nested in it.
    pub fields: Vec<PreparedField>,
    /// The bytes that its binary fields refer to.
    pub blobs: Vec<PreparedBlob>,
}

impl PreparedRecord {
    /// Its consent time as a version that replaces another one, which was emitted at a moment and had a consent time or none.
    /// A later emission moves nothing: it would take a record out of a grant's range, or into it, for the sake of a change
    /// that the grant may not cover.
    pub(crate) fn consent_time_after(&self, emitted: Millis, before: Option<Millis>) -> Option<Millis> {
        match self.consent_is_emission {
            true => before.or(self.consent_time).map(|_| emitted),
            false => self.consent_time,
        }
    }

    /// Whether a stored record with this digest and consent time is the same, so that nothing is to be written.
    pub(crate) fn is_stored(&self, digest: &[u8], consent_time: Option<Millis>) -> bool {
        // One that had no consent time, because it came without a moment, gets one when it comes with one.
        digest == self.digest.0 && consent_time.is_some() >= self.consent_time.is_some()
    }

    /// How much text and bytes it holds, for sizing batches.
    #[must_use]
    pub fn weight(&self) -> usize {
        let text: u64 = self.fields.iter().map(|field| field.bytes.get()).sum();
        text as usize + self.fields.len() * 64
    }
}

/// One row of a field.
#[derive(Debug)]
pub struct PreparedField {
    /// The top-level key, which is what grants name.
    pub top: String,
    /// The JSON pointer from the record's root; one token long for the top-level field itself.
    pub pointer: String,
    /// Whether it lies inside the top-level field.
    pub nested: bool,
    /// What it holds.
    pub kind: FieldKind,
    /// Its length in code points; none for bytes.
    pub chars: Option<Chars>,
    /// Its length in bytes.
    pub bytes: Bytes,
    /// The digest of the whole.
    pub digest: Digest,
    /// Its media type, where it has one.
    pub mime: Option<String>,
    /// The name of the file that its bytes came from.
    pub file_name: Option<String>,
    /// What stands for NUL in the stored text.
    pub nul_as: Option<char>,
    /// Where its text is.
    pub body: Body,
    /// The words of its text, chunk by chunk, if search looks into it.
    pub units: Vec<PreparedUnit>,
    /// Its value as filters compare it, if they can.
    pub values: Vec<Vec<u8>>,
}

/// The words of one chunk of a text.
#[derive(Debug)]
pub struct PreparedUnit {
    /// Where the chunk starts.
    pub start: Chars,
    /// Its different words, separated by spaces.
    pub words: String,
}

/// Where a field's text is kept.
#[derive(Debug)]
pub enum Body {
    /// In the field's own row.
    Inline(String),
    /// In chunks.
    Chunks {
        /// The whole text.
        text: String,
        /// Where it is cut.
        cuts: Vec<Cut>,
    },
    /// Inside the chunks of the top-level field, from this offset on.
    Part(Chars),
    /// In a blob, found by the digest.
    Blob,
}

/// Bytes that are stored once, whoever refers to them.
#[derive(Debug)]
pub struct PreparedBlob {
    /// Their digest, which is their name.
    pub digest: Digest,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Reads one line of NDJSON into a record.
pub fn prepare(input: &[u8], manifest: &Manifest) -> Result<PreparedRecord, Rejection> {
    let Line { key, emitted_at: emitted, data } = line::parse(input)?;
    let Some(data) = data else { return Ok(deletion(identity(key, &BTreeMap::new(), manifest)?)) };
    let key = identity(key, &data, manifest)?;
    let moment = |field: &str| data.get(field).and_then(|raw| time::of_json(raw.get()));
    let cursor = manifest.cursor_field().and_then(moment);
    let consent_time = match manifest.consent_time_field() {
        // A declared field that is missing or unreadable must not fall back to a time that nobody consented by.
        Some(field) => moment(field),
        None => cursor.or(emitted),
    };
    let mut rows = Rows::default();
    for (name, raw) in &data {
        if name.contains('\0') {
            return Err(Rejection::new(RejectionCode::UnstorableNul, "a field's name holds a NUL character"));
        }
        rows.add(name, raw)?;
    }
    if rows.fields.iter().any(|field| field.pointer.len() > NAME_MAX) {
        let message =
            format!("the pointer to a field, or to a long value inside one, is longer than {NAME_MAX} bytes");
        return Err(Rejection::new(RejectionCode::NameTooLong, message));
    }
    for field in &mut rows.fields {
        if field.kind == FieldKind::Text && manifest.is_searchable(&field.top) {
            field.units = units(&field.body);
        }
    }
    let consent_is_emission = manifest.consent_time_field().is_none() && cursor.is_none();
    // The moment of an emission is no part of it: what is emitted once more is the same record.
    let digest = record_digest(&rows.fields, cursor, consent_time.filter(|_| !consent_is_emission));
    let Rows { fields, blobs } = rows;
    let deleted = false;
    Ok(PreparedRecord {
        key,
        deleted,
        cursor,
        emitted,
        consent_time,
        consent_is_emission,
        digest,
        fields,
        blobs,
    })
}

/// A line that takes a record away.
fn deletion(key: RecordId) -> PreparedRecord {
    PreparedRecord {
        key,
        deleted: true,
        cursor: None,
        emitted: None,
        consent_time: None,
        consent_is_emission: false,
        digest: Digest([0; 32]),
        fields: Vec::new(),
        blobs: Vec::new(),
    }
}

/// Settles a record's key from the line and from the primary key that the manifest declares.
fn identity(
    key: Option<RecordId>,
    data: &BTreeMap<String, &RawValue>,
    manifest: &Manifest,
) -> Result<RecordId, Rejection> {
    let declared = match manifest.primary_key() {
        // A composite key has no one spelling, so the line's own key stands for it.
        [field] => data.get(field).map(|raw| scalar_text(raw.get())).transpose()?.flatten(),
        _ => None,
    };
    match (key, declared) {
        (Some(key), Some(declared)) if key.as_str() != declared => Err(Rejection::new(
            RejectionCode::InvalidRecordIdentity,
            "\"key\" differs from the primary key that the manifest declares",
        )),
        (Some(key), _) => Ok(key),
        (None, Some(declared)) => line::safe_key(&declared),
        (None, None) => Err(Rejection::new(RejectionCode::MalformedNdjson, "\"key\" is missing")),
    }
}

fn scalar_text(raw: &str) -> Result<Option<String>, Rejection> {
    Ok(match raw.as_bytes().first() {
        Some(b'"') => Some(line::string(raw)?.into_owned()),
        Some(b'-' | b'0'..=b'9') => Some(raw.to_owned()),
        _ => None,
    })
}

#[derive(Default)]
struct Rows {
    fields: Vec<PreparedField>,
    blobs: Vec<PreparedBlob>,
}

impl Rows {
    fn add(&mut self, name: &str, raw: &RawValue) -> Result<(), Rejection> {
        let raw_text = raw.get();
        let pointer = field_path::pointer([name]);
        match raw_text.as_bytes().first() {
            Some(b'"') => {
                let text = line::string(raw_text)?.into_owned();
                self.fields.push(text_row(name, pointer, false, text)?);
            }
            Some(b'{' | b'[') => match blob::parse(raw_text)? {
                Some(blob) => self.add_blob(name, pointer, blob),
                None => self.add_json(name, pointer, raw)?,
            },
            Some(b't' | b'f') => self.fields.push(scalar_row(name, pointer, FieldKind::Boolean, raw_text)),
            Some(b'n') => self.fields.push(scalar_row(name, pointer, FieldKind::Empty, raw_text)),
            _ => self.fields.push(scalar_row(name, pointer, FieldKind::Number, raw_text)),
        }
        Ok(())
    }

    fn add_blob(&mut self, name: &str, pointer: String, blob: blob::Blob) {
        let digest = Digest::of(&blob.bytes);
        self.fields.push(PreparedField {
            top: name.to_owned(),
            pointer,
            nested: false,
            kind: FieldKind::Binary,
            chars: None,
            bytes: Bytes(blob.bytes.len() as u64),
            digest,
            mime: Some(blob.mime),
            file_name: blob.file_name,
            nul_as: None,
            body: Body::Blob,
            units: Vec::new(),
            values: Vec::new(),
        });
        self.blobs.push(PreparedBlob { digest, bytes: blob.bytes });
    }

    fn add_json(&mut self, name: &str, pointer: String, raw: &RawValue) -> Result<(), Rejection> {
        let value = canonical::canonical(raw, name)?;
        // A short JSON value is parsed when something inside it is asked for; it needs no rows of its own.
        let inside = if value.chars > INLINE_MAX { value.inside } else { Vec::new() };
        for inner in inside {
            self.fields.push(match inner.value {
                InsideValue::Text(text) => text_row(name, inner.pointer, true, text)?,
                InsideValue::Part { at, bytes } => {
                    let part = &value.text[bytes];
                    PreparedField {
                        chars: Some(at.len()),
                        body: Body::Part(at.start()),
                        ..row(name, inner.pointer, true, FieldKind::Json, part)
                    }
                }
            });
        }
        let outer = row(name, pointer, false, FieldKind::Json, &value.text);
        self.fields.push(PreparedField {
            chars: Some(value.chars),
            body: body(value.text, value.chars),
            ..outer
        });
        Ok(())
    }
}

fn text_row(top: &str, pointer: String, nested: bool, text: String) -> Result<PreparedField, Rejection> {
    let chars = Chars::of(&text);
    let mut field = PreparedField { chars: Some(chars), ..row(top, pointer, nested, FieldKind::Text, &text) };
    let stored = match nul::plan(&text) {
        NulPlan::Nothing => text,
        NulPlan::StandIn(c) => {
            field.nul_as = Some(c);
            nul::hide(&text, c)
        }
        NulPlan::Impossible => {
            return Err(Rejection::new(
                RejectionCode::UnstorableNul,
                "a text holds NUL and every noncharacter",
            ));
        }
    };
    field.body = body(stored, chars);
    Ok(field)
}

fn scalar_row(top: &str, pointer: String, kind: FieldKind, raw: &str) -> PreparedField {
    PreparedField {
        chars: Some(Chars::of(raw)),
        body: Body::Inline(raw.to_owned()),
        mime: None,
        ..row(top, pointer, false, kind, raw)
    }
}

/// What every textual row has in common; its body and length are the caller's to fill in.
fn row(top: &str, pointer: String, nested: bool, kind: FieldKind, text: &str) -> PreparedField {
    let mime = if kind == FieldKind::Json { "application/json" } else { "text/plain" };
    PreparedField {
        top: top.to_owned(),
        pointer,
        nested,
        kind,
        chars: None,
        bytes: Bytes::of(text),
        digest: Digest::of(text.as_bytes()),
        mime: Some(mime.to_owned()),
        file_name: None,
        nul_as: None,
        body: Body::Blob,
        units: Vec::new(),
        values: if nested || top.len() > ordered::NAME_MAX {
            Vec::new()
        } else {
            ordered::values(kind, text)
        },
    }
}

fn body(text: String, chars: Chars) -> Body {
    if chars <= INLINE_MAX {
        return Body::Inline(text);
    }
    let cuts = chunk::cut(&text);
    Body::Chunks { text, cuts }
}

/// Collects the words of a stored text. A chunk without any needs no entry.
fn units(body: &Body) -> Vec<PreparedUnit> {
    let unit = |start, words: String| {
        Some(words).filter(|w| !w.is_empty()).map(|words| PreparedUnit { start, words })
    };
    match body {
        Body::Inline(text) => unit(Chars::ZERO, words::distinct(text)).into_iter().collect(),
        Body::Chunks { text, cuts } => {
            let chunk = |cut: Option<&Cut>| cut.map_or("", |cut| &text[cut.bytes.clone()]);
            let units = cuts.iter().enumerate().filter_map(|(index, cut)| {
                let (before, after) =
                    (index.checked_sub(1).and_then(|index| cuts.get(index)), cuts.get(index + 1));
                unit(cut.start, words::distinct_of_chunk(chunk(before), chunk(Some(cut)), chunk(after)))
            });
            units.collect()
        }
        Body::Part(_) | Body::Blob => Vec::new(),
    }
}

/// Sums up everything that is stored, so that an unchanged record is recognised without reading its text.
fn record_digest(fields: &[PreparedField], time: Option<Millis>, consent: Option<Millis>) -> Digest {
    let mut digest = RecordDigest::new(time, consent);
    for field in fields.iter().filter(|field| !field.nested) {
        let (mime, file_name) = (field.mime.as_deref(), field.file_name.as_deref());
        digest.field(&field.top, field.kind, &field.digest.0, mime, file_name);
    }
    digest.finish()
}

#[cfg(test)]
mod tests;
