//! Both channels of a window.

use crate::window::FieldWindow;
use serde_json::{Map, Value, json};
use std::fmt::{Display, Write as _};
use stepwell_contract::quote::json_string;

/// The addresses of a window and its neighbours.
#[derive(Clone, Debug)]
pub(crate) struct WindowUris {
    pub(crate) uri: String,
    pub(crate) next: Option<String>,
    pub(crate) previous: Option<String>,
}

impl FieldWindow {
    /// The structured content, exactly as the tool's output schema has it. How to go on stands before the text.
    #[must_use]
    pub fn structured(&self) -> Value {
        self.structured_with(None, true)
    }

    pub(crate) fn structured_with(&self, uris: Option<&WindowUris>, with_phrase: bool) -> Value {
        let record = &self.field.record;
        let shape = &self.field.shape;
        let mut field = Map::new();
        field.insert("path".into(), json!(self.field.path.as_str()));
        field.insert("text_like".into(), json!(shape.kind.is_text_like()));
        if let Some(digest) = shape.digest {
            field.insert("digest".into(), json!(digest.to_string()));
        }
        if let Some(mime) = &shape.mime {
            field.insert("mime_type".into(), json!(mime));
        }
        if let Some(chars) = shape.chars {
            field.insert("size_chars".into(), json!(chars));
        }
        let hit = self.hit.as_ref().map(|(q, at)| {
            let mut hit = json!({ "start_chars": at.start(), "end_chars": at.end() });
            if with_phrase {
                hit["q"] = json!(q.as_str());
            }
            hit
        });
        let mut structured = json!({
            "record": {
                "id": record.id().to_string(),
                "connection_id": record.connection.as_str(),
                "stream": record.stream.as_str(),
                "record_id": record.record.as_str(),
            },
            "field": field,
        });
        if let Some(uris) = uris {
            structured["resource"] =
                json!({ "uri": uris.uri, "next_uri": uris.next, "previous_uri": uris.previous });
        }
        structured["window"] = json!({
            "start_chars": self.window.span.start(),
            "end_chars": self.window.span.end(),
            "limit_chars": self.window.limit,
            "complete": self.window.complete(),
            "next_cursor": self.next_cursor,
            "previous_cursor": self.previous_cursor,
            "match": hit,
            "text": self.text,
        });
        structured
    }

    /// The one line that stands before the text: where it is from, where it lies, and how to go on.
    #[must_use]
    pub fn header(&self) -> String {
        self.header_with(None)
    }

    fn header_with(&self, uris: Option<&WindowUris>) -> String {
        let span = self.window.span;
        let mut line = Line::default();
        line.text("id", Some(&self.field.record.id().to_string()));
        line.text("field_path", Some(self.field.path.as_str()));
        line.plain("start_chars", span.start());
        line.plain("end_chars", span.end());
        line.plain("total_chars", self.window.total);
        line.plain("complete", self.window.complete());
        line.text("next_cursor", self.next_cursor.as_deref());
        line.text("previous_cursor", self.previous_cursor.as_deref());
        if let Some((_, at)) = &self.hit {
            line.plain("match_start_chars", at.start());
            line.plain("match_end_chars", at.end());
            line.text("next_match_cursor", self.next_match_cursor.as_deref());
        } else if self.matches_ended {
            line.text("next_match_cursor", None);
            line.text("note", Some("there is no further match; this is the field's end"));
        }
        if let Some(uris) = uris {
            line.text("next_uri", uris.next.as_deref());
            line.text("previous_uri", uris.previous.as_deref());
        }
        if let Some(digest) = self.field.shape.digest {
            line.text("digest", Some(&digest.to_string()));
        }
        line.end()
    }

    /// The text channel: the header line, and then the window, byte for byte. Record text comes after the first line
    /// break, so it cannot pass itself off as the header.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.to_text_with(None)
    }

    /// The same with the addresses of the neighbours, where windows are resources too.
    pub(crate) fn to_text_with(&self, uris: Option<&WindowUris>) -> String {
        format!("{}\n{}", self.header_with(uris), self.text)
    }
}

/// A JSON object on one line, written a member at a time.
#[derive(Default)]
struct Line(String);

impl Line {
    fn text(&mut self, name: &str, value: Option<&str>) {
        match value {
            Some(text) => self.plain(name, json_string(text)),
            None => self.plain(name, "null"),
        }
    }

    fn plain(&mut self, name: &str, value: impl Display) {
        let before = if self.0.is_empty() { '{' } else { ',' };
        // A string takes whatever is written.
        let _ = write!(self.0, "{before}\"{name}\":{value}");
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}
