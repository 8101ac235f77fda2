//! One bounded window of one field: the third step of the ladder.

use crate::reply::LadderError;
use crate::seal::{Seal, version};
use crate::{shapes, tier_fault};
use std::sync::Arc;
use stepwell_contract::budget::DEFAULT_LIMIT;
use stepwell_contract::cursor::{CursorBinding, FieldVersion, Keyring, Position};
use stepwell_contract::quote::excerpt;
use stepwell_contract::selector::{Query, Selector};
use stepwell_contract::unit::cut;
use stepwell_contract::window::Window;
use stepwell_contract::{Bytes, Chars, Code, FieldPath, Refusal, ResultId, Span};
use stepwell_source::error::Result;
use stepwell_source::shape::Digest;
use stepwell_source::{Caller, Disclosure, Extent, Field, RecordRef, Source, SourceError};
use stepwell_tiers::{Asked, Fields, Purpose, WindowTier};

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
    /// Whether a further match was looked for and there is none.
    pub matches_ended: bool,
}

/// Reads a window, and writes nothing down: whoever hands it out has [`record`](crate::record) do that first. The order of checks is the contract's: authorization, then the cursor, then whether it is stale.
pub async fn read_window(
    source: &dyn Source,
    keys: &Keyring,
    caller: &Caller,
    request: &WindowRequest,
    now_unix: u64,
) -> Result<FieldWindow, LadderError> {
    read_placed_window(source, keys, caller, request, now_unix, None).await
}

/// A tier that places windows, and what it may read to find a good place: the field that is asked for.
#[derive(Clone)]
pub(crate) struct Placer<'a> {
    pub(crate) tier: &'a WindowTier,
    pub(crate) hand: Arc<dyn Fields>,
}

/// Reads a window that a tier places: it moves the span within the contract's rules, and decides nothing else.
pub(crate) async fn read_placed_window(
    source: &dyn Source,
    keys: &Keyring,
    caller: &Caller,
    request: &WindowRequest,
    now_unix: u64,
    placer: Option<&Placer<'_>>,
) -> Result<FieldWindow, LadderError> {
    let mut attempts = 1..ATTEMPTS;
    loop {
        match read_once(source, keys, caller, request, now_unix, placer).await {
            Err(SourceError::Changed) if attempts.next().is_some() => {}
            Err(error) => return Err(error.into()),
            Ok(Found::Window(window)) => return Ok(*window),
            Ok(Found::NoMatch(field)) => return Err(missed(&field)),
        }
    }
}

/// The span that will most likely be shown, as far as the request says that before the field is found, and of which text. Whether
/// the caller may read it, and whether a cursor still counts, comes out later.
fn likely(
    keys: &Keyring,
    caller: &Caller,
    request: &WindowRequest,
    now_unix: u64,
) -> Option<(Span, Option<Digest>)> {
    let (cursor, limit) = match &request.selector {
        Selector::Offset { offset, limit } => return Some((Span::at(*offset, *limit), None)),
        Selector::Match { .. } => return None,
        Selector::Cursor { cursor, limit } => (cursor, limit),
    };
    let RecordRef { connection, stream, record } = request.record.clone();
    let id = ResultId::new(Some(connection?), stream, record).to_string();
    let pointer = request.path.pointer();
    let binding = CursorBinding { grant: caller.grant(), record: &id, field: &pointer };
    let state = keys.open(&binding, cursor, now_unix).ok()?;
    let FieldVersion::Digest(digest) = state.version else { return None };
    let span = match state.position {
        Position::Window { span_start, limit: sealed } => Span::at(span_start, limit.unwrap_or(sealed)),
        Position::WindowEndingAt { end, limit: sealed } => {
            let start = end.saturating_sub(limit.unwrap_or(sealed));
            Span::at(start, end.saturating_sub(start))
        }
        Position::NextMatch { .. } => return None,
    };
    Some((span, Some(Digest(digest))))
}

/// What one attempt came to.
enum Found {
    Window(Box<FieldWindow>),
    /// The phrase does not occur in the field.
    NoMatch(Box<Field>),
}

