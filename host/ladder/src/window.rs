//! One bounded window of one field: the third step of the ladder.

use serde_json::{Map, Value, json};
use stepwell_contract::cursor::{CursorBinding, FieldVersion, Keyring, Position};
use stepwell_contract::quote::json_string;
use stepwell_contract::selector::{Query, Selector};
use stepwell_contract::window::Window;
use stepwell_contract::{Chars, Code, FieldPath, Refusal, Span};
use stepwell_source::error::Result;
use stepwell_source::{Caller, Field, RecordRef, Source, SourceError};

/// How often a read starts again when the field is rewritten under its hands.
const ATTEMPTS: usize = 3;

/// What a caller asks for.
#[derive(Clone, Debug)]
pub struct WindowRequest {
    /// The record.
    pub record: RecordRef,
    /// The field of it.
    pub path: FieldPath,
    /// The part of the field.
    pub selector: Selector,
}

/// A window that was read, with all that is needed to go on from it.
#[derive(Clone, Debug)]
pub struct FieldWindow {
    /// The field.
    pub field: Field,
    /// Where the window lies.
    pub window: Window,
    /// Its text, code point for code point.
    pub text: String,
    /// The phrase that was looked for, and where it was found.
    pub hit: Option<(Query, Span)>,
    /// Goes on after the window.
    pub next_cursor: Option<String>,
    /// Goes on before the window.
    pub previous_cursor: Option<String>,
    /// Goes on with the next match.
    pub next_match_cursor: Option<String>,
}

/// Reads a window. The order of checks is the contract's: authorization, then the cursor, then whether it is stale.
pub async fn read_window(
    source: &dyn Source,
    keys: &Keyring,
    caller: &Caller,
    request: &WindowRequest,
    now_unix: u64,
) -> Result<FieldWindow> {
    for _ in 1..ATTEMPTS {
        match read_once(source, keys, caller, request, now_unix).await {
            Err(SourceError::Changed) => {}
            outcome => return outcome,
        }
    }
    read_once(source, keys, caller, request, now_unix).await
}

async fn read_once(
    source: &dyn Source,
    keys: &Keyring,
    caller: &Caller,
    request: &WindowRequest,
    now_unix: u64,
) -> Result<FieldWindow> {
    let field = source.field(caller, &request.record, &request.path).await?;
    let seal = Seal::of(keys, caller, &field, now_unix);
    let (window, search) = match &request.selector {
        Selector::Offset { offset, limit } => (Window::at_offset(seal.total, *offset, *limit), None),
        Selector::Match { q, before, after, limit } => {
            let search =
                Search { q: q.clone(), from: Chars::ZERO, before: *before, after: *after, limit: *limit };
            search.place(source, caller, &field, seal.total).await?
        }
        Selector::Cursor { cursor, limit } => match seal.open(cursor)? {
            Position::Window { span_start, limit: sealed } => {
                (Window::at_offset(seal.total, span_start, limit.unwrap_or(sealed)), None)
            }
            Position::WindowEndingAt { end, limit: sealed } => {
                let limit = limit.unwrap_or(sealed);
                let start = end.saturating_sub(limit);
                // The window ends where the one that it was asked from starts, so near the start it is shorter.
                let window = Window::at_offset(seal.total, start, end.saturating_sub(start));
                (Window { limit, ..window }, None)
            }
            Position::NextMatch { q, from, before, after, limit: sealed } => {
                let search = Search { q: Query::new(q)?, from, before, after, limit: limit.or(sealed) };
                search.place(source, caller, &field, seal.total).await?
            }
        },
    };
    let text = source.text(caller, &field, window.span).await?;
    let next_cursor = window.next().map(|start| seal.window(start, window.limit));
    let previous_cursor = window.previous().map(|span| seal.window_ending_at(span.end(), window.limit));
    let next_match_cursor = search.as_ref().map(|(search, hit)| seal.next_match(search, *hit));
    let hit = search.map(|(search, hit)| (search.q, hit));
    Ok(FieldWindow { field, window, text, hit, next_cursor, previous_cursor, next_match_cursor })
}

/// A phrase to look for and how much to show around it.
struct Search {
    q: Query,
    from: Chars,
    before: Chars,
    after: Chars,
    limit: Option<Chars>,
}

