//! One line of NDJSON: `{"key": …, "data": {…}, "emitted_at": …}`, or `{"key": …, "deleted": true}`.

use crate::time::{self, Millis};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use stepwell_contract::RecordId;

/// The longest line that is read. It bounds memory, not what a field can hold: importers write fields of their own.
pub const LINE_MAX: usize = 512 * 1024 * 1024;

/// The longest name, in bytes, that something is found by: Postgres refuses an index entry of more than 2,704 bytes, and
/// both engines hold the same.
pub const NAME_MAX: usize = 2_048;

/// Why a line was left out. The lines around it are not touched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", .code.as_str())]
pub struct Rejection {
    /// Which rule it broke.
    pub code: RejectionCode,
    /// What was wrong, without the record's own text.
    pub message: String,
}

macro_rules! rejection_codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The rules that a line can break.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum RejectionCode { $($(#[$doc])* $variant,)* }
        impl RejectionCode {
            /// The rule's name in reports.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

rejection_codes! {
    /// Not a JSON object of the expected members.
    MalformedNdjson = "malformed_ndjson",
    /// Bytes that are no UTF-8.
    InvalidUtf8 = "invalid_utf8",
    /// Longer than [`LINE_MAX`].
    LineTooLong = "line_too_long",
    /// A key that the id grammar cannot carry.
    UnsafeKey = "unsafe_key",
    /// A key that differs from the primary key that the manifest declares.
    InvalidRecordIdentity = "invalid_record_identity",
    /// Half of a surrogate pair, which is no text.
    LoneSurrogate = "lone_surrogate",
    /// A NUL in a place that cannot hold one.
    UnstorableNul = "unstorable_nul",
    /// A name that is too long to be found by.
    NameTooLong = "name_too_long",
    /// JSON nested deeper than 128 levels.
    TooDeep = "too_deep",
    /// `emitted_at` is no moment.
    InvalidTime = "invalid_time",
    /// A `$blob` that is not made as the documentation says.
    InvalidBlob = "invalid_blob",
    /// Another version of a record in a stream whose records do not change.
    AppendOnly = "append_only",
}

impl Rejection {
    /// A line that would change a record of an append-only stream.
    #[must_use]
    pub fn append_only() -> Self {
        let message = "the stream is append-only and has this record with other content; delete it first, or declare \
                       the stream mutable_state";
        Self::new(RejectionCode::AppendOnly, message)
    }

    pub(crate) fn new(code: RejectionCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// A line whose outer shape is right.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pub(crate) key: Option<RecordId>,
    pub(crate) emitted_at: Option<Millis>,
    /// The record's fields; none if the line takes the record away.
    pub(crate) data: Option<BTreeMap<String, &'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spelled<'a> {
    #[serde(borrow)]
    key: Option<&'a RawValue>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(default)]
    deleted: bool,
    #[serde(borrow)]
    emitted_at: Option<&'a RawValue>,
}

/// Reads the outer shape of a line.
pub(crate) fn parse(line: &[u8]) -> Result<Line<'_>, Rejection> {
    if line.len() > LINE_MAX {
        return Err(Rejection::new(RejectionCode::LineTooLong, format!("longer than {LINE_MAX} bytes")));
    }
    let text = std::str::from_utf8(line).map_err(|error| {
        Rejection::new(RejectionCode::InvalidUtf8, format!("not UTF-8 from byte {}", error.valid_up_to()))
    })?;
    let spelled: Spelled<'_> = serde_json::from_str(text).map_err(|error| malformed(&error))?;
    let key = spelled.key.filter(|raw| raw.get() != "null").map(key_of).transpose()?;
    let emitted_at = spelled.emitted_at.filter(|raw| raw.get() != "null").map(moment_of).transpose()?;
    let data = match (spelled.data, spelled.deleted) {
        (Some(data), false) => Some(serde_json::from_str(data.get()).map_err(|error| malformed(&error))?),
        (None, true) => None,
        (Some(_), true) => {
            let message = "a line with \"deleted\" takes a record away and has no \"data\"";
            return Err(Rejection::new(RejectionCode::MalformedNdjson, message));
        }
        (None, false) => {
            let message = "neither \"data\" nor \"deleted\": true is there";
            return Err(Rejection::new(RejectionCode::MalformedNdjson, message));
        }
    };
    Ok(Line { key, emitted_at, data })
}

fn moment_of(raw: &RawValue) -> Result<Millis, Rejection> {
    time::of_json(raw.get())
        .ok_or_else(|| Rejection::new(RejectionCode::InvalidTime, "\"emitted_at\" is no RFC 3339 moment"))
}

fn key_of(raw: &RawValue) -> Result<RecordId, Rejection> {
    let text = if raw.get().starts_with('"') {
        string(raw.get())?
    } else if raw.get().starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
        Cow::Borrowed(raw.get())
    } else {
        return Err(Rejection::new(
            RejectionCode::MalformedNdjson,
            "\"key\" is neither a string nor a number",
        ));
    };
    safe_key(&text)
}

/// Accepts a key that the id grammar can carry and both engines can store.
pub(crate) fn safe_key(key: &str) -> Result<RecordId, Rejection> {
    if key.contains('\0') {
        return Err(Rejection::new(RejectionCode::UnsafeKey, "the key must not contain a NUL character"));
    }
    if key.len() > NAME_MAX {
        return Err(Rejection::new(
            RejectionCode::UnsafeKey,
            format!("the key is longer than {NAME_MAX} bytes"),
        ));
    }
    RecordId::new(key).map_err(|rule| Rejection::new(RejectionCode::UnsafeKey, format!("the key {rule}")))
}

/// Decodes a JSON string literal.
pub(crate) fn string(literal: &str) -> Result<Cow<'_, str>, Rejection> {
    // A literal without escapes is its own text; long ones are common, so they are not copied twice.
    let inside = &literal[1..literal.len() - 1];
    if !inside.contains('\\') {
        return Ok(Cow::Borrowed(inside));
    }
    serde_json::from_str(literal).map(Cow::Owned).map_err(|error| malformed(&error))
}

/// Tells a lone surrogate from other faults, because people ask about that one.
pub(crate) fn malformed(error: &serde_json::Error) -> Rejection {
    let said = error.to_string();
    if said.starts_with("lone leading surrogate") || said.starts_with("unexpected end of hex escape") {
        return Rejection::new(RejectionCode::LoneSurrogate, "a string holds half of a surrogate pair");
    }
    // serde's own message could quote the record's text; line and column say enough.
    let place = match error.column() {
        0 => String::new(),
        column => format!(" near column {column}"),
    };
    let what = match error.classify() {
        serde_json::error::Category::Data => {
            "not of the form {\"key\", \"data\": {…}, \"emitted_at\"?} or {\"key\", \"deleted\": true}"
        }
        serde_json::error::Category::Eof => "ends in the middle of a value",
        _ => "no valid JSON",
    };
    Rejection::new(RejectionCode::MalformedNdjson, format!("{what}{place}"))
}
