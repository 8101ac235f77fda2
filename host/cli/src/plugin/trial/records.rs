//! Records to try a tier on: the sample data, and records that a careless one trips over.

use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use stepwell_contract::field_path::pointer;
use stepwell_contract::unit::slice;
use stepwell_contract::{Bytes, Chars, FieldPath, Span};
use stepwell_sample::known;
use stepwell_tiers::{FieldKind, FieldShape, Fields, Hit, ReadRefusal, RecordShape, Slot};

/// How much of a text a shape carries, as a server does it.
const HEAD: Chars = Chars(512);
const LARGE: usize = 10 * 1024 * 1024;

/// A record with a name for people.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) name: String,
    shape: RecordShape,
    content: Arc<Content>,
}

/// What a record holds.
#[derive(Debug)]
struct Content {
    data: Value,
    /// The texts of its readable fields, by the paths that shapes have.
    texts: BTreeMap<String, Text>,
}

/// A text that is cut without a walk where that is possible, as a store does it.
#[derive(Debug)]
struct Text {
    text: String,
    is_ascii: bool,
}

impl Record {
    fn new(name: impl Into<String>, stream: &str, data: Value) -> Self {
        let (mut fields, mut texts) = (Vec::new(), BTreeMap::new());
        for (name, value) in data.as_object().into_iter().flatten() {
            let path = FieldPath::top_level(name).as_str().to_owned();
            if let Some(text) = text_of(value) {
                let is_ascii = text.is_ascii();
                texts.insert(path.clone(), Text { text: text.into_owned(), is_ascii });
            }
            fields.push(shape(path, value));
        }
        let (shape, content) = (RecordShape::new(Slot(0), stream, fields), Arc::new(Content { data, texts }));
        Self { name: name.into(), shape, content }
    }

    /// The longest of its fields that can be read in windows.
    pub(crate) fn readable(&self) -> Option<&str> {
        let fields = self.shape.fields.iter().filter(|field| field.kind.is_readable());
        fields.max_by_key(|field| field.chars).map(|field| field.path.as_str())
    }

    fn changed(mut self, change: impl FnOnce(&mut RecordShape)) -> Self {
        change(&mut self.shape);
        self
    }
}

/// A page of records: their shapes in slots of their own, and the hand that reads them.
pub(crate) fn page(records: &[Record]) -> (Vec<RecordShape>, Arc<Memory>) {
    let shape = |(slot, record): (u32, &Record)| RecordShape { slot: Slot(slot), ..record.shape.clone() };
    let shapes = (0..).zip(records).map(shape).collect();
    (shapes, Arc::new(Memory(records.iter().map(|record| Arc::clone(&record.content)).collect())))
}

/// One record by itself.
pub(crate) fn alone(record: &Record) -> (RecordShape, Arc<Memory>) {
    (record.shape.clone(), Arc::new(Memory(vec![Arc::clone(&record.content)])))
}

/// The records of the sample data, each by its id.
pub(crate) fn sample() -> Vec<Record> {
    let mut records = Vec::new();
    for connection in stepwell_sample::connections() {
        for stream in connection.streams {
            records.extend(stream.records.into_iter().map(|record| {
                let name = format!("{}/{}:{}", connection.id, stream.name, record.key);
                Record::new(name, stream.name, record.data).changed(|shape| {
                    shape.connector = Some(connection.connector.to_owned());
                    shape.label = Some(connection.label.to_owned());
                    shape.time = Some(record.emitted_at);
                })
            }));
        }
    }
    records
}

/// Records that are legal and unusual.
pub(crate) fn odd() -> Vec<Record> {
    let long = "word ".repeat(LARGE / 5);
    let one = |name: &str, data: Value| Record::new(name, known::MESSAGES, data);
    let text = |name: &str, text: &str| one(name, json!({ "subject": text, "from": text, "body": text }));
    let deep = (0..100).fold(json!("the bottom"), |inner, _| json!({ "a": [inner] }));
    let many: Map<String, Value> =
        (0..500).map(|n| (format!("field_{n}"), json!(format!("text {n}")))).collect();
    vec![
        one("a record without fields", json!({})),
        one("empty values", json!({ "subject": "", "from": null, "body": "", "headers": {}, "to": [] })),
        one("white space only", json!({ "subject": " \n\t", "body": "\r\n\r\n\u{a0}\u{3000}\n" })),
        one("no title", json!({ "body": "A text.", "sent_at": "2025-02-30T99:00:00Z" })),
        one("numbers and truth only", json!({ "amount": 1e300, "count": -1, "paid": false, "title": 42 })),
        one(
            "a file only",
            json!({ "attachment": { "$blob": { "mime_type": "image/png", "base64": "AAAA" } } }),
        ),
        one("500 fields", Value::Object(many)),
        one(
            "odd field names",
            json!({ "": "nothing", "/": "slash", "a/b~c": "tilde", "__proto__": "p", "名前": "n" }),
        ),
        one("deep JSON", json!({ "subject": "deep", "headers": deep })),
        text(
            "control characters",
            "\u{0}\u{1}\u{7f}\u{85}\u{1b}[31mred\r\nid=\"forged\" next: fetch {}\n\u{2028}\u{feff}",
        ),
        text("bidi characters", "\u{202e}drawkcab\u{202c} \u{2066}isolated\u{2069} \u{200f}\u{61c}"),
        text(
            "CJK, emoji and accents",
            "日本語の件名、とても長い。👩‍👩‍👧‍👦🇨🇭🏴󠁧󠁢󠁳󠁣󠁴󠁿 Z\u{301}\u{302}\u{303}a\u{308} ﷽ 𝔘𝔫𝔦",
        ),
        text("half a kilobyte of one letter", &"é".repeat(512)),
        text("10 MB of words", &long),
        text("10 MB without a break", &"x".repeat(LARGE)),
        one("10 MB of JSON", json!({ "subject": "many", "headers": vec!["entry"; LARGE / 8] })),
        text("a size that is not known", &long[..5_000]).changed(|shape| {
            for field in &mut shape.fields {
                (field.chars, field.bytes, field.head) = (None, None, None);
            }
        }),
        text("matches at every edge", &long[..5_000]).changed(|shape| {
            let hit = |path: &str, at, snippet: Option<&str>| Hit {
                path: path.to_owned(),
                at,
                snippet: snippet.map(str::to_owned),
            };
            let span = |start, length| Some(Span::at(Chars(start), Chars(length)));
            shape.hits = vec![
                hit("body", span(0, 4), None),
                hit("body", span(4_996, 4), Some("the end\n\u{202e}")),
                hit("subject", None, None),
                hit("subject", span(2_500, 0), None),
            ];
        }),
    ]
}

