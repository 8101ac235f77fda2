//! Asks, step by step, what a grant shall cover. Whoever only presses Enter gives as little as there is to give.

use super::create::{length, moment};
use super::outlook::day;
use crate::output::{BOLD, DIM, visible};
use anyhow::bail;
use indicatif::HumanCount;
use std::io::{BufRead, Write};
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_source::grant::StreamRequest;
use stepwell_source::time::Millis;

/// How far back a grant reaches if nobody says otherwise.
const BACK: &str = "90d";
/// How long it lasts.
const LASTS: &str = "7d";
/// How long an answer may be.
const ANSWER_MAX: u64 = 64 * 1024;

/// A connection's stream that can be granted.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    pub(super) connection: ConnectionId,
    pub(super) label: Option<String>,
    pub(super) stream: StreamName,
    pub(super) records: u64,
    pub(super) times: Option<(Millis, Millis)>,
    pub(super) fields: Vec<String>,
    /// The fields that say what a record is and not what is in it.
    pub(super) narrow: Vec<String>,
}

/// What was answered.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    pub(super) client: String,
    pub(super) streams: Vec<StreamRequest>,
    pub(super) expires_at: Option<Millis>,
}

/// A dialogue with whoever reads `out` and writes `input`.
pub(super) struct Interview<R, W> {
    pub(super) input: R,
    pub(super) out: W,
    pub(super) now: Millis,
}

impl<R: BufRead, W: Write> Interview<R, W> {
    /// Asks everything that is not known yet.
    pub(super) fn hold(&mut self, client: Option<String>, offers: &[Offer]) -> anyhow::Result<Answers> {
        let client = match client {
            Some(client) => client,
            None => {
                self.ask("Who is it for? A name of your own, such as Claude", None, |answer| match answer {
                    "" => Err("it needs a name, so that you know later what to revoke".to_owned()),
                    name => Ok(name.to_owned()),
                })?
            }
        };
        let chosen = self.streams(offers)?;
        let mut fields = Vec::new();
        for offer in &chosen {
            fields.push(self.fields(offer)?);
        }
        let (since, until) = self.range()?;
        let now = self.now;
        let expires_at = self.ask(
            "When does the grant end? In days such as 30d, on a date, or never",
            Some(LASTS),
            |answer| match answer {
                "never" => Ok(None),
                answer => match after(answer, now)? {
                    at if at <= now => Err("that is over; name a moment to come".to_owned()),
                    at => Ok(Some(at)),
                },
            },
        )?;
        let streams = chosen.iter().zip(fields).map(|(offer, fields)| StreamRequest {
            name: offer.stream.clone(),
            connections: vec![offer.connection.clone()],
            fields: Some(fields),
            since,
            until,
            resources: None,
        });
        Ok(Answers { client, streams: streams.collect(), expires_at })
    }

