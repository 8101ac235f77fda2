//! Both channels of a window.

use crate::window::FieldWindow;
use serde_json::{Map, Value, json};
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
        let mut parts = vec![
            ("id", json_string(&self.field.record.id().to_string())),
            ("field_path", json_string(self.field.path.as_str())),
            ("start_chars", span.start().to_string()),
            ("end_chars", span.end().to_string()),
            ("total_chars", self.window.total.to_string()),
            ("complete", self.window.complete().to_string()),
            ("next_cursor", optional(self.next_cursor.as_deref())),
            ("previous_cursor", optional(self.previous_cursor.as_deref())),
        ];
        if let Some((_, at)) = &self.hit {
            parts.push(("match_start_chars", at.start().to_string()));
            parts.push(("match_end_chars", at.end().to_string()));
            parts.push(("next_match_cursor", optional(self.next_match_cursor.as_deref())));
        } else if self.matches_ended {
            parts.push(("next_match_cursor", optional(None)));
            parts.push(("note", json_string("there is no further match; this is the field's end")));
        }
        if let Some(uris) = uris {
            parts.push(("next_uri", optional(uris.next.as_deref())));
            parts.push(("previous_uri", optional(uris.previous.as_deref())));
        }
        if let Some(digest) = self.field.shape.digest {
            parts.push(("digest", json_string(&digest.to_string())));
        }
        let members: Vec<String> =
            parts.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
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

fn optional(text: Option<&str>) -> String {
    text.map_or_else(|| "null".to_owned(), json_string)
}
