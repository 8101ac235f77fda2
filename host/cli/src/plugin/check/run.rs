//! Calls a component with everything there is to try it on: one file for each tier.

mod exporting;
mod linking;
mod placing;
mod previewing;
mod using;

use crate::plugin::trial::Trial;
use crate::plugin::trial::records::{odd, sample};
use anyhow::Context as _;
use std::time::Duration;
use stepwell_tiers::{Messages, TierFault};

/// Messages that are worth showing.
const MESSAGES: usize = 20;

/// After so many calls that used up what they may, there are no more.
const USED_UP: usize = 4;

/// Something to ask a tier.
trait Question {
    /// What it is about, for the author.
    fn name(&self) -> String;
    /// Asks it.
    async fn ask(&self) -> Result<Answered, TierFault>;
}

/// What a tier answered.
#[derive(Debug, PartialEq)]
struct Answered {
    /// All of it, in words: the second answer has to be the same.
    said: String,
    /// The most bytes that it shows of one record.
    shown: u64,
    /// Records that it said nothing about.
    left_out: usize,
}

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

/// Asks a component all that a server could.
pub(super) async fn all(trial: &Trial, tier: &str) -> anyhow::Result<Calls> {
    let mut calls = Calls::default();
    let (sample, odd, tiers) = (sample(), odd(), trial.tiers());
    match tier {
        "preview" => {
            let tier = tiers.preview().context("no preview is on")?;
            calls.ask(trial, previewing::questions(tier, &sample, &odd)).await;
        }
        "field-window" => {
            let tier = tiers.window().context("no field-window tier is on")?;
            calls.ask(trial, placing::questions(tier, &sample, &odd)).await;
        }
        "resources" => {
            let tier = tiers.resources().context("no resources tier is on")?;
            calls.ask(trial, linking::questions(tier, &sample, &odd)).await;
        }
        "binary-export" => {
            let tier = tiers.export().context("no binary-export tier is on")?;
            calls.ask(trial, exporting::questions(tier)).await;
        }
        _ => {
            let tier = tiers.tools().first().context("no tool is on")?;
            calls.ask(trial, using::questions(tier, &sample, &odd)).await;
        }
    }
    calls.times.sort_unstable();
    Ok(calls)
}

impl Calls {
    /// Asks one question after another, until there is nothing new to learn.
    async fn ask<Q: Question>(&mut self, trial: &Trial, questions: impl Iterator<Item = Q>) {
        // What loading it took is not part of any call.
        trial.watch.take();
        for question in questions {
            self.one(trial, &question).await;
            if self.is_hopeless() {
                break;
            }
        }
    }

    /// Asks the same question twice.
    async fn one(&mut self, trial: &Trial, question: &impl Question) {
        let mut answers = vec![question.ask().await];
        // Running out of time is a matter of the machine, too, so there is nothing to compare.
        if !is_late(&answers[0]) {
            answers.push(question.ask().await);
            if answers[0] != answers[1] && !is_late(&answers[1]) {
                self.differing.push(question.name());
            }
        }
        for answer in answers {
            match answer {
                Ok(answer) => {
                    self.shown = self.shown.max(answer.shown);
                    self.without_sheet += answer.left_out;
                }
                Err(fault) => self.note(fault, question),
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
    }

    /// Whether more calls would tell nothing new: what it may use is too little for it, and each of them uses all of it.
    fn is_hopeless(&self) -> bool {
        self.faults.iter().any(|(fault, _, times)| {
            use TierFault::{Deadline, Memory, OutputTooLarge};
            matches!(fault, Deadline(_) | Memory(_) | OutputTooLarge(_)) && *times >= USED_UP
        })
    }

    fn note(&mut self, fault: TierFault, question: &impl Question) {
        match self.faults.iter_mut().find(|(known, ..)| known.code() == fault.code()) {
            Some((.., times)) => *times += 1,
            None => self.faults.push((fault, question.name(), 1)),
        }
    }
}

fn is_late<T>(answer: &Result<T, TierFault>) -> bool {
    matches!(answer, Err(TierFault::Deadline(_)))
}