    fn streams<'a>(&mut self, offers: &'a [Offer]) -> anyhow::Result<Vec<&'a Offer>> {
        writeln!(self.out, "\n{BOLD}The store holds:{BOLD:#}")?;
        for (index, offer) in offers.iter().enumerate() {
            let label =
                offer.label.as_ref().map(|label| format!(" ({})", one_line(label))).unwrap_or_default();
            let times = offer.times.map(|(first, last)| format!(", {} to {}", day(first), day(last)));
            writeln!(
                self.out,
                "  {}  {} of {}{label}{DIM}: {} records{}{DIM:#}",
                index + 1,
                one_line(offer.stream.as_str()),
                one_line(offer.connection.as_str()),
                HumanCount(offer.records),
                times.unwrap_or_default()
            )?;
        }
        let names: Vec<&str> = offers.iter().map(|offer| offer.stream.as_str()).collect();
        let default = (offers.len() == 1).then_some("1");
        let question = "Which of these may it read? Numbers such as 1 or 1,3, or all";
        let picked = self.ask(question, default, |answer| picked(answer, &names))?;
        Ok(picked.into_iter().map(|index| &offers[index]).collect())
    }

    fn fields(&mut self, offer: &Offer) -> anyhow::Result<Vec<String>> {
        let (stream, connection) = (one_line(offer.stream.as_str()), one_line(offer.connection.as_str()));
        writeln!(self.out, "\n{BOLD}{stream} of {connection}{BOLD:#} has these fields:")?;
        for (index, field) in offer.fields.iter().enumerate() {
            writeln!(self.out, "  {}  {}", index + 1, one_line(field))?;
        }
        let names: Vec<&str> = offer.fields.iter().map(String::as_str).collect();
        let narrow = offer.narrow.join(",");
        let default = (!narrow.is_empty()).then_some(narrow.as_str());
        let picked =
            self.ask("Which fields? Names, numbers, or all", default, |answer| picked(answer, &names))?;
        Ok(picked.into_iter().map(|index| offer.fields[index].clone()).collect())
    }

    fn range(&mut self) -> anyhow::Result<(Option<Millis>, Option<Millis>)> {
        let now = self.now;
        let since =
            self.ask("\nFrom when on? Days back such as 365d, a date, or all", Some(BACK), |answer| {
                match answer {
                    "all" => Ok(None),
                    answer => before(answer, now).map(Some),
                }
            })?;
        let question = "Until when? now, a date, or open for what comes later too";
        let until = self.ask(question, Some("now"), |answer| {
            let until = match answer {
                "open" => return Ok(None),
                "now" => now,
                answer => moment(answer)?,
            };
            match since {
                Some(since) if since >= until => Err("that is before its beginning".to_owned()),
                _ => Ok(Some(until)),
            }
        })?;
        Ok((since, until))
    }

    /// Asks until the answer can be understood. An empty one means the default.
    fn ask<T>(
        &mut self,
        question: &str,
        default: Option<&str>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> anyhow::Result<T> {
        loop {
            let shown = default.map(|default| format!(" [{}]", one_line(default))).unwrap_or_default();
            write!(self.out, "{question}{DIM}{shown}{DIM:#}: ")?;
            self.out.flush()?;
            let mut line = String::new();
            if std::io::Read::take(&mut self.input, ANSWER_MAX).read_line(&mut line)? == 0 {
                writeln!(self.out)?;
                bail!("no grant was made");
            }
            let answer = match line.trim() {
                "" => default.unwrap_or_default(),
                answer => answer,
            };
            match read(answer) {
                Ok(value) => return Ok(value),
                Err(wrong) => writeln!(self.out, "  {wrong}")?,
            }
        }
    }
}

/// The places of what was picked from a list, by number or by name, in the order of the list.
fn picked(answer: &str, names: &[&str]) -> Result<Vec<usize>, String> {
    if answer == "all" {
        return Ok((0..names.len()).collect());
    }
    let mut places = Vec::new();
    for part in answer.split([',', ' ']).filter(|part| !part.is_empty()) {
        // A field may be called by a number; then the name is meant.
        let by_name: Vec<usize> = (0..names.len()).filter(|at| names[*at] == part).collect();
        let by_number =
            part.parse::<usize>().ok().and_then(|n| n.checked_sub(1)).filter(|at| *at < names.len());
        match (by_name.as_slice(), by_number) {
            ([only], _) => places.push(*only),
            ([], Some(at)) => places.push(at),
            ([], None) => return Err(format!("there is no {} here", one_line(part))),
            _ => return Err(format!("{} is there several times; take its number", one_line(part))),
        }
    }
    if places.is_empty() {
        return Err("nothing is granted unless you name it".to_owned());
    }
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// A date, or a length of time after a moment.
fn after(answer: &str, now: Millis) -> Result<Millis, String> {
    moment(answer).or_else(|_| Ok(now.saturating_add(length(answer)?)))
}

/// A date, or a length of time before a moment.
fn before(answer: &str, now: Millis) -> Result<Millis, String> {
    moment(answer).or_else(|_| Ok(now.saturating_sub(length(answer)?)))
}

fn one_line(text: &str) -> String {
    visible(text).replace(['\n', '\t'], "\u{fffd}")
}

#[cfg(test)]
mod tests;
