//! Handles: what stands behind `pdpp://…/` in a resource URI.
//!
//! A handle identifies and nothing more. It is readable JSON in base64url, the same that PDPP uses; it grants nothing,
//! and every read through it checks the caller's own grant again.

use crate::error::{Code, Refusal};
use crate::field_path::FieldPath;
use crate::id::ResultId;
use crate::name::{ConnectionId, RecordId, StreamName, UnsafeName};
use crate::selector::{Selector, WindowArguments};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::str::FromStr;

/// The only version of the format.
const VERSION: u64 = 1;

/// Says what a handle identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandleKind {
    /// A record.
    Record,
    /// A window of one of a record's fields.
    FieldWindow,
    /// A stream.
    Stream,
    /// The bytes of a binary field.
    Blob,
}

impl HandleKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Record, Self::FieldWindow, Self::Stream, Self::Blob];

    /// The value of `kind` in the handle, and the authority of its URI.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::FieldWindow => "field-window",
            Self::Stream => "stream",
            Self::Blob => "blob",
        }
    }

    /// What stands before the handle in a URI.
    #[must_use]
    pub const fn uri_prefix(self) -> &'static str {
        match self {
            Self::Record => "pdpp://record/",
            Self::FieldWindow => "pdpp://field-window/",
            Self::Stream => "pdpp://stream/",
            Self::Blob => "pdpp://blob/",
        }
    }
}

/// Identifies something that can be read as a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handle {
    /// A record.
    Record {
        /// Where it came from.
        connection: Option<ConnectionId>,
        /// Its stream.
        stream: StreamName,
        /// Its key.
        record: RecordId,
    },
    /// A window of a field.
    FieldWindow {
        /// Where the record came from.
        connection: Option<ConnectionId>,
        /// The record's stream.
        stream: StreamName,
        /// The record's key.
        record: RecordId,
        /// The field, as a client would spell it.
        field_path: String,
        /// Which window, under the same rules as the tool's.
        arguments: WindowArguments,
        /// What the field's digest was when the handle was made, so that paging notices a change.
        digest: Option<String>,
    },
    /// A stream.
    Stream {
        /// Whose stream, where several connections have one of that name.
        connection: Option<ConnectionId>,
        /// Its name.
        stream: StreamName,
    },
    /// A window of a binary field.
    Blob {
        /// Where the record came from.
        connection: Option<ConnectionId>,
        /// The record's stream.
        stream: StreamName,
        /// The record's key.
        record: RecordId,
        /// The field, as a client would spell it.
        field_path: String,
        /// The first byte to read.
        start: Option<u64>,
        /// What the bytes' digest was when the handle was made.
        digest: Option<String>,
    },
}

impl Handle {
    /// Says what the handle identifies.
    #[must_use]
    pub const fn kind(&self) -> HandleKind {
        match self {
            Self::Record { .. } => HandleKind::Record,
            Self::FieldWindow { .. } => HandleKind::FieldWindow,
            Self::Stream { .. } => HandleKind::Stream,
            Self::Blob { .. } => HandleKind::Blob,
        }
    }

    /// The record that the handle is about; a stream has none.
    #[must_use]
    pub fn result_id(&self) -> Option<ResultId> {
        match self {
            Self::Record { connection, stream, record }
            | Self::FieldWindow { connection, stream, record, .. }
            | Self::Blob { connection, stream, record, .. } => {
                Some(ResultId::new(connection.clone(), stream.clone(), record.clone()))
            }
            Self::Stream { .. } => None,
        }
    }

    /// Writes the handle; equal handles have equal text.
    #[must_use]
    pub fn encode(&self) -> String {
        self.written_after("")
    }

    fn written_after(&self, prefix: &str) -> String {
        let mut json = Vec::with_capacity(512);
        // A vector takes whatever is written, and a struct of texts and numbers always serialises.
        let _ = serde_json::to_writer(&mut json, &Wire::from(self));
        let mut text = String::with_capacity(prefix.len() + json.len() * 4 / 3 + 4);
        text.push_str(prefix);
        URL_SAFE_NO_PAD.encode_string(json, &mut text);
        text
    }

    /// Reads a handle of the kind that is expected, and refuses whatever else it might be.
    pub fn decode(kind: HandleKind, text: &str) -> Result<Self, Refusal> {
        decode(kind, text).map_err(Fault::refusal)
    }

    /// Writes the URI under which the handle can be read.
    #[must_use]
    pub fn uri(&self) -> String {
        self.written_after(self.kind().uri_prefix())
    }

