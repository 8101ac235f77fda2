//! Text in code points, the unit of every span.

use crate::Span;

/// Counts the code points of a text.
#[must_use]
pub fn chars(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

/// Finds the byte at which the `at`-th code point starts, or the end of the text.
#[must_use]
pub fn byte_of(text: &str, at: u32) -> usize {
    text.char_indices().nth(at as usize).map_or(text.len(), |(byte, _)| byte)
}

/// Cuts a span out of a text; what lies past the end is simply not there.
#[must_use]
pub fn slice(text: &str, at: Span) -> &str {
    let from = byte_of(text, at.start);
    let tail = &text[from..];
    &tail[..byte_of(tail, at.end.saturating_sub(at.start))]
}

/// The longest prefix that takes at most `bytes` bytes.
#[must_use]
pub fn prefix(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// The longest prefix of at most `bytes` bytes that ends at the end of a word, if there is one in its last third.
#[must_use]
pub fn prefix_of_words(text: &str, bytes: usize) -> &str {
    let cut = prefix(text, bytes);
    if cut.len() == text.len() {
        return cut.trim_end();
    }
    let ends_whole = text[cut.len()..].starts_with(char::is_whitespace);
    match cut.rfind(char::is_whitespace) {
        Some(space) if !ends_whole && space >= cut.len() * 2 / 3 => cut[..space].trim_end(),
        _ => cut.trim_end(),
    }
}

/// The first line that says something, as a span of the text, without the white space around it.
#[must_use]
pub fn first_line(text: &str) -> Option<Span> {
    lines(text).find(|line| !line.text.is_empty()).map(|line| line.at)
}

/// A line of a text, without the white space around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line<'a> {
    /// What it says.
    pub text: &'a str,
    /// Where it stands.
    pub at: Span,
}

/// Walks over the lines of a text, counting code points on the way.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |raw| {
        let trimmed = raw.trim();
        let indent = chars(&raw[..raw.len() - raw.trim_start().len()]);
        let from = if trimmed.is_empty() { start } else { start + indent };
        start += chars(raw);
        Line { text: trimmed, at: Span { start: from, end: from + chars(trimmed) } }
    })
}

/// Writes a count as a reader says it: `950`, `12.3 k`, `3.1 M`.
#[must_use]
pub fn count(n: u32) -> String {
    match n {
        0..1_000 => n.to_string(),
        1_000..1_000_000 => format!("{:.1} k", f64::from(n) / 1e3),
        _ => format!("{:.1} M", f64::from(n) / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_cuts_in_code_points() {
        let text = "aé日🙂z";
        assert_eq!(chars(text), 5);
        assert_eq!(slice(text, Span { start: 1, end: 4 }), "é日🙂");
        assert_eq!(slice(text, Span { start: 4, end: 99 }), "z");
        assert_eq!(prefix(text, 5), "aé");
    }

    #[test]
    fn a_prefix_ends_with_a_word_where_that_costs_little() {
        assert_eq!(prefix_of_words("one two three", 11), "one two");
        assert_eq!(prefix_of_words("one two three", 7), "one two");
        assert_eq!(prefix_of_words("onetwothree", 5), "onetw");
        assert_eq!(prefix_of_words("short ", 99), "short");
    }

    #[test]
    fn lines_know_where_they_stand() {
        let all: Vec<_> =
            lines("é\n  two \r\n\nlast").map(|line| (line.text, line.at.start, line.at.end)).collect();
        assert_eq!(all, [("é", 0, 1), ("two", 4, 7), ("", 10, 10), ("last", 11, 15)]);
        assert_eq!(first_line("\n \n x\n"), Some(Span { start: 4, end: 5 }));
        assert_eq!(first_line(" \n"), None);
    }

    #[test]
    fn counts_are_short() {
        assert_eq!([count(950), count(12_345), count(3_100_000)], ["950", "12.3 k", "3.1 M"]);
    }
}
