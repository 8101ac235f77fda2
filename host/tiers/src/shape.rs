//! What a tier is shown: records without ids, fields without content.

use stepwell_contract::{Bytes, Chars, Span};

/// Further facts or wishes, as names and values.
pub type Options = Vec<(String, String)>;

/// The number of a record within one call. It means nothing outside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Text that can be read in windows.
    Text,
    /// An array or an object, readable in windows as compact JSON.
    Json,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// Bytes.
    Binary,
    /// Null, an empty text, or nothing.
    Empty,
}

impl FieldKind {
    /// Whether it can be read in windows.
    #[must_use]
    pub const fn is_readable(self) -> bool {
        matches!(self, Self::Text | Self::Json)
    }
}

/// A field without its content.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldShape {
    /// A top-level key, literally; or, starting with `/`, an RFC 6901 pointer.
    pub path: String,
    /// What it holds.
    pub kind: FieldKind,
    /// The MIME type, where declared.
    pub mime: Option<String>,
    /// The role that the manifest declares.
    pub role: Option<String>,
    /// Its size in code points, where known.
    pub chars: Option<Chars>,
    /// Its size in bytes, where known.
    pub bytes: Option<Bytes>,
    /// A number's or boolean's value, as JSON.
    pub value: Option<String>,
    /// The first code points of a readable field.
    pub head: Option<String>,
    /// Further facts.
    pub options: Options,
}

impl FieldShape {
    /// A field of which nothing but its path and kind is known.
    #[must_use]
    pub fn new(path: impl Into<String>, kind: FieldKind) -> Self {
        let (mime, role, chars, bytes, value, head, options) = Default::default();
        Self { path: path.into(), kind, mime, role, chars, bytes, value, head, options }
    }

    /// A text that is known whole; the shape keeps the first `head` code points of it.
    #[must_use]
    pub fn text(path: impl Into<String>, text: &str, head: Chars) -> Self {
        let kept = stepwell_contract::unit::slice(text, Span::at(Chars::ZERO, head));
        Self {
            chars: Some(Chars::of(text)),
            bytes: Some(Bytes::of(text)),
            head: Some(kept.to_owned()),
            ..Self::new(path, if text.is_empty() { FieldKind::Empty } else { FieldKind::Text })
        }
    }
}

/// Where a search matched.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The field that matched.
    pub path: String,
    /// The place, where the source knows it.
    pub at: Option<Span>,
    /// The source's own excerpt around the match.
    pub snippet: Option<String>,
}

/// A record without its content.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordShape {
    /// The record's number within this call.
    pub slot: Slot,
    /// The kind of record.
    pub stream: String,
    /// What brought the record in.
    pub connector: Option<String>,
    /// The connection's display label.
    pub label: Option<String>,
    /// When it happened, RFC 3339.
    pub time: Option<String>,
    /// The granted fields, in the record's order.
    pub fields: Vec<FieldShape>,
    /// Where a search matched, best first.
    pub hits: Vec<Hit>,
    /// Further facts.
    pub options: Options,
}

impl RecordShape {
    /// A record with these fields and nothing else known.
    #[must_use]
    pub fn new(slot: Slot, stream: impl Into<String>, fields: Vec<FieldShape>) -> Self {
        let (connector, label, time, hits, options) = Default::default();
        Self { slot, stream: stream.into(), connector, label, time, fields, hits, options }
    }

    /// The field with this path.
    #[must_use]
    pub fn field(&self, path: &str) -> Option<&FieldShape> {
        self.fields.iter().find(|field| field.path == path)
    }
}

/// What an answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// One of many rows.
    Row,
    /// The only record on the page.
    Document,
}

/// How much an answer may hold, for each record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of text shown.
    pub bytes: Bytes,
    /// Lines of a preview, or entries of a list of links or parts.
    pub lines: u32,
    /// Places to jump to.
    pub anchors: u32,
}

/// All that a tier knows of the moment. The operator's options are added when the tier is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// What the answer is for.
    pub purpose: Purpose,
    /// How much it may hold.
    pub budget: Budget,
    /// A BCP 47 language tag.
    pub locale: String,
    /// An IANA time zone.
    pub time_zone: String,
    /// The moment of the call, RFC 3339.
    pub now: String,
}

impl Context {
    /// A context in English and UTC.
    #[must_use]
    pub fn new(purpose: Purpose, budget: Budget, now: impl Into<String>) -> Self {
        Self { purpose, budget, locale: "en".to_owned(), time_zone: "UTC".to_owned(), now: now.into() }
    }
}
