//! Shows a long text on a terminal, a screen at a time. Only the window that is on the screen is ever read, so the length of
//! the text does not matter; what was shown stays in the terminal's own history.

use crate::output::{DIM, visible};
use anstyle::Style;
use async_trait::async_trait;
use console::{Key, Term};
use indicatif::HumanCount;
use std::io::Write as _;
use stepwell_contract::budget::MAX_LIMIT;
use stepwell_contract::{Chars, Span};

/// How a match stands out.
const FOUND: Style = Style::new().invert();

const KEYS: &str = "space: on, b: back, /: find, n: next match, q: quit";

/// A part of a text, read for the screen.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) start: Chars,
    pub(crate) total: Chars,
    pub(crate) text: String,
    /// Where the match is, if one was looked for.
    pub(crate) hit: Option<Span>,
    /// Leads to the next match.
    pub(crate) next_match: Option<String>,
}

/// What the pager asks for.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// From a place on.
    From(Chars),
    /// The first match of a phrase.
    Find(String),
    /// The match that a cursor leads to.
    Next(String),
}

/// A text that can be read in parts.
#[async_trait]
pub(crate) trait Paged: Sync {
    /// Reads a part that is no longer than told. A refusal that more reading can mend, such as a phrase that is not there, comes
    /// as words; anything else ends the pager.
    async fn part(&self, wanted: &Wanted, limit: Chars) -> anyhow::Result<Result<Part, String>>;
}

/// Shows a text from its first part on, until whoever looks at it has seen enough.
pub(crate) async fn page(text: &dyn Paged, first: Wanted) -> anyhow::Result<()> {
    let term = Term::stdout();
    let (mut wanted, mut back) = (first, Vec::new());
    let mut last: Option<Part> = None;
    loop {
        let (rows, columns) = term.size();
        let (rows, columns) = (usize::from(rows).saturating_sub(1).max(1), usize::from(columns).max(1));
        let limit = Chars((rows * columns) as u64).min(MAX_LIMIT);
        let mut remark = String::new();
        match text.part(&wanted, limit).await? {
            Err(words) => remark = words,
            Ok(part) => {
                let part = brought_up(part, rows, columns);
                let shown = show(&part, rows, columns)?;
                back.push(part.start);
                last = Some(Part { text: shown, ..part });
            }
        }
        let Some(part) = &last else { anyhow::bail!(remark) };
        let end = Chars(part.start.get() + Chars::of(&part.text).get());
        if remark.is_empty() && back.len() == 1 && part.start == Chars::ZERO && end == part.total {
            return Ok(()); // All of it is on the screen.
        }
        let status = status(part, end, &remark);
        wanted = loop {
            write!(anstream::stdout(), "{DIM}{status}{DIM:#}")?;
            std::io::stdout().flush()?;
            let keys = term.clone();
            let key = tokio::task::spawn_blocking(move || keys.read_key()).await?;
            term.clear_line()?;
            match key? {
                Key::Char(' ' | 'f') | Key::Enter | Key::PageDown | Key::ArrowDown if end < part.total => {
                    break Wanted::From(end);
                }
                Key::Char(' ' | 'f') | Key::Enter | Key::PageDown | Key::ArrowDown => return Ok(()),
                Key::Char('b') | Key::PageUp | Key::ArrowUp => {
                    back.pop();
                    let before = Chars(part.start.get().saturating_sub(limit.get() / 2));
                    break Wanted::From(back.pop().unwrap_or(before));
                }
                Key::Char('g') | Key::Home => break Wanted::From(Chars::ZERO),
                Key::Char('/') => {
                    write!(std::io::stdout(), "/")?;
                    std::io::stdout().flush()?;
                    let line = term.clone();
                    let phrase = tokio::task::spawn_blocking(move || line.read_line()).await??;
                    if !phrase.is_empty() {
                        break Wanted::Find(phrase);
                    }
                }
                Key::Char('n') => {
                    if let Some(cursor) = &part.next_match {
                        break Wanted::Next(cursor.clone());
                    }
                }
                Key::Char('q' | 'Q') | Key::Escape | Key::CtrlC => return Ok(()),
                _ => {}
            }
        };
    }
}

