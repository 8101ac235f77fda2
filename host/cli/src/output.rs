//! What the program prints. Colour appears on a terminal only; JSON never has any.

use crate::exit::{AlreadySaid, Exit, NoToken, UsageError};
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::fmt::Display;
use std::io::{IsTerminal as _, Write as _};
use stepwell_source::SourceError;

/// Quiet details.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Headings.
pub(crate) const BOLD: Style = Style::new().bold();
/// What went well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// Prints for people or for scripts.
#[derive(Debug)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether scripts are reading.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints one JSON value on a line of its own, at once: a script acts on each line as it comes.
    pub(crate) fn json(&self, value: &Value) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{value}")?;
        out.flush()?;
        Ok(())
    }

    /// Prints a line for people; not printed for scripts.
    pub(crate) fn line(&self, text: impl Display) -> anyhow::Result<()> {
        if !self.json {
            writeln!(anstream::stdout().lock(), "{text}")?;
        }
        Ok(())
    }

    /// Prints a remark for people beside the result.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.json {
            let _ = writeln!(anstream::stderr().lock(), "{DIM}{text}{DIM:#}");
        }
    }

    /// Prints a warning that stands beside the result, for people and scripts alike.
    pub(crate) fn warn(&self, text: impl Display) {
        let _ = writeln!(anstream::stderr().lock(), "{text}");
    }

    /// Prints why the command failed and says how to exit.
    pub(crate) fn failed(&self, error: &anyhow::Error) -> Exit {
        if let Some(broken) = error.downcast_ref::<std::io::Error>()
            && broken.kind() == std::io::ErrorKind::BrokenPipe
        {
            return Exit::Failure; // The reader has seen enough, as in `stepwell … | head`.
        }
        if error.is::<AlreadySaid>() {
            return Exit::Failure;
        }
        let refusal = error.downcast_ref::<SourceError>().and_then(SourceError::refusal);
        if self.json {
            let value = refusal
                .map_or_else(|| json!({ "error": { "message": format!("{error:#}") } }), |r| r.to_json());
            let _ = self.json(&value);
        } else {
            let mut out = anstream::stderr().lock();
            let _ = writeln!(out, "{BAD}error{BAD:#}: {error:#}");
            if let Some(hint) = refusal.and_then(|refusal| refusal.hint.as_ref()) {
                let _ = writeln!(out, "{DIM}hint: {hint}{DIM:#}");
            }
        }
        match refusal {
            Some(refusal) => Exit::of(refusal),
            None if error.is::<UsageError>() => Exit::Usage,
            None if error.is::<NoToken>() => Exit::NoToken,
            None => Exit::Failure,
        }
    }
}

/// Prepares record text for where it goes: a pipe gets it byte for byte, a terminal gets no control or bidi characters,
/// because record text is anybody's text and must not move the cursor or hide what follows.
pub(crate) fn for_stdout(text: &str) -> String {
    if std::io::stdout().is_terminal() { visible(text) } else { text.to_owned() }
}

/// Shows control and bidi characters instead of obeying them.
pub(crate) fn visible(text: &str) -> String {
    let show = |c: char| match c {
        '\n' | '\t' => c,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        _ => c,
    };
    text.chars().map(show).collect()
}

/// Spells a path for a shell.
pub(crate) fn for_shell(path: &str) -> String {
    let is_plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c));
    if is_plain { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_that_a_record_says() {
        assert_eq!(visible("a\u{1b}[31m\r\u{202e}b\n\tc"), "a␛[31m␍\u{fffd}b\n\tc");
    }
}
