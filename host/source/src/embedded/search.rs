//! Finds records by their words.
//!
//! The grant is part of the look-up: a word in a field that was not granted finds nothing, and hits are ordered by time, so
//! nothing outside the grant can change what is found or where it stands in the list.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::locate::{self, FoundRecord};
use crate::embedded::page;
use crate::embedded::records::Listed;
use crate::embedded::row::Param;
use crate::embedded::statement::Statement;
use crate::error::{Result, SourceError};
use crate::prepare::CHUNK_MAX;
use crate::query::{FieldMatch, SearchHit, SearchPage, SearchQuery};
use crate::time;
use crate::token::Caller;
use crate::words::{self, Word};
use std::collections::HashSet;
use stepwell_contract::budget::{EXCERPTS_PER_HIT, SNIPPET};
use stepwell_contract::{Chars, Code, FieldPath, Refusal, Span, unit};

/// How many words are looked for. The longest are kept: they say most.
const WORDS_MAX: usize = 8;

impl Embedded {
    /// Finds a page of records, the newest first.
    pub(super) async fn find_records(&self, caller: &Caller, query: &SearchQuery) -> Result<SearchPage> {
        let scopes = self.scopes_of(caller, &query.streams, query.connection.as_ref()).await?;
        let (wanted, ignored) = wanted(&query.q);
        if wanted.is_empty() {
            let message = "q has no letter or digit to look for";
            return Err(Refusal::new(Code::InvalidArguments, message).param("q").into());
        }
        let mut parts =
            vec!["search", query.q.as_str(), query.connection.as_ref().map_or("", |id| id.as_str())];
        parts.extend(query.streams.iter().map(|stream| stream.as_str()));
        let told = format!("{:?}", query.conditions);
        parts.push(&told);
        self.require_conditions(caller, &scopes, &query.conditions).await?;
        let asked = page::asked(&parts);
        let after = query.cursor.as_deref().map(|cursor| page::open(cursor, &asked)).transpose()?;
        let mut terms: Vec<Param> =
            wanted.iter().map(|word| self.engine.any_word(std::slice::from_ref(word)).into()).collect();
        terms.resize(WORDS_MAX, Param::Text(None));
        let (search, conditions) = (Statement::Search, &query.conditions);
        let (listed, next) = self
            .filtered_stretch(caller, &scopes, search, after.as_ref(), query.limit, &terms, conditions)
            .await?;
        let next_cursor = next.map(|place| page::bookmark(&asked, &place));
        let mut hits = Vec::with_capacity(listed.len());
        for one in &listed {
            let record = self.view_listed(caller, one, None).await?;
            let matches = self.matches(caller, one, &record.identity, &wanted).await?;
            hits.push(SearchHit { record, matches });
        }
        Ok(SearchPage { hits, next_cursor, ignored_words: ignored })
    }

    /// Finds where in a record the words stand: the places with the most different words first.
    async fn matches(
        &self,
        caller: &Caller,
        listed: &Listed<'_>,
        identity: &crate::shape::RecordIdentity,
        wanted: &[String],
    ) -> Result<Vec<FieldMatch>> {
        let mut rows = Vec::new();
        // A stretch of text that has all the words is what a reader wants to see, wherever in a long field it stands.
        for words in [self.engine.all_words(wanted), self.engine.any_word(wanted)] {
            let params = bind![caller.grant(), time::now(), listed.granted.scope, listed.record, words];
            rows = self.read(Statement::MatchUnits, params).await?;
            if !rows.is_empty() {
                break;
            }
        }
        let mut found: Vec<(usize, FieldMatch)> = Vec::new();
        for mut row in rows {
            let (pointer, _top, start) = (row.text()?, row.text()?, row.int()?);
            let Some(stored) = locate::shape_of(&mut row)? else { continue };
            let Ok(path) = FieldPath::parse(&pointer) else { continue };
            let path = if path.below_top().is_empty() { FieldPath::top_level(path.top()) } else { path };
            let record = FoundRecord {
                identity: identity.clone(),
                connector: None,
                label: None,
                scope: listed.granted.scope,
                record: listed.record,
                time: listed.place.time,
                emitted_at: listed.emitted_at,
            };
            let field = self.stored_field(caller, record, &path, stored).await?;
            let chunk = Span::at(Chars(start.unsigned_abs()), CHUNK_MAX);
            let text = match self.read_span(caller, &field, chunk).await {
                // The record was rewritten a moment ago; it is still a hit, only without this place.
                Err(SourceError::Changed) => continue,
                text => text?,
            };
            let total = field.shape.chars.unwrap_or_default();
            if let Some((score, excerpt)) = excerpt(&text, chunk.start(), wanted) {
                let Excerpt { at, snippet, snippet_at } = excerpt;
                found.push((score, FieldMatch { path, at, snippet, snippet_at, total }));
            }
        }
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.truncate(EXCERPTS_PER_HIT);
        Ok(found.into_iter().map(|(_, place)| place).collect())
    }
}

