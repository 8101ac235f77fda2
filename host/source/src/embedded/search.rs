//! Finds records by their words.
//!
//! The grant is part of the look-up: a word in a field that was not granted finds nothing and excludes nothing, and hits
//! are ordered by time, so nothing outside the grant can change what is found or where it stands in the list.

use crate::embedded::Embedded;
use crate::embedded::catalogue::Granted;
use crate::embedded::excerpt::{Excerpt, excerpt};
use crate::embedded::page::{self, Place};
use crate::embedded::phrase::{Effort, Unit, near};
use crate::embedded::records::Listed;
use crate::embedded::row::Param;
use crate::embedded::shown::Shown;
use crate::embedded::statement::Statement;
use crate::error::Result;
use crate::filter::Condition;
use crate::query::{FieldMatch, Recall, SearchHit, SearchPage, SearchQuery};
use crate::shape::FieldView;
use crate::terms::{Stem, TERMS_MAX, Terms};
use crate::token::Caller;
use stepwell_contract::budget::EXCERPTS_PER_HIT;
use stepwell_contract::{Code, Refusal};

/// How many records that have a phrase's words are looked at together.
const BATCH: usize = 64;

/// How many code points of text one call looks at to settle phrases. A page that is not full by then is handed out with
/// the cursor that goes on.
const TEXT_MAX: u64 = 16 * 1024 * 1024;

/// How many chunks of a record are looked at for the best place to show.
const PLACES: i64 = 16;

impl Embedded {
    /// Finds a page of records, the newest first.
    pub(super) async fn find_records(&self, caller: &Caller, query: &SearchQuery) -> Result<SearchPage> {
        let scopes = self.scopes_of(caller, &query.streams, query.connection.as_ref()).await?;
        let terms = Terms::parse(&query.q);
        if terms.wanted.is_empty() {
            let message = match terms.excluded.is_empty() {
                true => "q has no letter or digit to look for",
                false => "q says only what a record must not have; add a word that it must have",
            };
            return Err(Refusal::new(Code::InvalidArguments, message).param("q").into());
        }
        let mut parts =
            vec!["search", query.q.as_str(), query.connection.as_ref().map_or("", |id| id.as_str())];
        parts.extend(query.streams.iter().map(|stream| stream.as_str()));
        let told = format!("{:?}", query.conditions);
        parts.push(&told);
        self.require_conditions(&scopes, &query.conditions).await?;
        let asked = page::asked(&parts);
        let after = query.cursor.as_deref().map(|cursor| page::open(cursor, &asked)).transpose()?;
        let search = Searching { scopes: &scopes, terms: &terms, conditions: &query.conditions };
        let (listed, next) = match terms.need_the_text() {
            true => self.settled_stretch(&search, after, query.limit).await?,
            false => self.worded_stretch(&search, after.as_ref(), query.limit).await?,
        };
        let truncated = next.is_some();
        let complete = !truncated || listed.len() == query.limit;
        let recall = Recall { complete, truncated, streams: scopes.len() };
        let next_cursor = next.map(|place| page::bookmark(&asked, &place));
        let records = self.view_all(&listed, &Shown::ALL).await?;
        let mut hits = Vec::with_capacity(listed.len());
        for (one, record) in listed.iter().zip(records) {
            let matches = self.matches(one, &record.fields, &terms).await?;
            hits.push(SearchHit { record, matches });
        }
        Ok(SearchPage { hits, next_cursor, ignored_words: terms.ignored, recall })
    }

    /// A stretch of the records that have the words.
    async fn worded_stretch<'a>(
        &self,
        search: &Searching<'a>,
        after: Option<&Place>,
        limit: usize,
    ) -> Result<(Vec<Listed<'a>>, Option<Place>)> {
        let any = |stems: &[Stem]| Param::from(self.engine.any_word(stems));
        let mut words: Vec<Param> =
            search.terms.lookups().iter().map(|stem| any(std::slice::from_ref(stem))).collect();
        words.resize(TERMS_MAX, Param::Text(None));
        let excluded = search.terms.excluded_words();
        words.push(if excluded.is_empty() { Param::Text(None) } else { any(&excluded) });
        let Searching { scopes, conditions, .. } = search;
        self.filtered_stretch(scopes, Statement::Search, after, limit, &words, conditions).await
    }

    /// The same, of those whose text has the phrases too.
    async fn settled_stretch<'a>(
        &self,
        search: &Searching<'a>,
        mut after: Option<Place>,
        limit: usize,
    ) -> Result<(Vec<Listed<'a>>, Option<Place>)> {
        let (mut kept, mut effort) = (Vec::new(), Effort(TEXT_MAX));
        loop {
            let (listed, next) = self.worded_stretch(search, after.as_ref(), BATCH).await?;
            let fields = self.fields_of_all(&listed).await?;
            for one in listed {
                if kept.len() == limit || !effort.is_left() {
                    return Ok((kept, after));
                }
                after = Some(one.place.clone());
                let known = fields.get(&one.record).map_or(&[][..], Vec::as_slice);
                if self.phrases_hold(&one, known, search.terms, &mut effort).await? {
                    kept.push(one);
                }
            }
            after = next;
            if after.is_none() {
                return Ok((kept, None));
            }
        }
    }

    /// Finds where in a record the terms stand: the places with the most different ones first.
    async fn matches(
        &self,
        listed: &Listed<'_>,
        known: &[FieldView],
        terms: &Terms,
    ) -> Result<Vec<FieldMatch>> {
        let mut units: Vec<Unit> = Vec::new();
        for term in terms.wanted.iter().filter(|term| term.is_phrase()) {
            units.extend(self.find_term(listed, known, term, &mut Effort(0)).await?);
        }
        let lookups = terms.lookups();
        // A stretch of text that has all the words is what a reader wants to see, wherever in a long field it stands.
        for words in [self.engine.all_words(&lookups), self.engine.any_word(&lookups)] {
            let having = self.units(listed, &words, ("", -1), PLACES).await?;
            if !having.is_empty() {
                units.extend(having);
                break;
            }
        }
        let mut found: Vec<(usize, FieldMatch)> = Vec::new();
        for Unit { field, start } in units {
            let Some(part) = self.part(&field, known, near(start)).await? else { continue };
            let place = excerpt(&part.text, part.start, start, &part.words, &terms.wanted);
            let Some(place) = place else { continue };
            let Excerpt { score, at, snippet, snippet_at } = place;
            let total = field.shape.chars.unwrap_or_default();
            let place = FieldMatch { path: field.path, at, snippet, snippet_at, total };
            if !found.iter().any(|(_, other)| other.path == place.path && other.at == place.at) {
                found.push((score, place));
            }
        }
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.truncate(EXCERPTS_PER_HIT);
        Ok(found.into_iter().map(|(_, place)| place).collect())
    }
}

/// What is looked for, and where.
struct Searching<'a> {
    scopes: &'a [Granted],
    terms: &'a Terms,
    conditions: &'a [Condition],
}
