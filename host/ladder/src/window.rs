//! One bounded window of one field: the third step of the ladder.

use crate::seal::Seal;
use crate::{shapes, tier_fault};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use stepwell_contract::cursor::{Keyring, Position};
use stepwell_contract::quote::json_string;
use stepwell_contract::selector::{Query, Selector};
use stepwell_contract::window::Window;
use stepwell_contract::{Chars, Code, FieldPath, Refusal, Span};
use stepwell_source::error::Result;
use stepwell_source::{Caller, Field, RecordRef, Source, SourceError};
use stepwell_tiers::{Asked, EmptyHand, Purpose, WindowTier};

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

/// Reads a window, and writes nothing down: whoever hands it out has [`record`](crate::record) do that first. The order of checks is the contract's: authorization, then the cursor, then whether it is stale.
pub async fn read_window(
    source: &dyn Source,
    keys: &Keyring,
    caller: &Caller,
    request: &WindowRequest,
    now_unix: u64,
) -> Result<FieldWindow> {
    read_placed_window(source, keys, caller, request, now_unix, None).await
}

/// Reads a window that a tier places: it moves the span within the contract's rules, and decides nothing else.
pub(crate) async fn read_placed_window(
    source: &dyn Source,
    keys: &Keyring,
    caller: &Caller,
    request: &WindowRequest,
    now_unix: u64,
    tier: Option<&WindowTier>,
) -> Result<FieldWindow> {
    for _ in 1..ATTEMPTS {
        match read_once(source, keys, caller, request, now_unix, tier).await {
            Err(SourceError::Changed) => {}
            outcome => return outcome,
        }
    }
    read_once(source, keys, caller, request, now_unix, tier).await
}

async fn read_once(
    source: &dyn Source,
    keys: &Keyring,
    caller: &Caller,
    request: &WindowRequest,
    now_unix: u64,
    tier: Option<&WindowTier>,
) -> Result<FieldWindow> {
    let field = source.field(caller, &request.record, &request.path).await?;
    let total = field.shape.chars.unwrap_or_default();
    let seal = Seal::new(keys, caller, &field.record, &field.path, &field.shape, now_unix);
    let mut search = None;
    let (window, asked) = match &request.selector {
        Selector::Offset { offset, limit } => page(total, *offset, *limit),
        Selector::Match { q, before, after, limit } => {
            let wanted =
                Search { q: q.clone(), from: Chars::ZERO, before: *before, after: *after, limit: *limit };
            let (window, asked, hit) = wanted.place(source, caller, &field, total).await?;
            search = Some((wanted, hit));
            (window, asked)
        }
        Selector::Cursor { cursor, limit } => match seal.open(cursor)? {
            Position::Window { span_start, limit: sealed } => {
                page(total, span_start, limit.unwrap_or(sealed))
            }
            Position::WindowEndingAt { end, limit: sealed } => {
                let limit = limit.unwrap_or(sealed);
                let start = end.saturating_sub(limit);
                // The window ends where the one that it was asked from starts, so near the start it is shorter.
                let window = Window::at_offset(total, start, end.saturating_sub(start));
                (Window { limit, ..window }, Asked::Back { end, limit })
            }
            Position::NextMatch { q, from, before, after, limit: sealed } => {
                let wanted = Search { q: Query::new(q)?, from, before, after, limit: limit.or(sealed) };
                let (window, asked, hit) = wanted.place(source, caller, &field, total).await?;
                search = Some((wanted, hit));
                (window, asked)
            }
        },
    };
    let window = placed(tier, &field, window, asked).await?;
    let text = source.text(caller, &field, window.span).await?;
    let next_cursor = window.next().map(|start| seal.window(start, window.limit));
    let previous_cursor = window.previous().map(|span| {
        let (end, limit) = (span.end(), window.limit);
        seal.seal(&Position::WindowEndingAt { end, limit })
    });
    let next_match_cursor = search.as_ref().map(|(search, hit)| seal.seal(&search.next_match(*hit)));
    let hit = search.map(|(search, hit)| (search.q, hit));
    Ok(FieldWindow { field, window, text, hit, next_cursor, previous_cursor, next_match_cursor })
}

fn page(total: Chars, offset: Chars, limit: Chars) -> (Window, Asked) {
    (Window::at_offset(total, offset, limit), Asked::Page { offset: offset.min(total), limit })
}

/// Lets the tier move the span. Its answer was checked against what was asked; without an answer the host's own stands.
async fn placed(tier: Option<&WindowTier>, field: &Field, window: Window, asked: Asked) -> Result<Window> {
    let (Some(tier), false) = (tier, window.span.is_empty()) else { return Ok(window) };
    let shape = shapes::field(field.path.as_str(), &field.shape);
    let context = shapes::context(Purpose::Document, 0, 0);
    let outcome = tier.place(shape, asked, &context, Arc::new(EmptyHand)).await;
    let span = tier_fault::settle("field-window", tier.on_fault(), outcome)?;
    Ok(Window { span: span.unwrap_or(window.span), ..window })
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
        &self,
        source: &dyn Source,
        caller: &Caller,
        field: &Field,
        total: Chars,
    ) -> Result<(Window, Asked, Span)> {
        let Some(hit) = source.find(caller, field, &self.q, self.from).await? else {
            let place = if self.from == Chars::ZERO { "in the field" } else { "in the rest of the field" };
            let message = format!("the phrase does not occur {place} {}", json_string(field.path.as_str()));
            let refusal =
                Refusal::new(Code::QueryNotFound, message).param("q").with("size_chars", total.get());
            return Err(refusal.hint("try a shorter phrase, or read on by offset_chars").into());
        };
        let window = Window::around(total, hit, self.before, self.after, self.limit);
        // The tier may not show more than the host would have.
        let limit = window.span.len().max(window.limit);
        Ok((window, Asked::Around { hit, before: self.before, after: self.after, limit }, hit))
    }

    fn next_match(&self, hit: Span) -> Position {
        Position::NextMatch {
            q: self.q.as_str().to_owned(),
            from: hit.end(),
            before: self.before,
            after: self.after,
            limit: self.limit,
        }
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
        self.header_with(&[])
    }

    fn header_with(&self, uris: &[(&'static str, Option<&str>)]) -> String {
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
        parts.extend(uris.iter().map(|(name, uri)| (*name, optional(*uri))));
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

    /// The same with the addresses of the neighbours, where windows are resources too.
    pub(crate) fn to_text_with(&self, next_uri: Option<&str>, previous_uri: Option<&str>) -> String {
        let header = self.header_with(&[("next_uri", next_uri), ("previous_uri", previous_uri)]);
        format!("{header}\n{}", self.text)
    }
}

fn optional(text: Option<&str>) -> String {
    text.map_or_else(|| "null".to_owned(), json_string)
}
