//! Reads spans of text, and looks for phrases in it, a bounded piece at a time.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::row::Row;
use crate::embedded::statement::Statement;
use crate::error::{Failure, Result, SourceError};
use crate::prepare::{CHUNK_MAX, nul};
use crate::scan::Search;
use crate::shape::{Field, Place, Stored};
use crate::time;
use crate::token::Caller;
use stepwell_contract::budget::MAX_LIMIT;
use stepwell_contract::quote::excerpt;
use stepwell_contract::selector::Query;
use stepwell_contract::{Chars, Code, Refusal, Span, unit};

/// How much text a search holds at a time: 64 chunks, about a quarter of a megabyte of plain text.
pub(super) const PIECE: Chars = Chars(64 * CHUNK_MAX.0);

impl Embedded {
    /// Reads a span of a field's text.
    pub(super) async fn read_span(&self, caller: &Caller, field: &Field, span: Span) -> Result<String> {
        self.read_under(&self.grant_for(caller, field).await?, field, span).await
    }

    /// The same under a grant that is known to be the reader's.
    pub(super) async fn read_under(&self, grant: &str, field: &Field, span: Span) -> Result<String> {
        let total = readable(field)?;
        let end = span.end().min(total);
        let Some(span) = Span::new(span.start().min(end), end) else { return Ok(String::new()) };
        match &field.place {
            Place::Held { .. } if field.place.grant() != grant => Err(passed_on().into()),
            Place::Stored(stored) if !span.is_empty() => {
                self.read_stored(grant, stored, span.shifted(stored.base)).await
            }
            // Nothing is left to select, so no statement of content checks the grant.
            place => {
                self.require_active(grant).await?;
                let text = if let Place::Held { text, .. } = place { text } else { "" };
                Ok(unit::slice(text, span).to_owned())
            }
        }
    }

    /// Reads a span of a row's stored text, by a statement that checks the grant again.
    pub(super) async fn read_stored(&self, grant: &str, stored: &Stored, span: Span) -> Result<String> {
        let (after, before) = chunks_around(span);
        let params = bind![
            grant,
            time::now(),
            stored.scope,
            stored.record,
            stored.top.as_str(),
            stored.pointer.as_str(),
            after,
            before,
            &stored.row_digest.0[..],
        ];
        let rows = match span.len() <= MAX_LIMIT {
            true => self.read_brief(Statement::Text, params).await?,
            false => self.read(Statement::Text, params).await?,
        };
        let mut text = Gathered::default();
        for mut row in rows {
            text.add(&mut row)?;
        }
        if text.is_empty() {
            // No row: the grant ended, or the field was rewritten since it was measured.
            self.require_active(grant).await?;
            return Err(SourceError::Changed);
        }
        Ok(text.cut(span, stored.nul_as))
    }

    /// Finds the first occurrence of a phrase at or after an offset.
    pub(super) async fn find_phrase(
        &self,
        caller: &Caller,
        field: &Field,
        q: &Query,
        from: Chars,
    ) -> Result<Option<Span>> {
        let total = readable(field)?;
        let mut search = Search::new(q, from, total)?;
        let grant = self.grant_for(caller, field).await?;
        while let Some(at) = search.next() {
            let piece = self.read_under(&grant, field, Span::at(at, PIECE)).await?;
            if let Some(hit) = search.feed(&piece) {
                return Ok(Some(hit));
            }
        }
        Ok(None)
    }
}

/// The bounds of the chunks that a span may touch: they start after the one and before the other.
pub(super) fn chunks_around(span: Span) -> (i64, i64) {
    // A chunk that reaches into the span starts less than one chunk before it.
    (database_int(span.start()) - database_int(CHUNK_MAX), database_int(span.end()))
}

/// Stored text, put together from the rows of a statement.
#[derive(Default)]
pub(super) struct Gathered(Vec<(Chars, String)>);

impl Gathered {
    /// Takes the next row: an inline value, or a chunk and where it starts.
    pub(super) fn add(&mut self, row: &mut Row) -> Result<(), Failure> {
        let (inline, start, chunk) = (row.text_or_null()?, row.int_or_null()?, row.text_or_null()?);
        let start = start.and_then(|start| u64::try_from(start).ok()).unwrap_or_default();
        self.0.push((Chars(start), inline.or(chunk).unwrap_or_default()));
        Ok(())
    }

    /// Whether there was no row.
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The part of it that a span of the field names, as it was before it was stored.
    pub(super) fn cut(mut self, span: Span, nul_as: Option<char>) -> String {
        self.0.sort_unstable_by_key(|(start, _)| *start);
        let mut chunks = self.0.into_iter();
        let (starts, mut text) = chunks.next().unwrap_or_default();
        chunks.for_each(|(_, chunk)| text.push_str(&chunk));
        let inside = Span::at(span.start().saturating_sub(starts), span.len());
        nul::restore(unit::cut(text, inside), nul_as)
    }
}

/// A field is good for the caller that it was found for.
pub(super) fn passed_on() -> Failure {
    Failure::Store("a field was passed on to another caller".into())
}

/// The length of a field that holds text, or why it cannot be read as text.
fn readable(field: &Field) -> Result<Chars> {
    if field.shape.kind.is_text_like()
        && let Some(total) = field.shape.chars
    {
        return Ok(total);
    }
    let kind = field.shape.kind.as_str();
    let message =
        format!("the field {} holds no text but a value of kind {kind}", excerpt(field.path.as_str()));
    let refusal = Refusal::new(Code::FieldNotText, message).param("field_path").with("kind", kind);
    Err(refusal.hint("fetch the record to see the value, or its size and type if it is binary").into())
}

/// Offsets are stored as signed integers; no stored text is long enough to need more.
fn database_int(chars: Chars) -> i64 {
    i64::try_from(chars.get()).unwrap_or(i64::MAX)
}
