//! What is asked, of the store and of the plain tables alike.

use super::library::Library;

/// One question, and what it is asked with: another value each turn.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) what: &'static str,
    pub(super) ask: Ask,
    with: Vec<String>,
}

/// The kinds of question. Each asks for a page of 25 records or groups, or for one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// The newest entries.
    List,
    /// The newest entries that have words.
    SearchEntries,
    /// The newest entries and documents that have words.
    SearchAll,
    /// The entries under one head word.
    Equal,
    /// The newest entries that are not very short, which are most.
    AtLeast,
    /// How many entries there are.
    Count,
    /// How long they are together.
    Sum,
    /// How many there are for each first letter.
    GroupBy,
    /// How many were added each year.
    GroupByTime,
    /// The longest entries.
    SortByNumber,
    /// The first entries by head word.
    SortByText,
    /// All that ever changed: the first page.
    Changes,
    /// The few entries that changed last.
    FewChanges,
}

/// How many letters an entry has that is not very short.
pub(super) const NOT_SHORT: i64 = 100;

/// How much a page holds.
pub(super) const PAGE: usize = 25;

/// How many entries change last.
pub(super) const FEW: usize = 20;

impl Question {
    /// All of them.
    pub(super) fn all(library: &Library) -> Vec<Self> {
        let words = &library.words;
        let headwords = library.entries.iter().step_by(library.entries.len() / 8);
        let headwords: Vec<String> = headwords.map(|entry| entry.headword.clone()).collect();
        let asked = |what, ask, with: &[String]| Self { what, ask, with: with.to_vec() };
        vec![
            asked("search: a rare word", Ask::SearchEntries, &words.rare),
            asked("search: a common word", Ask::SearchEntries, &words.common),
            asked("search: a phrase", Ask::SearchEntries, &words.phrases),
            asked("search everywhere: a rare word", Ask::SearchAll, &words.rare),
            asked("search everywhere: a common word", Ask::SearchAll, &words.common),
            asked("search everywhere: a phrase", Ask::SearchAll, &words.phrases),
            asked("list", Ask::List, &[]),
            asked("filter: few meet it", Ask::Equal, &headwords),
            asked("filter: most meet it", Ask::AtLeast, &[]),
            asked("sort: a number", Ask::SortByNumber, &[]),
            asked("sort: a text", Ask::SortByText, &[]),
            asked("count", Ask::Count, &[]),
            asked("sum", Ask::Sum, &[]),
            asked("group_by", Ask::GroupBy, &[]),
            asked("group_by_time", Ask::GroupByTime, &[]),
            asked("changes: from the beginning", Ask::Changes, &[]),
            asked("changes: the last few", Ask::FewChanges, &[]),
        ]
    }

    /// What it is asked with this turn.
    pub(super) fn value(&self, turn: usize) -> &str {
        self.with.get(turn % self.with.len().max(1)).map_or("", String::as_str)
    }
}

/// Words as they are looked for: several stand next to each other.
pub(super) fn quoted(words: &str) -> String {
    if words.contains(' ') { format!("\"{words}\"") } else { words.to_owned() }
}
