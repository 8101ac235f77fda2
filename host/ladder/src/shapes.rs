//! Turns what a source knows into what a tier is shown.

use std::sync::{Arc, Mutex, PoisonError};
use stepwell_contract::unit::slice;
use stepwell_contract::{Bytes, Chars, FieldPath, Span};
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::query::FieldMatch;
use stepwell_source::shape::{FieldShape as SourceShape, FieldView};
use stepwell_source::{Caller, FieldKind as SourceKind, RecordRef, RecordView, Source, time};
use stepwell_tiers::{
    Budget, Context, FieldKind, FieldShape, Fields, Hit, Purpose, ReadRefusal, RecordShape, Slot,
};

/// How much of a text a tier is shown unasked, so that most previews need no further read.
const HEAD: Chars = Chars(512);

/// The kind of a value in a tier's words.
pub(crate) const fn kind(kind: SourceKind) -> FieldKind {
    match kind {
        SourceKind::Text => FieldKind::Text,
        SourceKind::Json => FieldKind::Json,
        SourceKind::Number => FieldKind::Number,
        SourceKind::Boolean => FieldKind::Boolean,
        SourceKind::Binary => FieldKind::Binary,
        SourceKind::Empty => FieldKind::Empty,
    }
}

/// A field's measures in a tier's words.
pub(crate) fn field(path: &str, shape: &SourceShape) -> FieldShape {
    FieldShape {
        mime: shape.mime.clone(),
        chars: shape.chars.filter(|_| shape.kind.is_text_like()),
        bytes: shape.bytes,
        ..FieldShape::new(path, kind(shape.kind))
    }
}

/// A record in a tier's words.
pub(crate) fn record(
    slot: u32,
    view: &RecordView,
    scope: Option<&GrantedScope>,
    hits: &[FieldMatch],
) -> RecordShape {
    let role = |name: &str| scope?.fields.iter().find(|field| field.name == name)?.role.clone();
    let shape = |view: &FieldView| {
        let mut shape = field(FieldPath::top_level(&view.name).as_str(), &view.shape);
        shape.role = role(&view.name);
        if shape.kind.is_readable() {
            shape.head = view.head.as_ref().map(|head| slice(head, Span::at(Chars::ZERO, HEAD)).to_owned());
        } else {
            shape.value = view.head.clone();
        }
        shape
    };
    let hit = |found: &FieldMatch| Hit {
        path: found.path.as_str().to_owned(),
        at: Some(found.at),
        snippet: Some(found.snippet.clone()),
    };
    RecordShape {
        connector: view.connector.clone(),
        label: view.label.clone(),
        time: Some(time::print(view.time)),
        hits: hits.iter().map(hit).collect(),
        ..RecordShape::new(Slot(slot), view.identity.stream.as_str(), view.fields.iter().map(shape).collect())
    }
}

/// A record with no more than what says which preview is for it.
pub(crate) fn outline(view: &RecordView) -> RecordShape {
    let field = |view: &FieldView| field(FieldPath::top_level(&view.name).as_str(), &view.shape);
    RecordShape {
        connector: view.connector.clone(),
        ..RecordShape::new(Slot(0), view.identity.stream.as_str(), view.fields.iter().map(field).collect())
    }
}

/// The field that a tier names, in the spelling that it was shown.
pub(crate) fn named<'a>(view: &'a RecordView, path: &str) -> Option<&'a FieldView> {
    view.fields.iter().find(|field| FieldPath::top_level(&field.name).as_str() == path)
}

/// What a tier may know of the moment and of the room it has.
pub(crate) fn context(purpose: Purpose, bytes: u64, lines: u32) -> Context {
    let budget = Budget { bytes: Bytes(bytes), lines, anchors: 20 };
    Context::new(purpose, budget, time::print(time::now()))
}

/// The only door that a tier has to data: the fields of the records in hand, under the caller's grant.
pub(crate) struct InHand {
    source: Arc<dyn Source>,
    caller: Caller,
    records: Mutex<Vec<RecordRef>>,
    runtime: tokio::runtime::Handle,
}

impl InHand {
    pub(crate) fn new(source: &Arc<dyn Source>, caller: &Caller, records: Vec<RecordRef>) -> Arc<Self> {
        let runtime = tokio::runtime::Handle::current();
        let records = Mutex::new(records);
        Arc::new(Self { source: source.clone(), caller: caller.clone(), records, runtime })
    }

    /// Takes one more record. It is read under the same grant as the others.
    pub(crate) fn take(&self, record: RecordRef) {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).push(record);
    }

    fn record(&self, slot: Slot) -> Result<RecordRef, ReadRefusal> {
        let records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        records.get(slot.0 as usize).cloned().ok_or(ReadRefusal::NotInHand)
    }
}

impl Fields for InHand {
    fn read(&self, slot: Slot, path: &str, at: Span) -> Result<String, ReadRefusal> {
        let record = self.record(slot)?;
        let path = crate::arguments::path(path).map_err(|_| ReadRefusal::NotInHand)?;
        let read = async {
            let field = self.source.field(&self.caller, &record, &path).await?;
            self.source.text(&self.caller, &field, at).await
        };
        // Tiers run on threads of their own, where waiting blocks nobody else.
        self.runtime.block_on(read).map_err(|error| match error.refusal() {
            Some(refusal) if refusal.code == stepwell_contract::Code::FieldNotText => ReadRefusal::NotText,
            Some(_) => ReadRefusal::NotInHand,
            None => ReadRefusal::Unavailable,
        })
    }

    fn children(&self, slot: Slot, pointer: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
        let text = self.read(slot, pointer, Span::at(Chars::ZERO, Chars(65_536)))?;
        let value: serde_json::Value = serde_json::from_str(&text).map_err(|_| ReadRefusal::NotText)?;
        let base = crate::arguments::path(pointer).map_err(|_| ReadRefusal::NotInHand)?.pointer();
        let child = |key: &str, value: &serde_json::Value| {
            let path = format!("{base}{}", stepwell_contract::field_path::pointer([key]));
            match value {
                serde_json::Value::String(text) => FieldShape::text(path, text, HEAD),
                serde_json::Value::Null => FieldShape::new(path, FieldKind::Empty),
                serde_json::Value::Bool(_) => {
                    FieldShape { value: Some(value.to_string()), ..FieldShape::new(path, FieldKind::Boolean) }
                }
                serde_json::Value::Number(_) => {
                    FieldShape { value: Some(value.to_string()), ..FieldShape::new(path, FieldKind::Number) }
                }
                _ => FieldShape::new(path, FieldKind::Json),
            }
        };
        Ok(match &value {
            serde_json::Value::Object(map) => map.iter().map(|(key, value)| child(key, value)).collect(),
            serde_json::Value::Array(list) => {
                list.iter().enumerate().map(|(index, value)| child(&index.to_string(), value)).collect()
            }
            _ => Vec::new(),
        })
    }
}
