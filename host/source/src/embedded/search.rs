//! Finds records by their words.
//!
//! The grant is part of the look-up: a word in a field that was not granted finds nothing and excludes nothing, and hits
//! are ordered by time, so nothing outside the grant can change what is found or where it stands in the list.

use crate::embedded::Embedded;
use crate::embedded::catalogue::Granted;
use crate::embedded::excerpt::{Excerpt, excerpt};
use crate::embedded::filter::AT_ONCE;
use crate::embedded::page::{self, Place};
use crate::embedded::phrase::{Effort, Unit, near};
use crate::embedded::records::{Listed, Walk};
use crate::embedded::row::Param;
use crate::embedded::searched::{Searched, Sight};
use crate::embedded::shown::Shown;
use crate::embedded::statement::Statement;
use crate::error::Result;
use crate::filter::Condition;
use crate::query::{FieldMatch, Ranking, Recall, SearchHit, SearchPage, SearchQuery};
use crate::shape::FieldView;
use crate::terms::{Stem, TERMS_MAX, Term, Terms};
use crate::token::Caller;
use stepwell_contract::budget::EXCERPTS_PER_HIT;
use stepwell_contract::{Code, Refusal};

/// How many records that have a phrase's words are taken first, and how many at most when a page does not fill up.
const BATCH: usize = 64;
const BATCH_MAX: usize = 4_096;

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
        let searched = self.searched(&listed).await?;
        let mut hits = Vec::with_capacity(listed.len());
        for (one, record) in listed.iter().zip(records) {
            let matches = match searched.get(&one.record) {
                Some(searched) => matches_in(searched, &terms),
                None => self.matches(one, &record.fields, &terms).await?,
            };
            hits.push(SearchHit { record, matches, excerpts: Vec::new() });
        }
        Ok(SearchPage { hits, ranking: Ranking::Newest, next_cursor, ignored_words: terms.ignored, recall })
    }

    /// A stretch of the records that have the words.
    async fn worded_stretch<'a>(
        &self,
        search: &Searching<'a>,
        after: Option<&Place>,
        limit: usize,
    ) -> Result<(Vec<Listed<'a>>, Option<Place>)> {
        let Searching { scopes, terms, conditions } = search;
        let excluded = match &terms.excluded_words()[..] {
            [] => Param::Text(None),
            words => self.engine.any_word(words).into(),
        };
        let with = |statement, mut words: Vec<Param>| {
            words.resize(TERMS_MAX, Param::Text(None));
            words.push(excluded.clone());
            (statement, words)
        };
        // The words of a phrase stand in one chunk, or else in several of a text that has them.
        let mut together: Vec<Vec<Stem>> = terms.wanted.iter().map(|term| few(term.stems())).collect();
        rarest_first(&mut together);
        let together = together.iter().map(|stems| self.engine.all_words(stems).into());
        let mut searches = vec![with(Statement::Search, together.collect())];
        if terms.wanted.iter().any(Term::is_phrase) {
            let mut each: Vec<Vec<Stem>> = terms.lookups().into_iter().map(|stem| vec![stem]).collect();
            rarest_first(&mut each);
            let each = each.iter().map(|stem| self.engine.any_word(stem).into());
            searches.push(with(Statement::SearchLong, each.collect()));
        }
        self.filtered_stretch(scopes, &Walk::found_by(searches), after, limit, conditions).await
    }

    /// The same, of those whose text has the phrases too.
    async fn settled_stretch<'a>(
        &self,
        search: &Searching<'a>,
        mut after: Option<Place>,
        limit: usize,
    ) -> Result<(Vec<Listed<'a>>, Option<Place>)> {
        let (mut kept, mut effort, mut batch) = (Vec::new(), Effort(TEXT_MAX), BATCH);
        loop {
            let (listed, next) = self.worded_stretch(search, after.as_ref(), batch).await?;
            // Every stretch looks up all the words again, so a search that goes on takes longer ones.
            batch = (4 * batch).min(BATCH_MAX);
            let mut listed = listed.into_iter().peekable();
            while listed.peek().is_some() {
                let some: Vec<Listed<'_>> = listed.by_ref().take(AT_ONCE).collect();
                let searched = self.searched(&some).await?;
                let others = some.iter().filter(|one| !searched.contains_key(&one.record));
                let fields = self.fields_of_all(others).await?;
                for one in some {
                    if kept.len() == limit || !effort.is_left() {
                        return Ok((kept, after));
                    }
                    after = Some(one.place.clone());
                    let holds = match searched.get(&one.record) {
                        Some(searched) => {
                            effort.spend(searched.chars());
                            searched.phrases_hold(&search.terms.wanted, &search.terms.excluded)
                        }
                        None => {
                            let known = fields.get(&one.record).map_or(&[][..], Vec::as_slice);
                            self.phrases_hold(&one, known, search.terms, &mut effort).await?
                        }
                    };
                    if holds {
                        kept.push(one);
                    }
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
        let mut best = Best::default();
        for Unit { field, start } in units {
            let Some(part) = self.part(&field, known, near(start)).await? else { continue };
            let total = field.shape.chars.unwrap_or_default();
            best.add(Sight { path: field.path, start, total, part }, terms);
        }
        Ok(best.shown())
    }
}

/// As many words as are looked up together.
pub(super) fn few(mut stems: Vec<Stem>) -> Vec<Stem> {
    stems.truncate(TERMS_MAX);
    stems
}

/// Puts what few records are likely to have first, since a search begins with it: many words, and long ones.
fn rarest_first(looked_up: &mut [Vec<Stem>]) {
    let chars = |stems: &Vec<Stem>| stems.iter().map(|stem| stem.text.chars().count()).sum::<usize>();
    looked_up.sort_by_key(|stems| std::cmp::Reverse(chars(stems)));
}

/// The same of a record whose texts are at hand.
fn matches_in(searched: &Searched, terms: &Terms) -> Vec<FieldMatch> {
    let mut best = Best::default();
    for sight in searched.sights(&terms.wanted, &terms.lookups(), PLACES as usize) {
        best.add(sight, terms);
    }
    best.shown()
}

/// The places that show why a record was found, each with how many different terms are near it.
#[derive(Default)]
struct Best(Vec<(usize, FieldMatch)>);

impl Best {
    fn add(&mut self, sight: Sight, terms: &Terms) {
        let Sight { path, start, total, part } = sight;
        let place = excerpt(&part.text, part.start, start, &part.words, &terms.wanted);
        let Some(Excerpt { score, at, snippet, snippet_at }) = place else { return };
        if !self.0.iter().any(|(_, other)| other.path == path && other.at == at) {
            self.0.push((score, FieldMatch { path, at, snippet, snippet_at, total }));
        }
    }

    /// The best of them, those with the most terms first.
    fn shown(mut self) -> Vec<FieldMatch> {
        self.0.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.0.truncate(EXCERPTS_PER_HIT);
        self.0.into_iter().map(|(_, place)| place).collect()
    }
}

/// What is looked for, and where.
struct Searching<'a> {
    scopes: &'a [Granted],
    terms: &'a Terms,
    conditions: &'a [Condition],
}
