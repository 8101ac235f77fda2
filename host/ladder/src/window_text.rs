//! Both channels of a window.

use crate::window::FieldWindow;
use crate::written::{Head, HeadWriter, Spelled};
use serde_json::Value;
use std::fmt::{Display, Write as _};
use stepwell_contract::quote::push_json_string;
use stepwell_source::FieldShape;

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
        self.structured_head(None, true).value(&Spelled::from(self.text.clone()))
    }

    /// All of it but the text.
    pub(crate) fn structured_head(&self, uris: Option<&WindowUris>, with_phrase: bool) -> Head {
        let (record, path, window) = (&self.field.record, self.field.path.as_str(), &self.window);
        let FieldShape { kind, digest, mime, chars, .. } = &self.field.shape;
        let mut head = HeadWriter::begin();
        head.open("record").text("id", &record.id().to_string());
        head.text("connection_id", record.connection.as_str());
        head.text("stream", record.stream.as_str()).text("record_id", record.record.as_str()).close();
        head.open("field").text("path", path).plain("text_like", kind.is_text_like());
        if let Some(digest) = digest {
            head.text("digest", &digest.to_string());
        }
        if let Some(mime) = mime {
            head.text("mime_type", mime);
        }
        if let Some(chars) = chars {
            head.plain("size_chars", chars.get());
        }
        head.close();
        if let Some(WindowUris { uri, next, previous }) = uris {
            head.open("resource").text("uri", uri).text_or_null("next_uri", next.as_deref());
            head.text_or_null("previous_uri", previous.as_deref()).close();
        }
        head.open("window").plain("start_chars", window.span.start().get());
        head.plain("end_chars", window.span.end().get()).plain("limit_chars", window.limit.get());
        head.plain("complete", window.complete());
        head.text_or_null("next_cursor", self.next_cursor.as_deref());
        head.text_or_null("previous_cursor", self.previous_cursor.as_deref());
        match &self.hit {
            None => head.plain("match", "null"),
            Some((q, at)) => {
                head.open("match").plain("start_chars", at.start().get()).plain("end_chars", at.end().get());
                if with_phrase {
                    head.text("q", q.as_str());
                }
                head.close()
            }
        };
        head.end_with("text")
    }

    /// The one line that stands before the text: where it is from, where it lies, and how to go on.
    #[must_use]
    pub fn header(&self) -> String {
        self.header_with(None)
    }

    pub(crate) fn header_with(&self, uris: Option<&WindowUris>) -> String {
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
    fn name(&mut self, name: &str) -> &mut String {
        let before = if self.0.is_empty() { "{\"" } else { ",\"" };
        for part in [before, name, "\":"] {
            self.0.push_str(part);
        }
        &mut self.0
    }

    fn text(&mut self, name: &str, value: Option<&str>) {
        match value {
            Some(text) => push_json_string(text, self.name(name)),
            None => self.plain(name, "null"),
        }
    }

    fn plain(&mut self, name: &str, value: impl Display) {
        // A string takes whatever is written.
        let _ = write!(self.name(name), "{value}");
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}
