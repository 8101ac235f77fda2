//! Stand-ins for the host, for native unit tests of a tier's logic.

use crate::text::{byte_of, chars, slice};
use crate::{
    Allowance, Budget, Context, FieldKind, FieldShape, Purpose, Reader, RecordShape, Refusal, Span, Wanted,
};
use std::cell::Cell;
use std::collections::HashMap;

/// How much of a text a shape carries, as the host does it by default.
pub const HEAD: u32 = 512;

/// The shape of a text field.
#[must_use]
pub fn text(path: &str, content: &str) -> FieldShape {
    FieldShape {
        path: path.to_owned(),
        kind: FieldKind::Text,
        mime: None,
        role: None,
        chars: Some(chars(content)),
        bytes: u32::try_from(content.len()).ok(),
        value: None,
        head: Some(content[..byte_of(content, HEAD)].to_owned()),
        options: Vec::new(),
    }
}

/// The shape of a number.
#[must_use]
pub fn number(path: &str, value: &str) -> FieldShape {
    FieldShape {
        kind: FieldKind::Number,
        value: Some(value.to_owned()),
        head: None,
        chars: None,
        ..text(path, value)
    }
}

/// The shape of a blob.
#[must_use]
pub fn blob(path: &str, mime: &str, bytes: u32) -> FieldShape {
    FieldShape {
        kind: FieldKind::Binary,
        mime: Some(mime.to_owned()),
        bytes: Some(bytes),
        chars: None,
        head: None,
        ..text(path, "")
    }
}

impl FieldShape {
    /// The same field with a declared role.
    #[must_use]
    pub fn with_role(mut self, role: &str) -> Self {
        self.role = Some(role.to_owned());
        self
    }
}

/// The shape of a record in slot 0.
#[must_use]
pub fn record(stream: &str, fields: Vec<FieldShape>) -> RecordShape {
    RecordShape {
        slot: 0,
        stream_name: stream.to_owned(),
        connector: None,
        label: None,
        time: None,
        fields,
        hits: Vec::new(),
        options: Vec::new(),
    }
}

/// A context for rows or documents with this many bytes for each record.
#[must_use]
pub fn context(purpose: Purpose, bytes: u32) -> Context {
    Context {
        purpose,
        budget: Budget { bytes, lines: 8, anchors: 20 },
        locale: "en".to_owned(),
        time_zone: "UTC".to_owned(),
        now: "2026-01-01T00:00:00Z".to_owned(),
        options: Vec::new(),
    }
}

/// A reader over texts in memory, with an allowance like the host's.
#[derive(Debug, Default)]
pub struct Memory {
    texts: HashMap<(u32, String), String>,
    reads: Cell<u32>,
    bytes: Cell<u32>,
}

impl Memory {
    /// Starts without texts, and with an allowance of `reads` and `bytes`.
    #[must_use]
    pub fn new(reads: u32, bytes: u32) -> Self {
        Self { texts: HashMap::new(), reads: Cell::new(reads), bytes: Cell::new(bytes) }
    }

    /// Adds a field's content.
    #[must_use]
    pub fn with(mut self, slot: u32, path: &str, content: &str) -> Self {
        self.texts.insert((slot, path.to_owned()), content.to_owned());
        self
    }

    fn get(&self, wanted: &Wanted) -> Result<String, Refusal> {
        let text = self.texts.get(&(wanted.slot, wanted.path.clone())).ok_or(Refusal::NotInHand)?;
        let part = slice(text, Span { start: wanted.at.start, end: wanted.at.end });
        let reads = self.reads.get().checked_sub(1).ok_or(Refusal::OverAllowance)?;
        let size = u32::try_from(part.len()).unwrap_or(u32::MAX);
        let bytes = self.bytes.get().checked_sub(size).ok_or(Refusal::OverAllowance)?;
        self.reads.set(reads);
        self.bytes.set(bytes);
        Ok(part.to_owned())
    }
}

impl Reader for Memory {
    fn read(&self, what: &[Wanted]) -> Vec<Result<String, Refusal>> {
        what.iter().map(|wanted| self.get(wanted)).collect()
    }

    fn children(&self, _slot: u32, _pointer: &str) -> Result<Vec<FieldShape>, Refusal> {
        Err(Refusal::NotInHand)
    }

    fn left(&self) -> Allowance {
        Allowance { reads: self.reads.get(), bytes: self.bytes.get() }
    }
}