/// The words to look for, the longest first, and those that are left out. A folded word holds letters and digits only, so
/// there is nothing in it that an engine's query language could mistake for its own.
fn wanted(q: &str) -> (Vec<String>, Vec<String>) {
    let mut seen = HashSet::new();
    let mut list: Vec<String> =
        words::words(q).map(|word| word.text).filter(|word| seen.insert(word.clone())).collect();
    list.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    let ignored = list.split_off(list.len().min(WORDS_MAX));
    (list, ignored)
}

struct Excerpt {
    at: Span,
    snippet: String,
    snippet_at: Span,
}

/// Cuts out the stretch of a chunk that shows the most different words, and says how many.
fn excerpt(text: &str, chunk_start: Chars, wanted: &[String]) -> Option<(usize, Excerpt)> {
    let places: Vec<Word> = words::words(text).filter(|word| wanted.contains(&word.text)).collect();
    // Half of the stretch may follow the first word's place; the other half is for what comes before it.
    let reach = Chars(SNIPPET.get() / 2);
    let score = |from: &Word| {
        let near = places.iter().filter(|other| {
            other.at.start() >= from.at.start() && other.at.end() <= from.at.start().saturating_add(reach)
        });
        near.map(|other| other.text.as_str()).collect::<HashSet<_>>().len()
    };
    // The first of the best, so that equal places give the one that a reader comes to first.
    let (best, count) =
        places.iter().map(|word| (word, score(word))).rev().max_by_key(|(_, count)| *count)?;
    let start = best.at.start().saturating_sub(Chars(SNIPPET.get() / 3));
    let cut = unit::slice(text, Span::at(start, SNIPPET));
    let snippet_at = Span::at(start, Chars::of(cut)).shifted(chunk_start);
    Some((count, Excerpt { at: best.at.shifted(chunk_start), snippet: cut.to_owned(), snippet_at }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_longest_words_and_says_what_it_left_out() {
        let (wanted, ignored) = wanted("a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii A");
        assert_eq!(wanted.len(), WORDS_MAX);
        assert_eq!(wanted[0], "iiiiiiiii");
        assert_eq!(ignored, ["a"]);
    }

    #[test]
    fn shows_the_stretch_with_the_most_words() {
        let text = format!("roof {} the roof invoice from June", "x ".repeat(400));
        let wanted = ["invoice".to_owned(), "roof".to_owned()];
        let (score, found) = excerpt(&text, Chars(1_000), &wanted).unwrap();
        assert_eq!(score, 2);
        assert!(found.snippet.contains("roof invoice"));
        let shifted = Span::at(found.snippet_at.start() - Chars(1_000), found.snippet_at.len());
        assert_eq!(unit::slice(&text, shifted), found.snippet);
        assert!(excerpt("nothing here", Chars::ZERO, &wanted).is_none());
    }
}
