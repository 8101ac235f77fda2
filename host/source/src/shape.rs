//! What a source knows about a record and its fields.

use crate::time::Millis;
use std::fmt;
use stepwell_contract::quote::excerpt;
use stepwell_contract::{
    Bytes, Chars, Code, ConnectionId, FieldPath, RecordId, Refusal, ResultId, Span, StreamName,
};

/// Which record is meant. Without a connection it may turn out to be ambiguous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordRef {
    /// The connection, where the caller named one.
    pub connection: Option<ConnectionId>,
    /// The stream.
    pub stream: StreamName,
    /// The record's own key.
    pub record: RecordId,
}

impl From<ResultId> for RecordRef {
    fn from(id: ResultId) -> Self {
        Self { connection: id.connection, stream: id.stream, record: id.record }
    }
}

/// What kind of value a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// A string.
    Text,
    /// An object or a list, read as canonical JSON text.
    Json,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// Bytes, kept as a blob.
    Binary,
    /// A null.
    Empty,
}

impl FieldKind {
    /// All kinds; a kind's place is the number that the store keeps.
    pub const ALL: [Self; 6] =
        [Self::Text, Self::Json, Self::Number, Self::Boolean, Self::Binary, Self::Empty];

    /// The kind's name in words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Binary => "binary",
            Self::Empty => "null",
        }
    }

    /// Whether a window can be read from it.
    #[must_use]
    pub const fn is_text_like(self) -> bool {
        matches!(self, Self::Text | Self::Json)
    }

    pub(crate) const fn code(self) -> i64 {
        self as i64
    }

    /// The kinds whose bits are set: how the store notes which kinds a field has had.
    pub(crate) fn in_bits(bits: i64) -> Vec<Self> {
        Self::ALL.into_iter().filter(|kind| bits & (1 << kind.code()) != 0).collect()
    }

    pub(crate) fn from_code(code: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }
}

/// A SHA-256 of a field's whole text or bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        use sha2::Digest as _;
        Self(sha2::Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        f.write_str("sha256:")?;
        // Digits are text.
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A field's measures, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldShape {
    /// What it holds.
    pub kind: FieldKind,
    /// Its media type: `text/plain`, `application/json`, or what the blob was declared as.
    pub mime: Option<String>,
    /// The name of the file that its bytes came from.
    pub file_name: Option<String>,
    /// Its length in code points; none for bytes.
    pub chars: Option<Chars>,
    /// Its length in bytes of UTF-8, or of the blob; none where the source does not say.
    pub bytes: Option<Bytes>,
    /// The digest of the whole; none where the source does not say.
    pub digest: Option<Digest>,
    /// Whether spans of it can be read as text. A remote source may show a JSON value and have no windows of it.
    pub windows: bool,
}

impl FieldShape {
    /// Whether two measurements can be of the same content. What a source leaves out of one of them decides nothing.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        fn agree<T: PartialEq>(one: Option<&T>, other: Option<&T>) -> bool {
            one.zip(other).is_none_or(|(one, other)| one == other)
        }
        if self.digest.is_some() && other.digest.is_some() {
            return self == other;
        }
        self.kind == other.kind
            && agree(self.chars.as_ref(), other.chars.as_ref())
            && agree(self.bytes.as_ref(), other.bytes.as_ref())
    }
}

/// Which record a read found: all three parts are known by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordIdentity {
    /// The connection that holds it.
    pub connection: ConnectionId,
    /// The stream.
    pub stream: StreamName,
    /// The record's own key.
    pub record: RecordId,
}

impl RecordIdentity {
    /// The self-contained id.
    #[must_use]
    pub fn id(&self) -> ResultId {
        ResultId::new(Some(self.connection.clone()), self.stream.clone(), self.record.clone())
    }
}

/// A field that a caller may read, with all that is needed to read spans of it.
#[derive(Clone, Debug)]
pub struct Field {
    /// The record it belongs to.
    pub record: RecordIdentity,
    /// The path, as the client spelled it.
    pub path: FieldPath,
    /// Its measures.
    pub shape: FieldShape,
    pub(crate) place: Place,
}

/// Where a field's text is.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In the store: read by a statement that checks the grant again.
    Stored(Stored),
    /// A short value from inside a JSON field, taken out when it was found.
    Held { grant: String, text: String },
    /// At a remote resource server, under the blob's id if it is one.
    Remote { blob: Option<String> },
}

impl Place {
    /// The grant that it was found under: of a package, the one that covers the stream.
    pub(crate) fn grant(&self) -> &str {
        match self {
            Self::Stored(stored) => &stored.grant,
            Self::Held { grant, .. } => grant,
            // No grant of a store has this name, so a store reads nothing there.
            Self::Remote { .. } => "",
        }
    }
}

/// The store's own coordinates of a text.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) grant: String,
    pub(crate) scope: i64,
    pub(crate) record: i64,
    /// The pointer to the row that holds the text: the field's own, or the top-level JSON field's that encloses it.
    pub(crate) pointer: String,
    /// The digest of that row's whole text: a row that was rewritten meanwhile is not read by mistake, and one that was
    /// written again to the letter is.
    pub(crate) row_digest: Digest,
    pub(crate) top: String,
    /// Where the text starts within that row.
    pub(crate) base: Chars,
    /// The character that stands for NUL in the stored text.
    pub(crate) nul_as: Option<char>,
}

impl Field {
    /// Says that there are no bytes to read here.
    pub(crate) fn holds_no_bytes(&self) -> Refusal {
        let message = format!("the field {} holds no bytes", excerpt(self.path.as_str()));
        Refusal::new(Code::FieldNotFound, message).param("field_path")
    }

    /// The whole field as a span.
    #[must_use]
    pub fn whole(&self) -> Span {
        Span::at(Chars::ZERO, self.shape.chars.unwrap_or_default())
    }
}

/// A granted field of a record, with its value if it is short and its head if it is long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldView {
    /// The top-level key.
    pub name: String,
    /// Its measures.
    pub shape: FieldShape,
    /// The text from its start: all of it, or the first chunk. Scalars come as JSON; bytes have none.
    pub head: Option<String>,
}

impl FieldView {
    /// Whether `head` is the whole value.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.head.as_ref().is_some_and(|head| Some(Chars::of(head)) == self.shape.chars)
    }
}

/// A record as far as the caller may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordView {
    /// Which record it is.
    pub identity: RecordIdentity,
    /// The kind of source that it came from.
    pub connector: Option<String>,
    /// The connection's name for people.
    pub label: Option<String>,
    /// When it is from: the value that orders it, if that is granted, or else when it was emitted.
    pub time: Millis,
    /// When it was first emitted, or else when it first arrived.
    pub emitted_at: Millis,
    /// Opaque; it changes exactly when a granted field comes, goes or changes. None where not all of them were seen.
    pub revision: Option<String>,
    /// Its granted fields, sorted by name.
    pub fields: Vec<FieldView>,
}
