//! What is stored: real texts where they can be had, and invented ones where not.

use super::{dictionary, documents};
use crate::report::{Report, count};
use crate::text::prose;
use std::collections::HashMap;
use stepwell_source::words;

/// A short text under a head word.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) headword: String,
    pub(super) text: String,
}

/// A long text.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) path: String,
    pub(super) text: String,
}

/// All texts, and words to look for in them.
#[derive(Debug)]
pub(super) struct Library {
    pub(super) entries: Vec<Entry>,
    pub(super) documents: Vec<Document>,
    pub(super) words: Words,
}

/// What searches look for, several of a kind.
#[derive(Debug)]
pub(super) struct Words {
    /// Words that few entries have.
    pub(super) rare: Vec<String>,
    /// Words that most entries have.
    pub(super) common: Vec<String>,
    /// Two words in a row, in some entry.
    pub(super) phrases: Vec<String>,
}

/// How many of a kind.
const KINDS: usize = 8;

/// How many entries the words are chosen from: no more than there are in the smallest run.
const CHOSEN_FROM: usize = 500;

/// How many invented entries there are.
const INVENTED: usize = 5_000;

impl Library {
    /// Finds texts, and says which.
    pub(super) fn find(documents: usize, report: &Report) -> anyhow::Result<Self> {
        let entries = match dictionary::entries() {
            Ok(entries) => entries,
            Err(reason) => {
                report.note(format_args!("invented entries stand for a dictionary's: {reason}"))?;
                (0..INVENTED).map(invented_entry).collect()
            }
        };
        let documents = match documents::documents(documents) {
            Ok(documents) => documents,
            Err(reason) => {
                report.note(format_args!("invented documents stand for the kernel's: {reason}"))?;
                (0..documents).map(invented_document).collect()
            }
        };
        let bytes = |texts: &mut dyn Iterator<Item = usize>| texts.sum::<usize>();
        report.note(format_args!(
            "{} entries of {} bytes on average, {} documents of {}",
            count(entries.len()),
            bytes(&mut entries.iter().map(|entry| entry.text.len())) / entries.len().max(1),
            count(documents.len()),
            count(bytes(&mut documents.iter().map(|document| document.text.len())) / documents.len().max(1)),
        ))?;
        anyhow::ensure!(entries.len() >= CHOSEN_FROM, "{} entries are too few", entries.len());
        let words = Words::of(&entries);
        Ok(Self { entries, documents, words })
    }
}

impl Words {
    fn of(entries: &[Entry]) -> Self {
        // Spread over the alphabet, and each text once.
        let some: Vec<&Entry> = entries.iter().step_by(entries.len() / CHOSEN_FROM).collect();
        let mut entries_with: HashMap<String, usize> = HashMap::new();
        for entry in &some {
            for word in words::distinct(&entry.text).split(' ') {
                *entries_with.entry(word.to_owned()).or_default() += 1;
            }
        }
        let plain = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
        let mut known: Vec<(String, usize)> =
            entries_with.into_iter().filter(|(word, _)| plain(word)).collect();
        known.sort_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.cmp(&two.0)));
        let common = known.iter().take(KINDS).map(|(word, _)| word.clone()).collect();
        let rare = known.iter().filter(|(_, entries)| *entries == 1).map(|(word, _)| word.clone());
        let rare: Vec<String> = rare.collect();
        let step = (rare.len() / KINDS).max(1);
        let rare = rare.into_iter().step_by(step).take(KINDS).collect();
        let pair = |entry: &&Entry| {
            let words: Vec<&str> = entry.text.split(' ').collect();
            words.windows(2).find(|pair| pair.iter().all(|word| plain(word))).map(|pair| pair.join(" "))
        };
        let phrases = some.iter().filter_map(pair).step_by(CHOSEN_FROM / 4 / KINDS).take(KINDS).collect();
        Self { rare, common, phrases }
    }
}

fn invented_entry(number: usize) -> Entry {
    let text = prose(120 + number % 900, number as u64);
    let headword = text.split_whitespace().take(1 + number % 3).collect::<Vec<_>>().join(" ");
    Entry { headword: format!("{headword} {number}"), text }
}

fn invented_document(number: usize) -> Document {
    Document { path: format!("invented/{number}.txt"), text: prose(20_000, number as u64) }
}
