//! What a search asks for, read from `q`.
//!
//! A record must have every word; `"a phrase"` means words that follow each other, `begin*` any word that begins so, and
//! `-not` what a record must not have. Words that are written together, such as `e-mail` or `東京`, are a phrase too. All
//! else is literal: there is no `q` that cannot be read, and nothing of it reaches an engine but letters and digits.

use crate::words::{Piece, Word, pieces, words};
use stepwell_contract::{Chars, Span};
use unicode_normalization::char::is_combining_mark;

/// How many things a record can be asked to have. The longest are kept: they say most.
pub const TERMS_MAX: usize = 8;

/// How far a phrase may reach from its first character to its last, so that a look at the text around a word settles it.
pub const PHRASE_MAX: Chars = Chars(4_096);

/// What a search asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// What a record must have, the longest first.
    pub wanted: Vec<Term>,
    /// What it must not have.
    pub excluded: Vec<Term>,
    /// What is not looked for because there is too much.
    pub ignored: Vec<String>,
}

/// A word, or several that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    words: Vec<String>,
    /// Whether the last word need only begin so.
    open: bool,
}

/// A word to look up, or the beginning of one. It holds letters and digits only, so there is nothing in it that an
/// engine's query language could mistake for its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stem {
    /// The folded word.
    pub text: String,
    /// Whether it is only the beginning of one.
    pub open: bool,
}

impl Terms {
    /// Reads `q`.
    #[must_use]
    pub fn parse(q: &str) -> Self {
        let mut terms = Self::default();
        let (mut rest, mut after_space) = (q, true);
        while let Some(c) = rest.chars().next() {
            if c.is_whitespace() {
                (rest, after_space) = (&rest[c.len_utf8()..], true);
                continue;
            }
            let (excluded, body) = match rest.strip_prefix('-') {
                Some(body) if after_space && begins_a_term(body) => (true, body),
                _ => (false, rest),
            };
            let (term, further) = next(body);
            let list = if excluded { &mut terms.excluded } else { &mut terms.wanted };
            if let Some(term) = term.filter(|term| !list.contains(term)) {
                list.push(term);
            }
            (rest, after_space) = (further, false);
        }
        terms.wanted.sort_by_key(|term| std::cmp::Reverse(term.chars()));
        let surplus = terms.wanted.split_off(terms.wanted.len().min(TERMS_MAX));
        terms.ignored = surplus.iter().map(Term::spelled).collect();
        terms
    }

    /// The words that narrow a search down in the index, at most [`TERMS_MAX`]: one of each term, and then further words
    /// of phrases, the longest first.
    #[must_use]
    pub fn lookups(&self) -> Vec<Stem> {
        let mut stems: Vec<Vec<Stem>> = self.wanted.iter().map(Term::stems).collect();
        let mut lookups: Vec<Stem> = Vec::new();
        let mut further: Vec<Stem> = Vec::new();
        for list in &mut stems {
            further.extend(list.drain(1..));
            lookups.append(list);
        }
        further.sort_by_key(|stem| std::cmp::Reverse(stem.text.chars().count()));
        lookups.extend(further);
        let mut each = Vec::new();
        for stem in lookups {
            if each.len() < TERMS_MAX && !each.contains(&stem) {
                each.push(stem);
            }
        }
        each
    }

    /// The excluded words that the index alone decides about.
    #[must_use]
    pub fn excluded_words(&self) -> Vec<Stem> {
        self.excluded.iter().filter(|term| !term.is_phrase()).flat_map(Term::stems).collect()
    }

    /// Whether something is asked for that only the text itself can settle.
    #[must_use]
    pub fn need_the_text(&self) -> bool {
        self.wanted.iter().chain(&self.excluded).any(Term::is_phrase)
    }
}

impl Stem {
    /// Whether a folded word is one that it looks for.
    #[must_use]
    pub fn meets(&self, word: &str) -> bool {
        if self.open { word.starts_with(&self.text) } else { word == self.text }
    }
}

impl Term {
    /// Whether it has several words.
    #[must_use]
    pub fn is_phrase(&self) -> bool {
        self.words.len() > 1
    }

    /// Its different words, the longest first.
    #[must_use]
    pub fn stems(&self) -> Vec<Stem> {
        let mut stems: Vec<Stem> = Vec::new();
        for (index, text) in self.words.iter().enumerate() {
            let stem = Stem { text: text.clone(), open: self.open && index + 1 == self.words.len() };
            if !stems.contains(&stem) {
                stems.push(stem);
            }
        }
        stems.sort_by_key(|stem| (std::cmp::Reverse(stem.text.chars().count()), stem.open));
        stems
    }