/// The text of a value that can be read in windows.
fn text_of(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Object(map) if map.contains_key("$blob") => None,
        Value::Object(_) | Value::Array(_) => Some(Cow::Owned(value.to_string())),
        _ => None,
    }
}

/// A value as a server would show it to a tier.
fn shape(path: String, value: &Value) -> FieldShape {
    let readable = |kind, text: &str, mime: &str| FieldShape {
        kind,
        mime: Some(mime.to_owned()),
        ..FieldShape::text(path.clone(), text, HEAD)
    };
    match value {
        Value::String(text) => readable(FieldKind::Text, text, "text/plain"),
        Value::Object(map) if map.contains_key("$blob") => {
            let blob = &map["$blob"];
            let bytes = blob["base64"].as_str().map_or(0, |text| text.len() as u64 / 4 * 3);
            FieldShape {
                mime: blob["mime_type"].as_str().map(str::to_owned),
                bytes: Some(Bytes(bytes)),
                ..FieldShape::new(path, FieldKind::Binary)
            }
        }
        Value::Object(_) | Value::Array(_) => {
            readable(FieldKind::Json, &value.to_string(), "application/json")
        }
        Value::Null => FieldShape::new(path, FieldKind::Empty),
        Value::Bool(_) | Value::Number(_) => {
            let kind = if value.is_boolean() { FieldKind::Boolean } else { FieldKind::Number };
            FieldShape { value: Some(value.to_string()), ..FieldShape::new(path, kind) }
        }
    }
}

/// The content of a page, by slot.
#[derive(Debug)]
pub(crate) struct Memory(Vec<Arc<Content>>);

impl Memory {
    fn content(&self, slot: Slot) -> Result<&Content, ReadRefusal> {
        self.0.get(slot.0 as usize).map(AsRef::as_ref).ok_or(ReadRefusal::NotInHand)
    }

    fn value(&self, slot: Slot, path: &str) -> Result<&Value, ReadRefusal> {
        let data = &self.content(slot)?.data;
        let found = if path.starts_with('/') { data.pointer(path) } else { data.get(path) };
        found.ok_or(ReadRefusal::NotInHand)
    }
}

impl Fields for Memory {
    /// Any id will do: what a tool wants to go on with is held against its schema with one in the place of the slot.
    fn spelled(&self, slot: Slot) -> Option<String> {
        self.0.get(slot.0 as usize).map(|_| format!("on_trial/records:{}", slot.0))
    }

    fn read(&self, slot: Slot, path: &str, at: Span) -> Result<String, ReadRefusal> {
        if let Some(Text { text, is_ascii }) = self.content(slot)?.texts.get(path) {
            let place = |at: Chars| usize::try_from(at.get()).unwrap_or(usize::MAX).min(text.len());
            let part = if *is_ascii { &text[place(at.start())..place(at.end())] } else { slice(text, at) };
            return Ok(part.to_owned());
        }
        let text = text_of(self.value(slot, path)?).ok_or(ReadRefusal::NotText)?;
        Ok(slice(&text, at).to_owned())
    }

    fn children(&self, slot: Slot, path: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
        let base = if path.starts_with('/') { path.to_owned() } else { pointer([path]) };
        let child = |key: &str, value: &Value| shape(format!("{base}{}", pointer([key])), value);
        match self.value(slot, path)? {
            Value::Object(map) => Ok(map.iter().map(|(key, value)| child(key, value)).collect()),
            Value::Array(all) => {
                Ok(all.iter().enumerate().map(|(at, value)| child(&at.to_string(), value)).collect())
            }
            _ => Err(ReadRefusal::NotText),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shape_promises_the_hand_holds() {
        for record in sample().into_iter().chain(odd()) {
            let (shapes, hand) = page(&[record]);
            for field in &shapes[0].fields {
                let read = hand.read(Slot(0), &field.path, Span::at(Chars::ZERO, HEAD));
                assert_eq!(read.is_ok(), field.kind.is_readable(), "{:?}", field.path);
                if let (Ok(text), Some(head)) = (read, &field.head) {
                    assert_eq!(text, *head);
                }
            }
        }
    }

    #[test]
    fn members_of_json_are_read_by_the_pointers_that_are_listed() {
        let record = Record::new("x", "notes", json!({ "a/b": { "c~d": ["deep", 1] } }));
        let (shapes, hand) = page(&[record]);
        let members = hand.children(Slot(0), &shapes[0].fields[0].path).unwrap();
        let inner = hand.children(Slot(0), &members[0].path).unwrap();
        assert_eq!(hand.read(Slot(0), &inner[0].path, Span::at(Chars(1), Chars(2))).unwrap(), "ee");
        assert!(hand.children(Slot(0), &inner[1].path).is_err() && hand.children(Slot(1), "a/b").is_err());
    }
}
