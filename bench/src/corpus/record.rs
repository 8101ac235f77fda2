//! The records: what the store is given as lines, and the plain tables as columns.

use super::library::{Document, Library};
use serde_json::json;
use stepwell_source::prepare::Manifest;

/// The moment that the first records are from, in milliseconds: the beginning of the year 2000.
const FIRST: i64 = 946_684_800_000;

/// What lies between two records, in milliseconds: a million of them fill about twenty years.
const APART: i64 = 10 * 60 * 1_000;

/// Entries come in no order of time, as imports do. Prime, so that each has a moment of its own.
const MOMENTS: usize = 1_000_003;

/// One entry with all its values.
#[derive(Debug)]
pub(super) struct EntryRow<'a> {
    pub(super) key: String,
    pub(super) headword: &'a str,
    pub(super) text: String,
    /// How long the text is.
    pub(super) letters: i64,
    /// What the head word begins with.
    pub(super) initial: String,
    /// When it was added, in milliseconds.
    pub(super) added: i64,
}

impl<'a> EntryRow<'a> {
    /// The entry of a number; its text is another one in each edition.
    pub(super) fn new(library: &'a Library, number: usize, edition: usize) -> Self {
        let entry = &library.entries[spread(number, library.entries.len())];
        let text = match edition {
            0 => entry.text.clone(),
            _ => format!("{} (edition {edition})", entry.text),
        };
        let initial = entry.headword.chars().next().unwrap_or('-').to_lowercase().to_string();
        let added = FIRST + APART * (number * 7_919 % MOMENTS) as i64;
        let letters = text.chars().count() as i64;
        Self { key: format!("e-{number:07}"), headword: &entry.headword, text, letters, initial, added }
    }

    /// The line that ingest reads.
    pub(super) fn line(&self) -> String {
        let data = json!({
            "id": self.key, "headword": self.headword, "text": self.text, "letters": self.letters,
            "initial": self.initial, "added": moment(self.added),
        });
        json!({ "key": self.key, "data": data }).to_string()
    }
}

/// The line of a document.
pub(super) fn document_line(document: &Document, number: usize) -> String {
    let data = json!({
        "id": document_key(number), "path": document.path, "text": document.text,
        "added": moment(document_added(number)),
    });
    json!({ "key": document_key(number), "data": data }).to_string()
}

pub(super) fn document_key(number: usize) -> String {
    format!("d-{number:05}")
}

pub(super) fn document_added(number: usize) -> i64 {
    FIRST + APART * (number * 7_919 % MOMENTS) as i64
}

/// What both streams declare about themselves. The word index can be left out.
pub(super) fn manifest(with_words: bool) -> anyhow::Result<Manifest> {
    let searched: &[&str] = if with_words { &["headword", "text"] } else { &[] };
    let every = ["gte", "gt", "lte", "lt"];
    let declared = json!({
        "primary_key": ["id"],
        "cursor_field": "added",
        "query": {
            "search": { "lexical_fields": searched },
            "range_filters": { "letters": every, "added": every, "headword": every, "initial": every },
        },
    });
    Ok(Manifest::parse(&declared.to_string(), "")?)
}

/// Takes entries from all over the dictionary, so that a few are like all.
fn spread(number: usize, entries: usize) -> usize {
    // Prime, and no divisor of how many there are, so that each comes once before one comes again.
    number * 7_907 % entries
}

/// A moment as records spell it.
fn moment(millis: i64) -> String {
    jiff::Timestamp::from_millisecond(millis).map(|moment| moment.to_string()).unwrap_or_default()
}
