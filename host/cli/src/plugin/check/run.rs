//! Calls a preview with everything there is to try it on.

use crate::plugin::trial::records::{Record, odd, page, sample};
use crate::plugin::trial::{Trial, context};
use std::time::Duration;
use stepwell_tiers::{Messages, Purpose, Sheet, Shown, TierFault};

/// Records of one page, as a search has them.
const PAGE: usize = 25;
/// Messages that are worth showing.
const MESSAGES: usize = 20;

/// After so many calls that used up what they may, there are no more.
const USED_UP: usize = 4;

/// What became of all calls.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// How long each took, the shortest first.
    pub(super) times: Vec<Duration>,
    /// The most memory that one had, in bytes.
    pub(super) memory: u64,
    /// The most spans that one read, and the most bytes.
    pub(super) reads: u32,
    pub(super) read_bytes: u64,
    /// The most bytes that one showed of a record.
    pub(super) shown: u64,
    /// Records that it said nothing about, though it answered.
    pub(super) without_sheet: usize,
    /// Each fault once, with the first record that it came with and how many times it came.
    pub(super) faults: Vec<(TierFault, String, usize)>,
    /// The first records whose second answer was another one.
    pub(super) differing: Vec<String>,
    pub(super) messages: Messages,
}

impl Calls {
    /// Whether every call ended in an answer, if only in a refusal.
    pub(super) fn all_answered(&self) -> bool {
        self.faults.iter().all(|(fault, ..)| matches!(fault, TierFault::Refused(_)))
    }

    /// How long the call in the middle took.
    pub(super) fn median(&self) -> Duration {
        self.times.get(self.times.len() / 2).copied().unwrap_or_default()
    }
}

/// Calls it with each record as a row and as a document, and with whole pages.
pub(super) async fn all(trial: &Trial) -> anyhow::Result<Calls> {
    let mut calls = Calls::default();
    let (sample, odd) = (sample(), odd());
    let alone = odd.iter().chain(&sample).flat_map(|record| {
        let name = || record.name.clone();
        let one = std::slice::from_ref(record);
        [(name(), one, Purpose::Row), (name(), one, Purpose::Document)]
    });
    let pages = sample
        .chunks(PAGE)
        .zip(1..)
        .map(|(records, number)| (format!("page {number} of the sample"), records, Purpose::Row));
    let odd = [
        ("a page of odd records".to_owned(), &odd[..], Purpose::Row),
        ("a page without records".to_owned(), &[], Purpose::Row),
    ];
    for (name, records, purpose) in alone.chain(pages).chain(odd) {
        calls.one(trial, &name, records, purpose).await?;
        if calls.is_hopeless() {
            break;
        }
    }
    calls.times.sort_unstable();
    Ok(calls)
}

impl Calls {
    /// Calls it twice with the same records.
    async fn one(
        &mut self,
        trial: &Trial,
        name: &str,
        records: &[Record],
        purpose: Purpose,
    ) -> anyhow::Result<()> {
        let mut answers = vec![ask(trial, records, purpose).await?];
        // Running out of time is a matter of the machine, too, so there is nothing to compare.
        if !is_late(&answers[0]) {
            answers.push(ask(trial, records, purpose).await?);
            if answers[0] != answers[1] && !is_late(&answers[1]) {
                self.differing.push(name.to_owned());
            }
        }
        for answer in answers {
            match answer {
                Ok(sheets) => {
                    self.shown = self.shown.max(sheets.iter().map(bytes).max().unwrap_or_default());
                    self.without_sheet += records.len().saturating_sub(sheets.len());
                }
                Err(fault) => self.note(fault, name),
            }
        }
        for seen in trial.watch.take() {
            self.times.push(seen.took);
            self.memory = self.memory.max(seen.memory);
            self.reads = self.reads.max(seen.reads);
            self.read_bytes = self.read_bytes.max(seen.read_bytes);
            self.messages.count += seen.messages.count;
            for message in seen.messages.kept {
                if self.messages.kept.len() < MESSAGES && !self.messages.kept.contains(&message) {
                    self.messages.kept.push(message);
                }
            }
        }
        Ok(())
    }

    /// Whether more calls would tell nothing new: what it may use is too little for it, and each of them uses all of it.
    fn is_hopeless(&self) -> bool {
        self.faults.iter().any(|(fault, _, times)| {
            use TierFault::{Deadline, Memory, OutputTooLarge};
            matches!(fault, Deadline(_) | Memory(_) | OutputTooLarge(_)) && *times >= USED_UP
        })
    }

    fn note(&mut self, fault: TierFault, name: &str) {
        match self.faults.iter_mut().find(|(known, ..)| known.code() == fault.code()) {
            Some((.., times)) => *times += 1,
            None => self.faults.push((fault, name.to_owned(), 1)),
        }
    }
}

fn is_late<T>(answer: &Result<T, TierFault>) -> bool {
    matches!(answer, Err(TierFault::Deadline(_)))
}

async fn ask(
    trial: &Trial,
    records: &[Record],
    purpose: Purpose,
) -> anyhow::Result<Result<Vec<Sheet>, TierFault>> {
    let (shapes, hand) = page(records);
    Ok(trial.preview()?.compose(shapes, &context(purpose), hand).await)
}

/// What a sheet shows: a passage by its code points, words of its own by their bytes.
fn bytes(sheet: &Sheet) -> u64 {
    let labels = sheet.anchors.iter().map(|anchor| &anchor.label);
    let shown = sheet.title.iter().chain(&sheet.lines).chain(labels);
    let bytes = |shown: &Shown| match shown {
        Shown::Verbatim(passage) => passage.at.len().get(),
        Shown::Derived(derived) => derived.text.len() as u64,
    };
    shown.map(bytes).sum()
}
