//! The parts of a mail's text: own words, quoted replies, a signature; and how deep a subject is in its thread.

use stepwell_sdk::Span;
use stepwell_sdk::text::{Line, chars, lines};

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The sender's own words.
    Own,
    /// What somebody said before.
    Quoted,
    /// The sender's signature.
    Signature,
}

/// A part of a mail's text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) kind: Kind,
    /// From the first letter of its first line to the last of its last.
    pub(crate) at: Span,
    /// The lines that say something.
    pub(crate) lines: u32,
}

/// Divides a text into its parts, in its order.
pub(crate) fn parts(text: &str) -> Vec<Part> {
    let all: Vec<Line<'_>> = lines(text).filter(|line| !line.text.is_empty()).collect();
    let mut parts: Vec<Part> = Vec::new();
    // What everything from here on is, once a line has said so.
    let mut rest = None;
    for (index, line) in all.iter().enumerate() {
        let next = all.get(index + 1).map_or("", |next| next.text);
        rest = rest.or_else(|| starts_rest(line.text));
        let kind =
            rest.unwrap_or(if is_quoted(line.text, next, parts.last()) { Kind::Quoted } else { Kind::Own });
        match parts.last_mut() {
            Some(part) if part.kind == kind => {
                part.at.end = line.at.end;
                part.lines += 1;
            }
            _ => parts.push(Part { kind, at: line.at, lines: 1 }),
        }
    }
    parts
}

/// Lines after which nothing is the sender's own text any more.
fn starts_rest(line: &str) -> Option<Kind> {
    // The separator is "-- "; its space is often lost on the way.
    if line == "--" {
        return Some(Kind::Signature);
    }
    let words = line.trim_matches('-').trim();
    let is_ruled = line.starts_with("-----") && line.ends_with("-----");
    let known = ["Original Message", "Forwarded message", "Ursprüngliche Nachricht"];
    (is_ruled && known.iter().any(|known| words.eq_ignore_ascii_case(known))).then_some(Kind::Quoted)
}

/// Whether a line is quoted, or says who is quoted next. That is often broken into two lines.
fn is_quoted(line: &str, next: &str, last: Option<&Part>) -> bool {
    let introduces = |line: &str| line.ends_with("wrote:") || line.ends_with("schrieb:");
    let begins = line.starts_with("On ") || line.starts_with("Am ");
    let goes_on = introduces(line) && last.is_some_and(|part| part.kind == Kind::Quoted);
    line.starts_with('>') || (begins && (introduces(line) || introduces(next))) || goes_on
}

/// Where a subject starts after its prefixes, and how many of them say that it is an answer.
pub(crate) fn subject(text: &str) -> (u32, u32) {
    let (mut rest, mut depth) = (text.trim_start(), 0);
    while let Some((prefix, tail)) = rest.split_once(':') {
        // Some programs count: "Re[3]:", "Re^2:".
        let (word, count) = match prefix.trim().split_once(['[', '^', '(']) {
            Some((word, count)) => {
                (word, count.trim_end_matches([']', ')']).parse().unwrap_or(1_u32).min(99))
            }
            None => (prefix.trim(), 1),
        };
        let is = |known: &[&str]| known.iter().any(|known| word.eq_ignore_ascii_case(known));
        match () {
            () if is(&["re", "aw", "sv", "antw"]) => depth += count,
            () if is(&["fwd", "fw", "wg"]) => {}
            () => break,
        }
        rest = tail.trim_start();
    }
    (chars(&text[..text.len() - rest.len()]), depth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwell_sdk::text::slice;

    fn shown(text: &str) -> Vec<(Kind, &str, u32)> {
        parts(text).iter().map(|part| (part.kind, slice(text, part.at), part.lines)).collect()
    }

    #[test]
    fn quotes_and_signature_are_told_from_own_words() {
        let mail = "Hi Bén,\n\nyes.\n\nOn Mon, 3 March, Bén\n<ben@example.org> wrote:\n> Lunch?\n>> No.\n\nSee you.\n-- \nAnn\n> x";
        assert_eq!(
            shown(mail),
            [
                (Kind::Own, "Hi Bén,\n\nyes.", 2),
                (Kind::Quoted, "On Mon, 3 March, Bén\n<ben@example.org> wrote:\n> Lunch?\n>> No.", 4),
                (Kind::Own, "See you.", 1),
                (Kind::Signature, "--\u{20}\nAnn\n> x", 3),
            ]
        );
    }

    #[test]
    fn after_an_original_message_nothing_is_own() {
        let mail = "ok\r\n-----Original Message-----\r\nFrom: x\r\nhello";
        assert_eq!(shown(mail)[1], (Kind::Quoted, "-----Original Message-----\r\nFrom: x\r\nhello", 3));
        assert_eq!(shown("On the way.\nI wrote: nothing")[0].0, Kind::Own);
        assert_eq!(shown(" \n\n"), []);
        assert_eq!(shown(">")[0].0, Kind::Quoted);
    }

    #[test]
    fn subjects_know_their_depth() {
        for (text, expected) in [
            ("Lunch", (0, 0)),
            ("Re: Lunch", (4, 1)),
            (" RE: Aw:Fwd: Lunch: where?", (13, 2)),
            ("Re[3]: x", (7, 3)),
            ("Re[99999999999]: x", (17, 1)),
            ("Grüße: x", (0, 0)),
            ("Re:", (3, 1)),
            ("", (0, 0)),
        ] {
            assert_eq!(subject(text), expected, "{text}");
        }
    }
}
