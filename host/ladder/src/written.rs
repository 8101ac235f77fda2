//! A window as it leaves: both of its channels, written.
//!
//! Most of a window's answer is its text, and that stands in both channels. So it is spelled for JSON once, and what stands
//! around it is written at once instead of being put together from values that are then measured and written.

use crate::reply::{FRAME, Link, Reply, TEXT_BLOCK};
use serde_json::Value;
use std::fmt::Display;
use std::io::Write as _;
use stepwell_contract::Bytes;
use stepwell_contract::json::{json_bytes, string_bytes, write_inside, write_string};
use stepwell_source::Disclosure;

/// The answer with one window.
#[derive(Clone, Debug)]
pub struct WrittenWindow {
    /// The line before the text in the text channel.
    pub(crate) header: String,
    /// The structured content up to its last member, which is the text.
    pub(crate) structured: Head,
    pub(crate) text: Spelled,
    /// Links to resources, for clients that can follow them.
    pub links: Vec<Link>,
    /// What else may help a client and is not part of the answer, for `_meta`.
    pub meta: Option<Value>,
    pub(crate) disclosed: Vec<Disclosure>,
}

/// A text, and how it stands between the quotes of a string.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spelled {
    text: String,
    inside: Vec<u8>,
}

impl From<String> for Spelled {
    fn from(text: String) -> Self {
        let mut inside = Vec::new();
        write_inside(&text, &mut inside);
        Self { text, inside }
    }
}

impl Spelled {
    /// The bytes of it in JSON, quotes included.
    pub(crate) fn bytes(&self) -> Bytes {
        Bytes(self.inside.len() as u64 + 2)
    }
}

/// The beginning of an object in JSON that ends with a text, and how many brackets are open where it stops.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    written: Vec<u8>,
    open: usize,
}

impl Head {
    /// The whole object.
    fn write(&self, text: &Spelled, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.written);
        out.push(b'"');
        out.extend_from_slice(&text.inside);
        out.push(b'"');
        out.extend(std::iter::repeat_n(b'}', self.open));
    }

    pub(crate) fn value(&self, text: &Spelled) -> Value {
        let mut written = Vec::new();
        self.write(text, &mut written);
        // What was written as JSON is read as JSON.
        serde_json::from_slice(&written).unwrap_or_default()
    }

    /// How long it is with an empty text.
    fn bytes(&self) -> u64 {
        (self.written.len() + 2 + self.open) as u64
    }
}

impl WrittenWindow {
    /// Writes the text channel as a string of JSON.
    pub fn write_text(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        write_inside(&self.header, out);
        out.extend_from_slice(b"\\n");
        out.extend_from_slice(&self.text.inside);
        out.push(b'"');
    }

    /// Writes the structured content.
    pub fn write_structured(&self, out: &mut Vec<u8>) {
        self.structured.write(&self.text, out);
    }

    /// About how many bytes both channels take.
    #[must_use]
    pub fn about(&self) -> usize {
        2 * self.text.inside.len() + 2 * self.header.len() + self.structured.written.len()
    }

    /// The same answer as any other is given.
    #[must_use]
    pub fn into_reply(self) -> Reply {
        let structured = self.structured.value(&self.text);
        let Self { header, text, links, meta, disclosed, .. } = self;
        Reply { text: vec![format!("{header}\n{}", text.text)], structured, links, meta, disclosed }
    }

    /// The bytes of the result as it goes over the wire, but for those of the text.
    pub(crate) fn frame(&self) -> Bytes {
        let text = TEXT_BLOCK + string_bytes(&self.header).get() + 2;
        let links: u64 = self.links.iter().map(Link::wire).sum();
        let meta = self.meta.as_ref().map_or(0, |meta| json_bytes(meta).get());
        Bytes(text + links + meta + self.structured.bytes() + FRAME)
    }
}

/// Writes an object that ends with a text, a member at a time.
pub(crate) struct HeadWriter(Head);

impl HeadWriter {
    pub(crate) fn begin() -> Self {
        // As much as stands around a window with three addresses.
        let mut written = Vec::with_capacity(2_048);
        written.push(b'{');
        Self(Head { written, open: 1 })
    }

    /// Begins a member, whose name needs no escape.
    fn name(&mut self, name: &str) -> &mut Vec<u8> {
        let out = &mut self.0.written;
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        out.push(b'"');
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        out
    }

    pub(crate) fn text(&mut self, name: &str, value: &str) -> &mut Self {
        write_string(value, self.name(name));
        self
    }

    pub(crate) fn text_or_null(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.text(name, value),
            None => self.plain(name, "null"),
        }
    }

    /// A number, or a word of JSON.
    pub(crate) fn plain(&mut self, name: &str, value: impl Display) -> &mut Self {
        // A vector takes whatever is written.
        let _ = write!(self.name(name), "{value}");
        self
    }

    /// Begins an object as a member. What follows stands in it.
    pub(crate) fn open(&mut self, name: &str) -> &mut Self {
        self.name(name).push(b'{');
        self.0.open += 1;
        self
    }

    /// Ends the object that was begun last.
    pub(crate) fn close(&mut self) -> &mut Self {
        self.0.written.push(b'}');
        self.0.open -= 1;
        self
    }

    /// Stops where the text comes.
    pub(crate) fn end_with(mut self, name: &str) -> Head {
        self.name(name);
        self.0
    }
}