    /// Reads a resource URI: a handle, or what PDPP allows in its place, which is a percent-encoded id for a record
    /// and a percent-encoded name for a stream.
    pub fn parse_uri(uri: &str) -> Result<Self, Refusal> {
        let Some((kind, rest)) =
            HandleKind::ALL.iter().find_map(|kind| Some((*kind, uri.strip_prefix(kind.uri_prefix())?)))
        else {
            let message = "the URI has none of the forms pdpp://record/…, pdpp://field-window/…, pdpp://stream/… and pdpp://blob/…";
            return Err(invalid(message));
        };
        if kind == HandleKind::Record {
            return ResultId::parse(uri).map(Self::from).map_err(|refusal| invalid(refusal.message));
        }
        let Some(text) = percent_decode(rest) else {
            return Err(invalid("the URI has a percent sign that is not followed by a byte of UTF-8 text"));
        };
        match decode(kind, &text) {
            Err(Fault::NotAHandle) if kind == HandleKind::Stream => {
                let stream = segment("stream", Some(text.into())).map_err(Fault::refusal)?;
                Ok(Self::Stream { connection: None, stream })
            }
            decoded => decoded.map_err(Fault::refusal),
        }
    }
}

impl From<ResultId> for Handle {
    fn from(id: ResultId) -> Self {
        Self::Record { connection: id.connection, stream: id.stream, record: id.record }
    }
}

/// All members of all kinds, in the order in which PDPP writes them. A `null` counts as absent.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire<'a> {
    v: u64,
    kind: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connection_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field_path: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset_chars: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_chars: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    q: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before_chars: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_chars: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<Cow<'a, str>>,
}

impl<'a> From<&'a Handle> for Wire<'a> {
    fn from(handle: &'a Handle) -> Self {
        let text = |text: &'a str| Some(Cow::Borrowed(text));
        let maybe = |text: &'a Option<String>| text.as_deref().map(Cow::Borrowed);
        let id = |id: &'a Option<ConnectionId>| id.as_ref().map(|id| Cow::Borrowed(id.as_str()));
        let head = Self { v: VERSION, kind: handle.kind().as_str().into(), ..Self::default() };
        match handle {
            Handle::Record { connection, stream, record } => Self {
                connection_id: id(connection),
                stream: text(stream.as_str()),
                record_id: text(record.as_str()),
                ..head
            },
            Handle::FieldWindow { connection, stream, record, field_path, arguments, digest } => Self {
                connection_id: id(connection),
                stream: text(stream.as_str()),
                record_id: text(record.as_str()),
                field_path: text(field_path),
                cursor: maybe(&arguments.cursor),
                offset_chars: arguments.offset_chars,
                limit_chars: arguments.limit_chars,
                q: maybe(&arguments.q),
                before_chars: arguments.before_chars,
                after_chars: arguments.after_chars,
                digest: maybe(digest),
                ..head
            },
            Handle::Stream { connection, stream } => {
                Self { connection_id: id(connection), stream: text(stream.as_str()), ..head }
            }
            Handle::Blob { connection, stream, record, field_path, start, digest } => Self {
                connection_id: id(connection),
                stream: text(stream.as_str()),
                record_id: text(record.as_str()),
                field_path: text(field_path),
                start_bytes: *start,
                digest: maybe(digest),
                ..head
            },
        }
    }
}

