//! What `plugin check` found out, for people and for scripts.

use super::finding::{Finding, enough};
use super::run::Calls;
use crate::output::{BOLD, DIM, GOOD, Output, visible};
use serde_json::{Value, json};
use std::time::Duration;
use stepwell_tiers::{Examined, Limits, TierFault};

/// All that was found out.
#[derive(Debug, Default)]
pub(super) struct Report {
    found: Option<(Examined, &'static str)>,
    pub(super) limits: Option<Limits>,
    /// The calls within its limits.
    pub(super) calls: Option<Calls>,
    /// The calls with the largest limits, where its own are too small.
    pub(super) needs: Option<Calls>,
    pub(super) findings: Vec<Finding>,
}

impl Report {
    pub(super) fn new(found: Examined, tier: &'static str) -> Self {
        Self { found: Some((found, tier)), ..Self::default() }
    }

    /// A file that is no component that could be looked into.
    pub(super) fn of_broken_file(finding: Finding) -> Self {
        Self { findings: vec![finding], ..Self::default() }
    }

    /// Draws the conclusions.
    pub(super) fn gather(&mut self) {
        let foreign = self.foreign();
        if !foreign.is_empty() {
            // The fault of loading names the first of them; here are all.
            self.findings = vec![Finding::imports(&foreign)];
        }
        let (Some(calls), Some((_, tier))) = (&self.calls, &self.found) else { return };
        let faults = calls.faults.iter().filter(|(fault, ..)| !matches!(fault, TierFault::Refused(_)));
        self.findings
            .extend(faults.map(|(fault, record, times)| Finding::calling(fault, tier, record, *times)));
        if !calls.differing.is_empty() {
            self.findings.push(Finding::differing(&calls.differing));
        }
    }

    fn foreign(&self) -> Vec<&str> {
        let imports = self.found.iter().flat_map(|(found, _)| &found.imports);
        imports.map(String::as_str).filter(|name| !name.starts_with("stepwell:ladder/")).collect()
    }

    fn enough(&self) -> Option<String> {
        enough(self.needs.as_ref()?, self.limits?)
    }

    pub(super) fn print(&self, output: &Output) -> anyhow::Result<()> {
        if output.is_json() {
            return output.json(&self.to_json());
        }
        if let Some((found, tier)) = &self.found {
            let version = found.wit.as_deref().unwrap_or_default();
            let imports: Vec<String> = found.imports.iter().map(|name| visible(name)).collect();
            let imports = if imports.is_empty() { "nothing".to_owned() } else { imports.join(", ") };
            output
                .line(format_args!("{BOLD}{tier}{BOLD:#} tier for stepwell:ladder@{}", visible(version)))?;
            output.line(format_args!("  {} bytes, sha256 {}", found.bytes, found.sha256))?;
            output.line(format_args!("  imports {imports}"))?;
        }
        if let (Some(calls), Some(limits)) = (&self.calls, self.limits) {
            show_calls(calls, limits, output)?;
        }
        for finding in &self.findings {
            output.line(format_args!("{BOLD}refused{BOLD:#}: {}", visible(&finding.what)))?;
            output.line(format_args!("  {}", finding.fix))?;
        }
        if let Some(line) = self.enough() {
            output.line(format_args!("enough for all calls here: {line}"))?;
        }
        if self.findings.is_empty() {
            output.line(format_args!("{GOOD}good{GOOD:#}: nothing would be refused"))?;
        }
        Ok(())
    }

    fn to_json(&self) -> Value {
        let found = self.found.as_ref().map(|(found, tier)| {
            json!({
                "tier": tier, "wit_version": found.wit, "bytes": found.bytes, "sha256": found.sha256,
                "imports": found.imports, "not_allowed": self.foreign(),
            })
        });
        json!({
            "component": found,
            "limits": self.limits.map(limits_json),
            "calls": self.calls.as_ref().map(calls_json),
            "enough": self.enough(),
            "refused": self.findings.iter().map(Finding::to_json).collect::<Vec<_>>(),
            "good": self.findings.is_empty(),
        })
    }
}

fn show_calls(calls: &Calls, limits: Limits, output: &Output) -> anyhow::Result<()> {
    let (least, most) = (calls.times.first(), calls.times.last());
    let (least, most) = (least.copied().unwrap_or_default(), most.copied().unwrap_or_default());
    output.line(format_args!("  {} calls, on the sample and on odd records", calls.times.len()))?;
    output.line(format_args!(
        "  time     {least:.1?} at least, {:.1?} in the middle, {most:.1?} at most, of {:?}",
        calls.median(),
        limits.deadline
    ))?;
    output.line(format_args!(
        "  memory   {:.1} MB at most, of {}",
        calls.memory as f64 / 1_048_576.0,
        limits.memory_mb
    ))?;
    output.line(format_args!(
        "  reads    {} at most, of {}; {} bytes, of {} KB",
        calls.reads, limits.reads, calls.read_bytes, limits.read_kb
    ))?;
    output.line(format_args!("  shows    {} bytes of a record at most", calls.shown))?;
    let same = if calls.differing.is_empty() { "the same every time" } else { "not always the same" };
    output.line(format_args!("  answers  {same}"))?;
    if calls.without_sheet > 0 {
        output.line(format_args!(
            "  {} records got no preview; the host shows its own",
            calls.without_sheet / 2
        ))?;
    }
    for (fault, record, times) in &calls.faults {
        if let TierFault::Refused(_) = fault {
            output.line(format_args!(
                "  {fault} in {times} calls, first with {record:?}; the host shows its own"
            ))?;
        }
    }
    if calls.messages.count > 0 {
        output.line(format_args!("  {} messages, such as", calls.messages.count))?;
        for (level, message) in &calls.messages.kept {
            output.line(format_args!("{DIM}    {level}: {}{DIM:#}", one_line(message)))?;
        }
    }
    Ok(())
}

/// A message on one line, with nothing in it that a terminal obeys.
pub(in crate::plugin) fn one_line(message: &str) -> String {
    visible(&message.escape_debug().to_string())
}

fn limits_json(limits: Limits) -> Value {
    json!({
        "deadline_ms": limits.deadline.as_millis(), "memory_mb": limits.memory_mb, "output_kb": limits.output_kb,
        "reads": limits.reads, "read_kb": limits.read_kb,
    })
}

fn calls_json(calls: &Calls) -> Value {
    let micros = |time: Option<&Duration>| time.map(|time| time.as_secs_f64() * 1e6);
    let declined = calls.faults.iter().filter(|(fault, ..)| matches!(fault, TierFault::Refused(_)));
    json!({
        "count": calls.times.len(),
        "micros": {
            "min": micros(calls.times.first()),
            "median": micros(Some(&calls.median())),
            "max": micros(calls.times.last()),
        },
        "memory_bytes": calls.memory,
        "reads": calls.reads,
        "read_bytes": calls.read_bytes,
        "shown_bytes": calls.shown,
        "deterministic": calls.differing.is_empty(),
        "without_sheet": calls.without_sheet / 2,
        "declined": declined.map(|(.., times)| times).sum::<usize>(),
        "messages": {
            "count": calls.messages.count,
            "some": calls.messages.kept.iter()
                .map(|(level, text)| json!({ "level": level, "text": text })).collect::<Vec<_>>(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stays_on_its_line_and_moves_nothing() {
        assert_eq!(one_line("a\nb\u{1b}[31m\u{202e}c"), "a\\nb\\u{1b}[31m\\u{202e}c");
    }
}
