//! Settles on the text itself what the index of words cannot: whether words follow each other.
//!
//! The index has no places. It names the chunks that have a phrase's words, and those are read, with as much around them
//! as a phrase can reach, so that a border between two chunks hides nothing.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::locate::{self, FoundRecord};
use crate::embedded::records::{Listed, found};
use crate::embedded::search::few;
use crate::embedded::statement::Statement;
use crate::embedded::text::PIECE;
use crate::error::{Result, SourceError};
use crate::prepare::CHUNK_MAX;
use crate::shape::{Field, FieldView};
use crate::terms::{PHRASE_MAX, Term, Terms, whole_words};
use crate::time;
use crate::words::Word;
use stepwell_contract::unit::slice;
use stepwell_contract::{Chars, FieldPath, Span};

/// How many chunks are named at a time.
const UNITS: i64 = 4_096;

/// How much more is read on both sides, so that words there are seen whole.
const MARGIN: Chars = Chars(256);

/// A place in a field: where a chunk starts that the index named, or a phrase that was found.
pub(super) struct Unit {
    pub(super) field: Field,
    pub(super) start: Chars,
}

/// A part of a field's text, and the words that are whole in it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) start: Chars,
    pub(super) words: Vec<Word>,
}

/// How much text a call may still look at.
#[derive(Debug)]
pub(super) struct Effort(pub(super) u64);

impl Effort {
    /// Takes note of text that was looked at.
    pub(super) const fn spend(&mut self, chars: u64) {
        self.0 = self.0.saturating_sub(chars);
    }

    /// Whether there is any left.
    pub(super) const fn is_left(&self) -> bool {
        self.0 > 0
    }
}

impl Embedded {
    /// Whether a record that has the words has the wanted phrases, and none of the excluded ones.
    pub(super) async fn phrases_hold(
        &self,
        listed: &Listed<'_>,
        known: &[FieldView],
        terms: &Terms,
        effort: &mut Effort,
    ) -> Result<bool> {
        for (list, expected) in [(&terms.wanted, true), (&terms.excluded, false)] {
            for term in list.iter().filter(|term| term.is_phrase()) {
                if self.find_term(listed, known, term, effort).await?.is_some() != expected {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Finds a phrase in a record: the field that has it, and where it starts.
    pub(super) async fn find_term(
        &self,
        listed: &Listed<'_>,
        known: &[FieldView],
        term: &Term,
        effort: &mut Effort,
    ) -> Result<Option<Unit>> {
        let stems = few(term.stems());
        // Most often one chunk has all of it. Else the words may stand on both sides of a border.
        for words in [self.engine.all_words(&stems), self.engine.any_word(&stems[..1])] {
            if let Some(found) = self.look_around(listed, known, &words, term, effort).await? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Looks for a phrase around all chunks that have some words; neighbours are read together.
    async fn look_around(
        &self,
        listed: &Listed<'_>,
        known: &[FieldView],
        words: &str,
        term: &Term,
        effort: &mut Effort,
    ) -> Result<Option<Unit>> {
        let mut after = (String::new(), -1);
        loop {
            let units = self.units(listed, words, (&after.0, after.1), UNITS).await?;
            let full = units.len() as i64 == UNITS;
            if let Some(last) = units.last() {
                after = (last.field.path.pointer(), last.start.get() as i64);
            }
            let mut units = units.into_iter().peekable();
            while let Some(unit) = units.next() {
                let mut end = around(unit.start).end();
                while let Some(next) = units.next_if(|next| {
                    let reach = around(next.start);
                    let together = Span::new(unit.start, reach.end()).is_some_and(|both| both.len() <= PIECE);
                    next.field.path == unit.field.path && reach.start() <= end && together
                }) {
                    end = around(next.start).end();
                }
                let start = around(unit.start).start();
                let Some(span) = Span::new(start, end) else { continue };
                let Some(part) = self.part(&unit.field, known, span).await? else { continue };
                effort.spend(Chars::of(&part.text).get());
                let place = term.places(&part.words).next();
                if let Some(at) = place {
                    return Ok(Some(Unit { field: unit.field, start: at.shifted(part.start).start() }));
                }
            }
            if !full {
                return Ok(None);
            }
        }
    }

    /// The chunks of a record that have some words, after a place.
    pub(super) async fn units(
        &self,
        listed: &Listed<'_>,
        words: &str,
        (pointer, start): (&str, i64),
        limit: i64,
    ) -> Result<Vec<Unit>> {
        let (grant, scope, record) = (&listed.granted.grant, listed.granted.scope, listed.record);
        let params = bind![grant.as_str(), time::now(), scope, record, words, pointer, start, limit];
        let mut units = Vec::new();
        for mut row in self.read(Statement::MatchUnits, params).await? {
            let (pointer, _top, start) = (row.text()?, row.text()?, row.int()?);
            let Some(stored) = locate::shape_of(&mut row)? else { continue };
            let Ok(path) = FieldPath::parse(&pointer) else { continue };
            let path = if path.below_top().is_empty() { FieldPath::top_level(path.top()) } else { path };
            let found = FoundRecord { connector: None, label: None, ..found(listed)? };
            let field = self.stored_field(found, &path, stored).await?;
            units.push(Unit { field, start: Chars(start.unsigned_abs()) });
        }
        Ok(units)
    }

    /// Takes a part of a field with its words out of what is known of the record, or reads it; none if the field was
    /// rewritten a moment ago.
    pub(super) async fn part(&self, field: &Field, known: &[FieldView], span: Span) -> Result<Option<Part>> {
        let is_it = |view: &&FieldView| {
            field.path.below_top().is_empty()
                && view.name == field.path.top()
                && view.shape.digest == field.shape.digest
        };
        let whole = known.iter().find(is_it).filter(|view| view.is_whole());
        let text = match whole.and_then(|view| view.head.as_deref()) {
            Some(whole) => slice(whole, span).to_owned(),
            None => match self.read_under(field.place.grant(), field, span).await {
                Err(SourceError::Changed) => return Ok(None),
                text => text?,
            },
        };
        let start = span.start();
        let total = field.shape.chars.unwrap_or_default();
        let words = whole_words(&text, start > Chars::ZERO, start + Chars::of(&text) < total);
        Ok(Some(Part { text, start, words }))
    }
}

/// A chunk, or a phrase, and a little of what is around it.
pub(super) fn near(start: Chars) -> Span {
    let before = start.saturating_sub(MARGIN);
    Span::at(before, start + CHUNK_MAX + MARGIN - before)
}

/// A chunk with all that a phrase which touches it can reach.
fn around(start: Chars) -> Span {
    let before = start.saturating_sub(PHRASE_MAX).saturating_sub(MARGIN);
    let after = start + CHUNK_MAX + PHRASE_MAX + MARGIN;
    Span::at(before, after - before)
}
