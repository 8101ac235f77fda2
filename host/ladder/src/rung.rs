//! A field of a record, how much of it was shown, and where reading it goes on.

use crate::describe::cut_value;
use serde_json::{Value, json};
use stepwell_contract::budget::LADDER_FIELDS;
use stepwell_contract::{Bytes, Chars, FieldPath, Span};
use stepwell_source::query::{Excerpt, FieldMatch};
use stepwell_source::shape::{Digest, FieldView};
use stepwell_source::{FieldKind, RecordView};

/// A text longer than this is worth an entry even where a whole line of it was shown.
pub(crate) const LONG: Chars = Chars(512);

/// How much of a field was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Preview {
    /// All of it.
    Complete,
    /// The part from its start up to here.
    Truncated(Chars),
    /// A part from its middle.
    Snippet { at: Span, text: String },
    /// A part from a place that only the source knows.
    Excerpt(String),
    /// It is bytes.
    Binary,
    /// Nothing.
    Unavailable,
}

impl Preview {
    pub(crate) const fn status(&self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Truncated(_) => "truncated",
            Self::Snippet { .. } | Self::Excerpt(_) => "snippet-only",
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
            Self::Unavailable | Self::Excerpt(_) => Some(Chars::ZERO),
        }
    }
}

/// A place to jump to in a long field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlaceToJump {
    pub(crate) at: Chars,
    pub(crate) label: String,
}

impl PlaceToJump {
    pub(crate) fn json(&self) -> Value {
        json!({ "offset_chars": self.at, "label": self.label })
    }
}

/// A field in the ladder.
#[derive(Clone, Debug)]
pub(crate) struct Rung<'a> {
    pub(crate) path: FieldPath,
    pub(crate) kind: FieldKind,
    pub(crate) mime: Option<&'a str>,
    pub(crate) chars: Option<Chars>,
    pub(crate) bytes: Option<Bytes>,
    /// None for a value inside a JSON field, which is measured only when it is read.
    pub(crate) digest: Option<Digest>,
    pub(crate) preview: Preview,
    /// Where reading goes on, for a field that can be read in windows and was not shown whole.
    pub(crate) next: Option<Chars>,
    pub(crate) places: Vec<PlaceToJump>,
}

impl<'a> Rung<'a> {
    /// A top-level field.
    pub(crate) fn of(field: &'a FieldView, preview: Preview) -> Self {
        let shape = &field.shape;
        let preview = if shape.kind == FieldKind::Binary { Preview::Binary } else { preview };
        Self {
            path: FieldPath::top_level(&field.name),
            kind: shape.kind,
            mime: shape.mime.as_deref(),
            chars: shape.chars,
            bytes: shape.bytes,
            digest: shape.digest,
            next: preview.goes_on_at().filter(|_| shape.windows),
            preview,
            places: Vec::new(),
        }
    }

    /// A text inside a JSON field, where a word was found.
    pub(crate) fn inside(found: &FieldMatch) -> Self {
        let preview = of_match(found);
        Self {
            path: found.path.clone(),
            kind: FieldKind::Text,
            mime: None,
            chars: Some(found.total),
            bytes: None,
            digest: None,
            next: preview.goes_on_at(),
            preview,
            places: Vec::new(),
        }
    }

    /// A text of which the source showed a piece without measuring it.
    pub(crate) fn unmeasured(excerpt: &Excerpt) -> Self {
        let preview = Preview::Excerpt(excerpt.text.clone());
        Self {
            path: excerpt.path.clone(),
            kind: FieldKind::Text,
            mime: None,
            chars: None,
            bytes: None,
            digest: None,
            next: preview.goes_on_at(),
            preview,
            places: Vec::new(),
        }
    }

    /// How large the field is, by the only measure it has.
    pub(crate) fn size(&self) -> Chars {
        self.known_size().unwrap_or_default()
    }

    /// The same; none if it was not measured.
    pub(crate) fn known_size(&self) -> Option<Chars> {
        self.chars.or(self.bytes.map(|bytes| Chars(bytes.get())))
    }

    /// What of the field was shown, of how much: `0-4096/120000`, or `0/120000` for nothing.
    pub(crate) fn range(&self) -> String {
        let total = self.size();
        match &self.preview {
            Preview::Truncated(end) => format!("0-{end}/{total}"),
            Preview::Snippet { at, .. } => format!("{}-{}/{total}", at.start(), at.end()),
            Preview::Complete => format!("{total}/{total}"),
            Preview::Excerpt(_) => "a piece of unknown place".to_owned(),
            Preview::Binary | Preview::Unavailable => format!("0/{total}"),
        }
    }
}

/// What a search showed of a field.
pub(crate) fn of_match(found: &FieldMatch) -> Preview {
    if found.snippet_at.len() == found.total {
        return Preview::Complete;
    }
    Preview::Snippet { at: found.snippet_at, text: found.snippet.clone() }
}

/// The fields of a record that deserve an entry, the most important first.
pub(crate) fn rungs<'a>(view: &'a RecordView, preview: impl Fn(&FieldView) -> Preview) -> Vec<Rung<'a>> {
    let worth = |field: &&FieldView| match field.shape.kind {
        FieldKind::Text => field.shape.chars > Some(LONG),
        FieldKind::Json | FieldKind::Binary => true,
        _ => false,
    };
    let rung = |field: &'a FieldView| Rung::of(field, preview(field));
    in_order(view.fields.iter().filter(worth).map(rung).collect())
}

/// What matched comes first, then what was cut, and the longest of those.
pub(crate) fn in_order(mut rungs: Vec<Rung<'_>>) -> Vec<Rung<'_>> {
    rungs.sort_by_key(|rung| {
        let matched = matches!(rung.preview, Preview::Snippet { .. } | Preview::Excerpt(_));
        std::cmp::Reverse((matched, rung.next.is_some(), rung.size()))
    });
    rungs.truncate(LADDER_FIELDS);
    rungs
}

/// The long fields of a record when values up to `shown` stand whole in the data and longer ones by their beginning.
pub(crate) fn record_rungs(view: &RecordView, shown: Chars) -> Vec<Rung<'_>> {
    rungs(view, |field: &FieldView| match cut_value(field, shown) {
        (_, false) => Preview::Complete,
        (Value::String(text), true) if !text.is_empty() => Preview::Truncated(Chars::of(&text)),
        _ => Preview::Unavailable,
    })
}