/// Lets a part begin with its match where the lines before it would push it off the screen.
fn brought_up(part: Part, rows: usize, columns: usize) -> Part {
    let Some(hit) = part.hit else { return part };
    let seen = &part.text[..screenful(&visible(&part.text), &part.text, rows, columns)];
    if hit.end().get() <= part.start.get() + Chars::of(seen).get() {
        return part;
    }
    let before = usize::try_from(hit.start().get().saturating_sub(part.start.get())).unwrap_or(usize::MAX);
    let text = part.text.chars().skip(before).collect();
    Part { start: hit.start().max(part.start), text, ..part }
}

/// Prints as much of a part as the screen holds, and gives it.
fn show(part: &Part, rows: usize, columns: usize) -> anyhow::Result<String> {
    let shown = &part.text[..screenful(&visible(&part.text), &part.text, rows, columns)];
    let mut out = String::new();
    for (index, c) in shown.chars().enumerate() {
        let at = Chars(part.start.get() + index as u64);
        if part.hit.is_some_and(|hit| hit.start() == at) {
            out.push_str(&FOUND.render().to_string());
        }
        if part.hit.is_some_and(|hit| hit.end() == at) {
            out.push_str(&FOUND.render_reset().to_string());
        }
        out.push_str(&visible(c.encode_utf8(&mut [0; 4])));
    }
    let end = if shown.ends_with('\n') { "" } else { "\n" };
    write!(anstream::stdout(), "{out}{}{end}", FOUND.render_reset())?;
    Ok(shown.to_owned())
}

/// How many bytes of a text fit on the screen; at least one character, so that paging comes to an end. What is shown has the
/// same number of characters as the text.
fn screenful(shown: &str, text: &str, rows: usize, columns: usize) -> usize {
    let (mut row, mut column) = (0, 0);
    for ((at, c), seen) in text.char_indices().zip(shown.chars()) {
        let width = match seen {
            '\n' => 0,
            '\t' => 8 - column % 8,
            seen => console::measure_text_width(seen.encode_utf8(&mut [0; 4])),
        };
        if column + width > columns {
            (row, column) = (row + 1, 0);
        }
        if row >= rows {
            return at.max(text.chars().next().map_or(0, char::len_utf8));
        }
        column += width;
        if c == '\n' {
            (row, column) = (row + 1, 0);
        }
    }
    text.len()
}

fn status(part: &Part, end: Chars, remark: &str) -> String {
    let percent = end.get().saturating_mul(100).checked_div(part.total.get()).unwrap_or(100);
    let remark = if remark.is_empty() { String::new() } else { format!(" {remark};") };
    format!(
        "[{} of {} chars, {percent}%;{remark} {KEYS}]",
        HumanCount(end.get()),
        HumanCount(part.total.get())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(text: &str, rows: usize, columns: usize) -> &str {
        &text[..screenful(&visible(text), text, rows, columns)]
    }

    #[test]
    fn a_screen_holds_its_rows() {
        assert_eq!(fits("a\nb\nc\nd", 2, 80), "a\nb\n");
        assert_eq!(fits("abcdef", 2, 2), "abcd");
        assert_eq!(fits("日本語", 1, 5), "日本");
        assert_eq!(fits("a\tb", 1, 8), "a\t");
        assert_eq!(fits("short", 3, 80), "short");
        assert_eq!(fits("ab\n\n\n\nc", 3, 2), "ab\n\n\n");
    }

    #[test]
    fn a_match_is_on_the_screen() {
        let hit = Some(Span::at(Chars(16), Chars(5)));
        let part = Part {
            start: Chars(10),
            total: Chars(99),
            text: "\n\n\n\n\n\nheron and more".into(),
            hit,
            next_match: None,
        };
        let up = brought_up(part.clone(), 3, 80);
        assert_eq!((up.start, up.text.as_str()), (Chars(16), "heron and more"));
        assert_eq!(brought_up(part, 30, 80).start, Chars(10));
    }

    #[test]
    fn paging_comes_to_an_end() {
        assert_eq!(fits("日本", 1, 1), "日");
        assert_eq!(fits("", 1, 1), "");
    }
}