    /// Where it stands among the words of a text.
    pub fn places<'a>(&'a self, text: &'a [Word]) -> impl Iterator<Item = Span> + 'a {
        text.windows(self.words.len()).filter_map(|run| {
            let (first, last) = (run.first()?, run.last()?);
            let at = Span::new(first.at.start(), last.at.end())?;
            let before = run.len() - 1;
            let same = run[..before].iter().zip(&self.words).all(|(word, wanted)| word.text == *wanted);
            let ends = match self.open {
                true => last.text.starts_with(&self.words[before]),
                false => last.text == self.words[before],
            };
            (same && ends && (before == 0 || at.len() <= PHRASE_MAX)).then_some(at)
        })
    }

    /// Whether it stands in a whole text that is no longer than a phrase can reach: as [`Self::places`], but without making a
    /// list of the text's words.
    #[must_use]
    pub fn stands_in(&self, text: &str) -> bool {
        let Some(last) = self.words.len().checked_sub(1) else { return false };
        // Bit n is set if the first n words have just been seen one after the other.
        let Some(complete) = 1_u64.checked_shl(self.words.len() as u32) else {
            return self.places(&whole_words(text, false, false)).next().is_some();
        };
        let mut seen: u64 = 1;
        let mut step = |word: Piece<'_>| {
            let mut next = 1;
            let mut left = seen;
            while left != 0 {
                let index = left.trailing_zeros() as usize;
                left &= left - 1;
                let wanted = &self.words[index];
                let meets =
                    if self.open && index == last { word.starts_with(wanted) } else { word.is(wanted) };
                if meets {
                    next |= 1 << (index + 1);
                }
            }
            seen = next;
            seen & complete != 0
        };
        pieces(text).any(&mut step)
    }

    fn chars(&self) -> usize {
        self.words.iter().map(|word| word.chars().count()).sum()
    }

    fn spelled(&self) -> String {
        format!("{}{}", self.words.join(" "), if self.open { "*" } else { "" })
    }
}

/// Takes the words of a part of a text that are whole in it: the part may begin and end inside a word.
#[must_use]
pub fn whole_words(part: &str, goes_on_before: bool, goes_on_after: bool) -> Vec<Word> {
    let mut list: Vec<Word> = words(part).collect();
    let length = Chars::of(part);
    if goes_on_after && list.last().is_some_and(|last| last.at.end() == length) {
        list.pop();
    }
    // Marks at the start belong to the letter before them, which is not here.
    let marks = part.chars().take_while(|c| is_combining_mark(*c)).count() as u64;
    if goes_on_before && list.first().is_some_and(|first| first.at.start() <= Chars(marks)) {
        list.remove(0);
    }
    list
}

/// Whether a `-` before this is meant as "not": a lone dash, or one before another, is only a dash.
fn begins_a_term(text: &str) -> bool {
    match text.strip_prefix('"') {
        Some(inside) => inside.contains('"'),
        None => text.chars().next().is_some_and(|c| words(c.encode_utf8(&mut [0; 4])).next().is_some()),
    }
}

/// Takes the next term off a text that does not begin with white space: a phrase in quotes, or what is written together.
fn next(text: &str) -> (Option<Term>, &str) {
    if let Some(inside) = text.strip_prefix('"') {
        let Some((phrase, after)) = inside.split_once('"') else { return (None, inside) };
        return match (after.strip_prefix('*'), phrase.strip_suffix('*')) {
            (Some(after), _) => (term(phrase, Some(phrase)), after),
            (None, before_star) => (term(phrase, before_star), after),
        };
    }
    let end = text.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(text.len());
    let (token, after) = text.split_at(end);
    (term(token, token.strip_suffix('*')), after)
}

