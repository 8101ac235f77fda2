//! The texts that search looks into, of many records by one statement, where they are not too long.
//!
//! Most records have nothing else. What the index of words would say about such a text is in the text itself, so nothing has
//! to be looked up for each record; only a longer text is left to the index.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::filter::{AT_ONCE, padded};
use crate::embedded::phrase::{Part, near};
use crate::embedded::records::{Listed, by_scope};
use crate::embedded::statement::Statement;
use crate::error::Result;
use crate::prepare::nul;
use crate::terms::{Stem, Term, whole_words};
use crate::time;
use crate::words::{self, words_of_chunk};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use stepwell_contract::unit::slice;
use stepwell_contract::{Chars, FieldPath};

/// What search looks into of a record.
#[derive(Debug, Default)]
pub(super) struct Searched {
    texts: Vec<SearchedText>,
}

/// One of the texts.
#[derive(Debug)]
struct SearchedText {
    path: FieldPath,
    /// The text in the order of its places: one piece if it stands in its row, or its chunks.
    pieces: BTreeMap<i64, String>,
    /// Whether it is kept in chunks.
    in_chunks: bool,
}

impl SearchedText {
    fn text(&self) -> Cow<'_, str> {
        match self.pieces.len() {
            1 => self.pieces.values().next().map_or(Cow::Borrowed(""), |only| Cow::Borrowed(only)),
            _ => Cow::Owned(self.pieces.values().map(String::as_str).collect()),
        }
    }

    fn has(&self, phrase: &Term) -> bool {
        // In a longer text the words may reach too far.
        phrase.stands_in(&self.text()) && (!self.in_chunks || self.place_of(phrase).is_some())
    }

    /// Where a phrase starts.
    fn place_of(&self, phrase: &Term) -> Option<Chars> {
        let text = self.text();
        if !phrase.stands_in(&text) {
            return None;
        }
        phrase.places(&whole_words(&text, false, false)).next().map(|at| at.start())
    }

    /// The chunks as the index has them: where each starts, and which of some words begin in it, as bits.
    fn units(&self, words: &[Stem]) -> Vec<(&Self, Chars, u64)> {
        let pieces: Vec<(i64, &str)> =
            self.pieces.iter().map(|(start, text)| (*start, text.as_str())).collect();
        let chunk =
            |index: Option<usize>| index.and_then(|index| pieces.get(index)).map_or("", |(_, text)| *text);
        let unit = |index: usize| {
            let (start, text) = *pieces.get(index)?;
            let own = words_of_chunk(chunk(index.checked_sub(1)), text, chunk(Some(index + 1)));
            let mut has = 0;
            for word in words::pieces(&own) {
                for (bit, stem) in words.iter().enumerate() {
                    let meets = if stem.open { word.starts_with(&stem.text) } else { word.is(&stem.text) };
                    has |= u64::from(meets) << bit;
                }
            }
            Some((self, Chars(start.unsigned_abs()), has))
        };
        (0..pieces.len()).filter_map(unit).collect()
    }

    /// The part of the text around a place.
    fn sight(&self, start: Chars) -> Sight {
        let (text, span) = (self.text(), near(start));
        let (part, total) = (slice(&text, span).to_owned(), Chars::of(&text));
        let words = whole_words(&part, span.start() > Chars::ZERO, span.start() + Chars::of(&part) < total);
        let part = Part { text: part, start: span.start(), words };
        Sight { path: self.path.clone(), start, total, part }
    }
}

/// A part of a text with its words, and where to begin to look at it.
pub(super) struct Sight {
    pub(super) path: FieldPath,
    pub(super) start: Chars,
    /// How long the whole text is.
    pub(super) total: Chars,
    pub(super) part: Part,
}

impl Searched {
    /// How many code points there are to look at.
    pub(super) fn chars(&self) -> u64 {
        self.texts.iter().flat_map(|one| one.pieces.values()).map(|piece| Chars::of(piece).get()).sum()
    }

    /// Whether it has the wanted phrases, and none of the excluded ones.
    pub(super) fn phrases_hold(&self, wanted: &[Term], excluded: &[Term]) -> bool {
        let stands = |term: &Term| self.texts.iter().any(|one| one.has(term));
        let mut phrases = wanted.iter().filter(|term| term.is_phrase());
        let mut unwanted = excluded.iter().filter(|term| term.is_phrase());
        phrases.all(stands) && !unwanted.any(stands)
    }

    /// The places to show something of: where a phrase stands, and so many of the chunks that have all the words, or else any
    /// of them.
    pub(super) fn sights(&self, wanted: &[Term], lookups: &[Stem], most: usize) -> Vec<Sight> {
        let mut sights = Vec::new();
        for phrase in wanted.iter().filter(|term| term.is_phrase()) {
            let found = self.texts.iter().find_map(|one| Some(one.sight(one.place_of(phrase)?)));
            sights.extend(found);
        }
        let all = (1_u64 << lookups.len()) - 1;
        let units: Vec<(&SearchedText, Chars, u64)> =
            self.texts.iter().flat_map(|one| one.units(lookups)).collect();
        let in_one = units.iter().any(|(.., has)| *has == all);
        let shown = |has: u64| if in_one { has == all } else { has != 0 };
        let having = units.into_iter().filter(|(.., has)| shown(*has)).take(most);
        sights.extend(having.map(|(one, start, _)| one.sight(start)));
        sights
    }
}

impl Embedded {
    /// What search looks into of each listed record, by the records' own numbers. One with a longer text is left out.
    pub(super) async fn searched(&self, listed: &[Listed<'_>]) -> Result<HashMap<i64, Searched>> {
        let mut found: HashMap<i64, BTreeMap<i64, SearchedText>> = HashMap::new();
        for (scope, (grant, records)) in by_scope(listed) {
            for some in records.chunks(AT_ONCE) {
                let mut params = bind![grant, time::now(), scope];
                params.extend(padded(some));
                for mut row in self.read(Statement::SearchedTexts, params).await? {
                    let (record, field, pointer) = (row.int()?, row.int()?, row.text()?);
                    let (inline, nul_as) = (row.text_or_null()?, row.int_or_null()?);
                    let (start, chunk) = (row.int_or_null()?, row.text_or_null()?);
                    let nul_as = nul_as.and_then(|code| char::from_u32(u32::try_from(code).ok()?));
                    let in_chunks = inline.is_none();
                    let Ok(path) = FieldPath::parse(&pointer) else { continue };
                    let path =
                        if path.below_top().is_empty() { FieldPath::top_level(path.top()) } else { path };
                    let texts = found.entry(record).or_default();
                    let text = texts.entry(field).or_insert_with(|| SearchedText {
                        path,
                        pieces: BTreeMap::new(),
                        in_chunks,
                    });
                    let piece = inline.or(chunk).map(|piece| nul::restore(piece, nul_as));
                    text.pieces.extend(piece.map(|piece| (start.unwrap_or_default(), piece)));
                }
            }
        }
        found.retain(|_, texts| texts.values().all(|text| !text.pieces.is_empty()));
        let in_order = |texts: BTreeMap<i64, SearchedText>| {
            let mut texts: Vec<SearchedText> = texts.into_values().collect();
            // In the order in which the index names them.
            texts.sort_by_cached_key(|text| text.path.pointer());
            Searched { texts }
        };
        Ok(found.into_iter().map(|(record, texts)| (record, in_order(texts))).collect())
    }
}
