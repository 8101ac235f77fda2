//! Cuts out of a text what shows best why it was found.

use crate::terms::Term;
use crate::words::Word;
use std::collections::HashSet;
use stepwell_contract::budget::SNIPPET;
use stepwell_contract::{Chars, Span, unit};

/// A stretch of a text, around a place where something that was asked for stands.
pub(super) struct Excerpt {
    /// How many different things that were asked for are near each other there.
    pub(super) score: usize,
    /// Where the first of them stands.
    pub(super) at: Span,
    pub(super) snippet: String,
    pub(super) snippet_at: Span,
}

/// Cuts out the stretch that shows the most different terms, among those that start at `from` or later. The text is a part
/// of a field and starts at `base`; its words come with it.
pub(super) fn excerpt(
    text: &str,
    base: Chars,
    from: Chars,
    words: &[Word],
    terms: &[Term],
) -> Option<Excerpt> {
    let mut places: Vec<(Span, usize)> = Vec::new();
    let first = from.saturating_sub(base);
    for (index, term) in terms.iter().enumerate() {
        places.extend(term.places(words).filter(|at| at.start() >= first).map(|at| (at, index)));
    }
    places.sort_by_key(|(at, index)| (at.start(), *index));
    // Half of the stretch may follow the first place; the other half is for what comes before it.
    let reach = Chars(SNIPPET.get() / 2);
    let mut best: Option<(usize, Span)> = None;
    for (from, (at, _)) in places.iter().enumerate() {
        let end = at.start().saturating_add(reach).max(at.end());
        let near = places[from..].iter().take_while(|(other, _)| other.start() < end);
        let near: HashSet<usize> =
            near.filter(|(other, _)| other.end() <= end).map(|(_, term)| *term).collect();
        // The first of the best, so that equal places give the one that a reader comes to first.
        if best.is_none_or(|(score, _)| near.len() > score) {
            best = Some((near.len(), *at));
        }
    }
    let (score, at) = best?;
    let start = at.start().saturating_sub(Chars(SNIPPET.get() / 3));
    let snippet = unit::slice(text, Span::at(start, SNIPPET)).to_owned();
    let snippet_at = Span::at(start, Chars::of(&snippet)).shifted(base);
    Some(Excerpt { score, at: at.shifted(base), snippet, snippet_at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::{Terms, whole_words};

    fn find(q: &str, text: &str) -> Option<Excerpt> {
        excerpt(text, Chars(1_000), Chars(1_000), &whole_words(text, false, false), &Terms::parse(q).wanted)
    }

    #[test]
    fn shows_the_stretch_with_the_most_terms() {
        let text = format!("roof {} the roof invoice from June", "x ".repeat(400));
        let found = find("invoice roof", &text).unwrap();
        assert_eq!(found.score, 2);
        assert!(found.snippet.contains("roof invoice"));
        let shifted = Span::at(found.snippet_at.start() - Chars(1_000), found.snippet_at.len());
        assert_eq!(unit::slice(&text, shifted), found.snippet);
        assert!(find("invoice roof", "nothing here").is_none());
    }

    #[test]
    fn a_phrase_or_a_beginning_is_shown_where_it_stands() {
        let text = "the key; a ferry, keys of the ferry";
        let at = |q: &str| {
            let found = find(q, text).unwrap();
            unit::slice(text, Span::at(found.at.start() - Chars(1_000), found.at.len())).to_owned()
        };
        assert_eq!(at("\"of the ferr*\""), "of the ferry");
        assert_eq!(at("keys*"), "keys");
        assert_eq!(at("ferry"), "ferry");
    }
}