/// Makes a term of some text; a star counts only if a word stands right before it.
fn term(text: &str, before_star: Option<&str>) -> Option<Term> {
    let list: Vec<Word> = words(text).collect();
    let end = list.last().map(|last| last.at.end());
    let open = before_star.is_some_and(|before| end == Some(Chars::of(before)));
    (!list.is_empty()).then(|| Term { words: list.into_iter().map(|word| word.text).collect(), open })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Prints terms as they are understood: `a`, `a b`, `a*`, `-a`.
    fn read(q: &str) -> Vec<String> {
        let terms = Terms::parse(q);
        let not = terms.excluded.iter().map(|term| format!("-{}", term.spelled()));
        terms.wanted.iter().map(Term::spelled).chain(not).collect()
    }

    proptest! {
        #[test]
        fn a_phrase_stands_in_a_text_where_it_has_a_place(
            words in proptest::collection::vec(prop_oneof!["[ab]", "[AB\u{e4}]{1,2}", "[a\u{301}\u{6771}]{1,2}"], 0..12),
            between in "[ .,\u{2014}]",
            phrase in proptest::collection::vec("[ab]{1,2}", 1..4),
            open in any::<bool>(),
        ) {
            let (text, term) = (words.join(&between), Term { words: phrase, open });
            let placed = term.places(&whole_words(&text, false, false)).next().is_some();
            prop_assert_eq!(term.stands_in(&text), placed, "{} in {}", term.spelled(), text);
        }
    }

    #[test]
    fn reads_words_phrases_beginnings_and_exclusions() {
        assert_eq!(read("key of Ferry"), ["ferry", "key", "of"]);
        assert_eq!(read(r#""Key of the" ferry"#), ["key of the", "ferry"]);
        assert_eq!(read("fer* -ship -\"old boat\" -lo*"), ["fer*", "-ship", "-old boat", "-lo*"]);
        assert_eq!(read("e-mail 東京 a@b.example"), ["a b example", "e mail", "東 京"]);
        assert_eq!(read(r#""the fer*" "a b"* x-y*"#), ["the fer*", "a b*", "x y*"]);
        assert_eq!(read("x X x"), ["x"]);
    }

    #[test]
    fn anything_else_is_literal() {
        assert_eq!(read("- -- --flag a - b"), ["flag", "a", "b"]);
        assert_eq!(read(r#"5" a b"#), ["5", "a", "b"], "a quote that is never closed");
        assert_eq!(read("* ** a** *b -* \"\" -\"\""), ["a", "b"]);
        assert_eq!(read("NEAR(a b) body:x OR (y)"), ["near a", "body x", "or", "b", "y"]);
        assert_eq!(read("a\0b ' \\ | & ! :* ^"), ["a b"]);
        assert_eq!(read("-\u{301}x"), ["x"]);
    }

    #[test]
    fn keeps_the_longest_terms_and_says_what_it_left_out() {
        let terms = Terms::parse("a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii A");
        assert_eq!((terms.wanted.len(), terms.wanted[0].spelled().as_str()), (TERMS_MAX, "iiiiiiiii"));
        assert_eq!(terms.ignored, ["a"]);
        let lookups = Terms::parse("\"x the heron\" key*").lookups();
        let texts: Vec<_> = lookups.iter().map(|stem| (stem.text.as_str(), stem.open)).collect();
        assert_eq!(texts, [("heron", false), ("key", true), ("the", false), ("x", false)]);
    }

    #[test]
    fn a_phrase_is_found_where_its_words_follow_each_other() {
        let places = |q: &str, text: &str| -> Vec<u64> {
            let list: Vec<Word> = words(text).collect();
            Terms::parse(q).wanted[0].places(&list).map(|at| at.start().get()).collect()
        };
        assert_eq!(places("\"the key\"", "The, (key) thekey the x key the KEY"), [0, 28]);
        assert_eq!(places("\"the ke*\"", "the keys the k"), [0]);
        assert_eq!(places("東京", "京東京 東 京"), [1, 4]);
        assert_eq!(places("\"a b\"", &format!("a{}b", " ".repeat(4_094))), [0]);
        assert!(places("\"a b\"", &format!("a{}b", " ".repeat(4_095))).is_empty());
    }

    #[test]
    fn a_word_that_is_cut_is_not_a_word() {
        let list = |before, after| -> Vec<String> {
            whole_words("e\u{301}b cd ef", before, after).into_iter().map(|word| word.text).collect()
        };
        assert_eq!(list(false, false), ["eb", "cd", "ef"]);
        assert_eq!(list(true, true), ["cd"]);
        assert_eq!(whole_words("\u{301}b cd", true, false).len(), 1);
        assert_eq!(whole_words(", b cd.", true, true).len(), 2);
    }

    proptest! {
        #[test]
        fn every_q_can_be_read_and_leaves_letters_and_digits_only(q in "[-\"* a-c\u{301}東京ßﬁ&|!:'()\\\\^~\0]{0,24}") {
            let terms = Terms::parse(&q);
            let stems = terms.lookups().into_iter().chain(terms.excluded_words());
            for stem in stems {
                prop_assert!(!stem.text.is_empty() && stem.text.chars().all(char::is_alphanumeric), "{stem:?}");
            }
            prop_assert!(terms.wanted.len() <= TERMS_MAX);
        }
    }
}
