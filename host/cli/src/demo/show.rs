//! How a step is shown: what was asked, what a model reads, and what it costs.

use crate::output::{BOLD, DIM, Output, visible};
use serde_json::{Value, json};
use std::cell::Cell;
use std::fmt::{Display, Write as _};
use std::time::Duration;

/// How many lines of a result a terminal is shown.
const LINES: usize = 6;

/// How much of a line a terminal is shown: enough for a window's header up to its next cursor.
const WIDTH: usize = 250;

/// Counts and prints steps.
pub(super) struct Show<'a> {
    output: &'a Output,
    steps: Cell<u32>,
}

/// A step of the climb.
pub(super) struct Step<'a> {
    /// Its name, for scripts too.
    pub(super) name: &'a str,
    /// What it is for.
    pub(super) what: &'a str,
    /// What was called.
    pub(super) call: Call<'a>,
    /// The text that came back, block by block.
    pub(super) text: &'a [String],
    /// The size of everything that came back.
    pub(super) whole: usize,
    pub(super) took: Duration,
}

/// What a client sends.
#[derive(Clone, Copy)]
pub(super) enum Call<'a> {
    Tool(&'a str, &'a Value),
    Resource(&'a str),
}

impl Call<'_> {
    fn to_json(self) -> Value {
        match self {
            Self::Tool(tool, arguments) => json!({ "tool": tool, "arguments": arguments }),
            Self::Resource(uri) => json!({ "resource": uri }),
        }
    }
}

impl Display for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tool(tool, arguments) => write!(f, "{tool} {arguments}"),
            Self::Resource(uri) => write!(f, "resources/read {uri}"),
        }
    }
}

impl<'a> Show<'a> {
    pub(super) fn new(output: &'a Output) -> Self {
        Self { output, steps: Cell::new(0) }
    }

    /// Shows a step that is no call. Scripts get its name and these details.
    pub(super) fn remark(&self, name: &str, what: impl Display, mut details: Value) -> anyhow::Result<()> {
        if self.output.is_json() {
            details["step"] = json!(name);
            return self.output.json(&details);
        }
        self.title(name, what)
    }

    /// Shows a call and its result. Scripts get the whole text.
    pub(super) fn step(&self, step: &Step<'_>) -> anyhow::Result<()> {
        let bytes: usize = step.text.iter().map(String::len).sum();
        if self.output.is_json() {
            return self.output.json(&json!({
                "step": step.name,
                "call": step.call.to_json(),
                "text": step.text,
                "bytes": { "text": bytes, "result": step.whole },
                "ms": step.took.as_secs_f64() * 1000.0,
            }));
        }
        self.title(step.name, step.what)?;
        let call = excerpt(&step.call.to_string(), 1, WIDTH);
        self.output.line(format_args!("{DIM}   > {call}{DIM:#}"))?;
        for line in excerpt(&step.text.join("\n"), LINES, WIDTH).lines() {
            self.output.line(format!("   {line}").trim_end())?;
        }
        let (bytes, whole) = (grouped(bytes), grouped(step.whole));
        let took = step.took;
        self.output.line(format_args!(
            "{DIM}   = {bytes} bytes of text, {whole} in the whole result, {took:.1?}{DIM:#}"
        ))
    }

    fn title(&self, name: &str, what: impl Display) -> anyhow::Result<()> {
        let number = self.steps.get() + 1;
        self.steps.set(number);
        let gap = if number == 1 { "" } else { "\n" };
        self.output.line(format_args!("{gap}{BOLD}{number}. {name}{BOLD:#}: {what}"))
    }
}

/// Cuts a text for a terminal, and says at every cut how much is missing.
pub(crate) fn excerpt(text: &str, lines: usize, width: usize) -> String {
    let mut rest = text;
    let mut shown = String::new();
    for _ in 0..lines {
        let (line, after) = rest.split_once('\n').map_or((rest, None), |(line, after)| (line, Some(after)));
        let end = line.char_indices().nth(width).map_or(line.len(), |(at, _)| at);
        let (head, tail) = line.split_at(end);
        shown.push_str(&visible(head));
        if !tail.is_empty() {
            // A `String` takes any text, so there is no failure to report.
            let _ = write!(shown, " [… {} bytes cut here]", grouped(tail.len()));
        }
        let Some(after) = after else { return shown };
        shown.push('\n');
        rest = after;
    }
    if !rest.is_empty() {
        let _ = write!(shown, "[… {} bytes cut here]", grouped(rest.len()));
    }
    shown
}

/// A number with its thousands apart.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut_says_what_is_missing() {
        assert_eq!(excerpt("ab\ncd", 6, 250), "ab\ncd");
        assert_eq!(excerpt("äbcd\nef", 6, 2), "äb [… 2 bytes cut here]\nef");
        assert_eq!(excerpt("a\nb\nç\nd", 2, 9), "a\nb\n[… 4 bytes cut here]");
        assert_eq!(excerpt("a\nb\n", 2, 9), "a\nb\n");
        assert_eq!(excerpt("\u{1b}[31m", 1, 9), "␛[31m");
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1_000, 4_004_568].map(grouped), ["0", "999", "1,000", "4,004,568"]);
    }
}