impl Search {
    async fn place(
        self,
        source: &dyn Source,
        caller: &Caller,
        field: &Field,
        total: Chars,
    ) -> Result<(Window, Option<(Self, Span)>)> {
        let Some(hit) = source.find(caller, field, &self.q, self.from).await? else {
            let place = if self.from == Chars::ZERO { "in the field" } else { "in the rest of the field" };
            let message = format!("the phrase does not occur {place} {}", json_string(field.path.as_str()));
            let refusal =
                Refusal::new(Code::QueryNotFound, message).param("q").with("size_chars", total.get());
            return Err(refusal.hint("try a shorter phrase, or read on by offset_chars").into());
        };
        let window = Window::around(total, hit, self.before, self.after, self.limit);
        Ok((window, Some((self, hit))))
    }
}

/// Seals and opens the cursors of one field for one caller.
struct Seal<'a> {
    keys: &'a Keyring,
    grant: &'a str,
    record: String,
    pointer: String,
    version: FieldVersion,
    total: Chars,
    now_unix: u64,
}

impl<'a> Seal<'a> {
    fn of(keys: &'a Keyring, caller: &'a Caller, field: &Field, now_unix: u64) -> Self {
        Self {
            keys,
            grant: caller.grant(),
            record: field.record.id().to_string(),
            pointer: field.path.pointer(),
            version: FieldVersion::Digest(field.shape.digest.0),
            total: field.shape.chars.unwrap_or_default(),
            now_unix,
        }
    }

    fn binding(&self) -> CursorBinding<'_> {
        CursorBinding { grant: self.grant, record: &self.record, field: &self.pointer }
    }

    fn open(&self, cursor: &str) -> Result<Position, Refusal> {
        let state = self.keys.open(&self.binding(), cursor, self.now_unix)?;
        state.check_fresh(&self.version)?;
        Ok(state.position)
    }

    fn seal(&self, position: &Position) -> String {
        self.keys.seal(&self.binding(), position, &self.version, self.now_unix)
    }

    fn window(&self, start: Chars, limit: Chars) -> String {
        self.seal(&Position::Window { span_start: start, limit })
    }

    fn window_ending_at(&self, end: Chars, limit: Chars) -> String {
        self.seal(&Position::WindowEndingAt { end, limit })
    }

    fn next_match(&self, search: &Search, hit: Span) -> String {
        let Search { q, before, after, limit, .. } = search;
        let (q, from) = (q.as_str().to_owned(), hit.end());
        self.seal(&Position::NextMatch { q, from, before: *before, after: *after, limit: *limit })
    }
}

impl FieldWindow {
    /// The structured content, exactly as the tool's output schema has it.
    #[must_use]
    pub fn structured(&self) -> Value {
        let record = &self.field.record;
        let shape = &self.field.shape;
        let mut field = Map::new();
        field.insert("path".into(), json!(self.field.path.as_str()));
        field.insert("text_like".into(), json!(shape.kind.is_text_like()));
        field.insert("digest".into(), json!(shape.digest.to_string()));
        if let Some(mime) = &shape.mime {
            field.insert("mime_type".into(), json!(mime));
        }
        if let Some(chars) = shape.chars {
            field.insert("size_chars".into(), json!(chars));
        }
        json!({
            "record": {
                "id": record.id().to_string(),
                "connection_id": record.connection.as_str(),
                "stream": record.stream.as_str(),
                "record_id": record.record.as_str(),
            },
            "field": field,
            "window": {
                "text": self.text,
                "start_chars": self.window.span.start(),
                "end_chars": self.window.span.end(),
                "limit_chars": self.window.limit,
                "complete": self.window.complete(),
                "next_cursor": self.next_cursor,
                "previous_cursor": self.previous_cursor,
                "match": self.hit.as_ref().map(|(q, at)| {
                    json!({ "q": q.as_str(), "start_chars": at.start(), "end_chars": at.end() })
                }),
            },
        })
    }

    /// The one line that stands before the text: where it is from, where it lies, and how to go on.
    #[must_use]
    pub fn header(&self) -> String {
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
        }
        parts.push(("digest", json_string(&self.field.shape.digest.to_string())));
        let members: Vec<String> =
            parts.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    }

    /// The text channel: the header line, and then the window, byte for byte. Record text comes after the first line
    /// break, so it cannot pass itself off as the header.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{}\n{}", self.header(), self.text)
    }
}

fn optional(text: Option<&str>) -> String {
    text.map_or_else(|| "null".to_owned(), json_string)
}