async fn read_once(
    source: &dyn Source,
    keys: &Keyring,
    caller: &Caller,
    request: &WindowRequest,
    now_unix: u64,
    placer: Option<&Placer<'_>>,
) -> Result<Found> {
    let (field, ahead) = match likely(keys, caller, request, now_unix) {
        Some((span, digest)) => {
            source.field_and_text(caller, &request.record, &request.path, span, digest).await?
        }
        None => (source.field(caller, &request.record, &request.path).await?, None),
    };
    let total = field.shape.chars.unwrap_or_default();
    let version = version(field.shape.digest, field.shape.chars);
    let seal = Seal::new(keys, caller, &field.record, &field.path, version, now_unix);
    let (mut search, mut matches_ended) = (None, false);
    let (window, asked) = match &request.selector {
        Selector::Offset { offset, limit } => page(total, *offset, *limit),
        Selector::Match { q, before, after, limit } => {
            let wanted =
                Search { q: q.clone(), from: Chars::ZERO, before: *before, after: *after, limit: *limit };
            let Some((window, asked, hit)) = wanted.find(source, caller, &field, total).await? else {
                return Ok(Found::NoMatch(Box::new(field)));
            };
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
            Position::NextMatch { hit: last, before, after, limit: sealed } => {
                // The digest was checked, so what stands there is still the phrase, in the spelling of the last match.
                let q = Query::new(source.text(caller, &field, last).await?)?;
                let wanted = Search { q, from: last.end(), before, after, limit: limit.or(sealed) };
                match wanted.find(source, caller, &field, total).await? {
                    Some((window, asked, hit)) => {
                        search = Some((wanted, hit));
                        (window, asked)
                    }
                    // A cursor that was handed out leads somewhere: here to the end, which has no match.
                    None => {
                        matches_ended = true;
                        page(total, total, limit.unwrap_or(DEFAULT_LIMIT))
                    }
                }
            }
        },
    };
    let window = placed(placer, &field, window, asked).await?;
    let text = match ahead.filter(|(span, _)| span.contains(window.span)) {
        Some((span, text)) => {
            cut(text, Span::at(window.span.start().saturating_sub(span.start()), window.span.len()))
        }
        None => source.text(caller, &field, window.span).await?,
    };
    let next_cursor = window.next().map(|start| seal.window(start, window.limit));
    let previous_cursor = window.previous().map(|span| {
        let (end, limit) = (span.end(), window.limit);
        seal.seal(&Position::WindowEndingAt { end, limit })
    });
    let next_match_cursor = search.as_ref().map(|(search, hit)| seal.seal(&search.next_match(*hit)));
    let hit = search.map(|(search, hit)| (search.q, hit));
    Ok(Found::Window(Box::new(FieldWindow {
        field,
        window,
        text,
        hit,
        next_cursor,
        previous_cursor,
        next_match_cursor,
        matches_ended,
    })))
}

fn page(total: Chars, offset: Chars, limit: Chars) -> (Window, Asked) {
    (Window::at_offset(total, offset, limit), Asked::Page { offset: offset.min(total), limit })
}

/// Lets the tier move the span. Its answer was checked against what was asked; without an answer the host's own stands.
async fn placed(placer: Option<&Placer<'_>>, field: &Field, window: Window, asked: Asked) -> Result<Window> {
    let (Some(Placer { tier, hand }), false) = (placer, window.span.is_empty()) else { return Ok(window) };
    let shape = shapes::field(field.path.as_str(), &field.shape);
    let context = shapes::context(Purpose::Document, 0, 0);
    let outcome = tier.place(shape, asked, &context, Arc::clone(hand)).await;
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
    async fn find(
        &self,
        source: &dyn Source,
        caller: &Caller,
        field: &Field,
        total: Chars,
    ) -> Result<Option<(Window, Asked, Span)>> {
        let Some(hit) = source.find(caller, field, &self.q, self.from).await? else { return Ok(None) };
        let window = Window::around(total, hit, self.before, self.after, self.limit);
        // The tier may not show more than the host would have.
        let limit = window.span.len().max(window.limit);
        Ok(Some((window, Asked::Around { hit, before: self.before, after: self.after, limit }, hit)))
    }

    fn next_match(&self, hit: Span) -> Position {
        Position::NextMatch { hit, before: self.before, after: self.after, limit: self.limit }
    }
}

/// The whole field was looked through and none of it is shown.
fn missed(field: &Field) -> LadderError {
    let (path, whole) = (field.path.as_str(), field.whole());
    let message = format!("the phrase does not occur in the field {}", excerpt(path));
    let refusal = Refusal::new(Code::QueryNotFound, message)
        .param("q")
        .with("size_chars", whole.len().get())
        .hint("try a shorter phrase, or read on by offset_chars");
    let disclosed = Disclosure::of_part(&field.record, path, Extent::Chars(whole), Bytes::ZERO);
    LadderError::Missed(Box::new(refusal), Box::new(disclosed))
}