/// Says why a text is no handle of the kind that was asked for.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Fault {
    #[error("the handle is not base64url (without padding) of a JSON object")]
    NotAHandle,
    #[error("the handle is of a version that is not known here")]
    Version,
    #[error("the handle is not of kind {0}")]
    Kind(&'static str),
    #[error("the handle has an unknown or repeated member, or one of the wrong type")]
    Shape,
    #[error("the handle has no {0}")]
    Missing(&'static str),
    #[error("the handle has a {0}, which its kind does not have")]
    Foreign(&'static str),
    #[error("the {0} in the handle {1}")]
    Member(&'static str, String),
}

impl Fault {
    fn refusal(self) -> Refusal {
        invalid(self.to_string())
    }
}

fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new(Code::InvalidHandle, message).param("uri").hint("use a URI exactly as a result shows it")
}

fn decode(kind: HandleKind, text: &str) -> Result<Handle, Fault> {
    let json = URL_SAFE_NO_PAD.decode(text).map_err(|_| Fault::NotAHandle)?;
    let head: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(&json).map_err(|_| Fault::NotAHandle)?;
    // Version and kind come first: a newer handle may well have members that this version does not know.
    if head.get("v").and_then(serde_json::Value::as_u64) != Some(VERSION) {
        return Err(Fault::Version);
    }
    if head.get("kind").and_then(serde_json::Value::as_str) != Some(kind.as_str()) {
        return Err(Fault::Kind(kind.as_str()));
    }
    let wire: Wire<'_> = serde_json::from_slice(&json).map_err(|_| Fault::Shape)?;
    refuse_foreign_members(kind, &wire)?;

    let connection = wire.connection_id.map(|id| segment("connection_id", Some(id))).transpose()?;
    let stream = segment("stream", wire.stream)?;
    if kind == HandleKind::Stream {
        return Ok(Handle::Stream { connection, stream });
    }
    let record = segment("record_id", wire.record_id)?;
    if kind == HandleKind::Record {
        return Ok(Handle::Record { connection, stream, record });
    }
    let field_path = wire.field_path.ok_or(Fault::Missing("field_path"))?.into_owned();
    FieldPath::parse(&field_path).map_err(|rule| Fault::Member("field_path", rule.to_string()))?;
    let digest = wire.digest.map(|digest| check_digest(digest.into_owned())).transpose()?;
    if kind == HandleKind::Blob {
        return Ok(Handle::Blob { connection, stream, record, field_path, start: wire.start_bytes, digest });
    }
    let arguments = understand_decimal_cursor(WindowArguments {
        cursor: wire.cursor.map(Cow::into_owned),
        offset_chars: wire.offset_chars,
        limit_chars: wire.limit_chars,
        q: wire.q.map(Cow::into_owned),
        before_chars: wire.before_chars,
        after_chars: wire.after_chars,
    });
    Selector::parse(arguments.clone())
        .map_err(|refusal| Fault::Member("selector", format!("is broken: {}", refusal.message)))?;
    Ok(Handle::FieldWindow { connection, stream, record, field_path, arguments, digest })
}

/// Refuses members that belong to another kind: they would be ignored, and the reader would get something else than
/// the handle says.
fn refuse_foreign_members(kind: HandleKind, wire: &Wire<'_>) -> Result<(), Fault> {
    let (is_window, is_blob) = (kind == HandleKind::FieldWindow, kind == HandleKind::Blob);
    let members = [
        ("record_id", wire.record_id.is_some(), kind != HandleKind::Stream),
        ("field_path", wire.field_path.is_some(), is_window || is_blob),
        ("cursor", wire.cursor.is_some(), is_window),
        ("offset_chars", wire.offset_chars.is_some(), is_window),
        ("limit_chars", wire.limit_chars.is_some(), is_window),
        ("q", wire.q.is_some(), is_window),
        ("before_chars", wire.before_chars.is_some(), is_window),
        ("after_chars", wire.after_chars.is_some(), is_window),
        ("start_bytes", wire.start_bytes.is_some(), is_blob),
        ("digest", wire.digest.is_some(), is_window || is_blob),
    ];
    match members.into_iter().find(|(_, given, belongs)| *given && !belongs) {
        Some((name, ..)) => Err(Fault::Foreign(name)),
        None => Ok(()),
    }
}

fn segment<T: FromStr<Err = UnsafeName>>(name: &'static str, text: Option<Cow<'_, str>>) -> Result<T, Fault> {
    let text = text.ok_or(Fault::Missing(name))?;
    text.parse().map_err(|rule: UnsafeName| Fault::Member(name, rule.to_string()))
}

fn check_digest(digest: String) -> Result<String, Fault> {
    let printable = digest.bytes().all(|b| b.is_ascii_graphic());
    if digest.is_empty() || digest.len() > 128 || !printable {
        return Err(Fault::Member("digest", "must be 1 to 128 printable ASCII characters".into()));
    }
    Ok(digest)
}

/// PDPP's cursors are offsets in decimal. Ours never look like that, so such a handle says plainly what it means.
fn understand_decimal_cursor(mut arguments: WindowArguments) -> WindowArguments {
    let decimal = |cursor: &String| cursor.bytes().all(|b| b.is_ascii_digit());
    if arguments.offset_chars.is_none()
        && let Some(offset) = arguments.cursor.as_ref().filter(|c| decimal(c)).and_then(|c| c.parse().ok())
    {
        arguments.cursor = None;
        arguments.offset_chars = Some(offset);
    }
    arguments
}

/// Undoes percent-encoding; `None` where an escape is broken or the bytes are not UTF-8.
#[must_use]
pub fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, tail) = rest.split_first_chunk::<2>()?;
        let digit = |b: u8| char::from(b).to_digit(16);
        bytes.push(u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()?);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
