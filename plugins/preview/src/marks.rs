//! Lines of a text at which something new begins.

use std::collections::HashMap;
use stepwell_sdk::Span;
use stepwell_sdk::text::{Line, lines};

/// A place where something new begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mark {
    /// The line that says so.
    pub(crate) line: Span,
    /// How much of a break it is; when there are too many, the strongest stay.
    pub(crate) strength: u8,
}

/// Finds headings, borders between mails, and turns of a conversation.
pub(crate) fn find(text: &str) -> Vec<Mark> {
    let lines: Vec<_> = lines(text).collect();
    let speakers = speakers(&lines);
    let mut marks = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let before = index.checked_sub(1).map(|i| lines[i].text);
        let after = &lines[index + 1..];
        if let Some(strength) = strength(line.text, before, after, &speakers) {
            marks.push(Mark { line: line.at, strength });
        }
    }
    marks
}

fn strength(line: &str, before: Option<&str>, after: &[Line<'_>], speakers: &[&str]) -> Option<u8> {
    if line.is_empty() {
        return None;
    }
    if let Some(level) = markdown_level(line) {
        return Some(20 - level);
    }
    if is_mail_border(line, after) {
        return Some(18);
    }
    let next = after.first().map_or("", |line| line.text);
    if is_rule(next, '=') || is_rule(next, '-') && before.is_none_or(str::is_empty) && !is_rule(line, '-') {
        return (line.len() <= 120).then_some(if next.starts_with('=') { 19 } else { 17 });
    }
    if before.is_none_or(str::is_empty) && is_chapter(line) {
        return Some(17);
    }
    if before.is_none_or(str::is_empty) && is_shouted(line) {
        return Some(12);
    }
    speaker(line).filter(|name| speakers.contains(name)).map(|_| 8)
}

fn markdown_level(line: &str) -> Option<u8> {
    let hashes = line.bytes().take_while(|b| *b == b'#').count();
    let rest = &line[hashes..];
    ((1..=6).contains(&hashes) && rest.starts_with(' ') && !rest.trim().is_empty()).then_some(hashes as u8)
}

fn is_rule(line: &str, mark: char) -> bool {
    line.len() >= 3 && line.chars().all(|c| c == mark)
}

/// "On … wrote:" (which mailers wrap), "-----Original Message-----", and blocks of mail headers.
fn is_mail_border(line: &str, after: &[Line<'_>]) -> bool {
    let next = after.first().map_or("", |line| line.text);
    let intro = |start: &str, end: &str| {
        line.starts_with(start)
            && line.len() <= 250
            && (line.ends_with(end) || (!line.ends_with('.') && next.len() <= 120 && next.ends_with(end)))
            && line.bytes().any(|b| b.is_ascii_digit())
    };
    let is_intro =
        intro("On ", "wrote:") || intro("Am ", ":") && (line.contains("schrieb") || next.contains("schrieb"));
    let is_intro =
        is_intro || intro("Le ", "a écrit :") || intro("Le ", "a écrit\u{a0}:") || intro("El ", "escribió:");
    let lower = line.to_lowercase();
    let is_rule = lower.starts_with('-')
        && ["original message", "forwarded message", "ursprüngliche nachricht", "message d'origine"]
            .iter()
            .any(|words| lower.trim_matches(['-', ' ']).starts_with(words));
    let is_block = (line.starts_with("From: ") || line.starts_with("*From:* ") || line.starts_with("Von: "))
        && after.iter().take(4).any(|line| {
            ["Date:", "Sent:", "To:", "Subject:", "Gesendet:", "*Sent:*", "*Date:*", "*To:*"]
                .iter()
                .any(|header| line.text.starts_with(header))
        });
    is_intro || is_rule || is_block
}

fn is_chapter(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default().to_lowercase();
    let second = words.next().unwrap_or_default();
    let is_named = ["chapter", "part", "section", "appendix", "book", "act", "kapitel", "chapitre"]
        .contains(&first.as_str());
    let is_number = !second.is_empty()
        && second
            .trim_end_matches(['.', ':'])
            .chars()
            .all(|c| c.is_ascii_digit() || "IVXLCDM".contains(c) || c.is_ascii_uppercase());
    line.chars().count() <= 80 && is_named && is_number
}

fn is_shouted(line: &str) -> bool {
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 4
        && line.chars().count() <= 70
        && !line.ends_with(['.', ',', ';'])
        && !line.chars().any(char::is_lowercase)
        && line.chars().any(char::is_uppercase)
}

/// The name before a colon at the start of a line, if it could be one; a leading time in brackets is skipped.
fn speaker(line: &str) -> Option<&str> {
    let line = match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((stamp, rest)) if stamp.bytes().any(|b| b.is_ascii_digit()) => rest.trim_start(),
        _ => line,
    };
    let line = line.trim_start_matches('*');
    let (name, rest) = line.split_once(':')?;
    let name = name.trim_end_matches('*');
    let fits = (1..=32).contains(&name.chars().count()) && name.split_whitespace().count() <= 4;
    let starts = name.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_ascii() && c.is_alphabetic());
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || " .'-_()".contains(c));
    (fits && starts && is_plain && (rest.is_empty() || rest.starts_with([' ', '*', '\t']))).then_some(name)
}

/// Who speaks in turns: at least two names, each more than once. "Note:" alone is no conversation.
fn speakers<'a>(lines: &[Line<'a>]) -> Vec<&'a str> {
    let mut turns: HashMap<&str, u32> = HashMap::new();
    for name in lines.iter().filter_map(|line| speaker(line.text)) {
        *turns.entry(name).or_default() += 1;
    }
    let mut often: Vec<_> =
        turns.into_iter().filter(|(_, times)| *times >= 2).map(|(name, _)| name).collect();
    often.sort_unstable();
    if often.len() >= 2 { often } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwell_sdk::text::slice;

    fn found(text: &str) -> Vec<&str> {
        find(text).iter().map(|mark| slice(text, mark.line)).collect()
    }

    #[test]
    fn headings_of_several_kinds() {
        let text = "# One\ntext\n## Two\n\nTitle\n=====\nmore\n\nCHAPTER IV\n\nChapter 12: Home\n#hash\n####### no\n";
        assert_eq!(found(text), ["# One", "## Two", "Title", "CHAPTER IV", "Chapter 12: Home"]);
    }

    #[test]
    fn borders_between_mails() {
        let text = "Hi\n\nOn Tue, 3 Mar 2026 at 10:00, Ann <a@x.org> wrote:\n> a\nOn Mon, 2 Mar 2026, Bob\n<b@x.org> wrote:\n> b\n\
                    -----Original Message-----\nFrom: Ann\nSent: Monday\nOn the other hand I wrote nothing.\nFrom: nowhere\nx";
        let marks = found(text);
        assert_eq!(marks.len(), 4, "{marks:?}");
        assert!(marks[0].starts_with("On Tue") && marks[1].starts_with("On Mon") && marks[3] == "From: Ann");
    }

    #[test]
    fn turns_need_two_voices() {
        assert_eq!(found("User: hi\nAssistant: hello\nmore\nUser: bye\nAssistant: bye").len(), 4);
        assert_eq!(found("[10:02] Ann: hi\n[10:03] Bob: yo\n[10:04] Ann: so\n[10:05] Bob: ok").len(), 4);
        assert!(found("Note: a\nb\nNote: c").is_empty());
        assert!(found("see http://x.org\nand https://y.org").is_empty());
    }
}
