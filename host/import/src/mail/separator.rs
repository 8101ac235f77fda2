//! The line that begins a message of an mbox: `From sender date`.

use super::message;
use mail_parser::DateTime;

/// Whether a line begins a message. Texts have lines that begin with "From " too, and not every program marks them, so a
/// time and a year have to follow; a line without any is what Thunderbird writes.
pub(super) fn is_separator(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"From ") else { return line.trim_ascii_end() == b"From" };
    let rest = rest.trim_ascii();
    rest.is_empty() || rest == b"-" || (has_clock(rest) && has_year(rest))
}

/// When the message arrived, as the line says: `From a@b.example Thu Aug 22 12:36:23 2002`, with a zone or without one.
pub(super) fn arrived(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?;
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let clock = words.iter().position(|word| has_clock(word.as_bytes()))?;
    let (month, day) = (words.get(clock.checked_sub(2)?)?, words.get(clock - 1)?);
    let rest = &words[clock + 1..];
    let year = rest.iter().find(|word| has_year(word.as_bytes()))?;
    let zone = rest.iter().find(|word| word.starts_with(['+', '-']) && word.len() == 5).unwrap_or(&"+0000");
    let date = DateTime::parse_rfc822(&format!("{day} {month} {year} {} {zone}", words[clock]))?;
    message::spell(&date)
}

/// Whether there is something like 12:36.
fn has_clock(text: &[u8]) -> bool {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    (1..text.len()).any(|at| text[at] == b':' && is_digit(at - 1) && is_digit(at + 1) && is_digit(at + 2))
}

/// Whether there is a word of four digits.
fn has_year(text: &[u8]) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace);
    words.any(|word| word.len() == 4 && word.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_separators_from_sentences() {
        for line in [
            "From a@b.example Thu Aug 22 12:36:23 2002\n",
            "From - Sat Jan  3 01:05:34 1996\r\n",
            "From 1234@xxx Mon Mar 02 10:00:00 +0000 2026\n",
            "From MAILER-DAEMON Fri Jul  8 12:08 2011\n",
            "From \r\n",
            "From - \n",
        ] {
            assert!(is_separator(line.as_bytes()), "{line}");
        }
        for line in [
            "From the beginning of time\n",
            "From 9:30 on we wait\n",
            "Fromage\n",
            ">From a 10:00 2002\n",
            "",
        ] {
            assert!(!is_separator(line.as_bytes()), "{line}");
        }
        assert_eq!(arrived(b"From a@b Thu Aug 22 12:36:23 2002").as_deref(), Some("2002-08-22T12:36:23Z"));
        assert_eq!(
            arrived(b"From 12@xxx Mon Mar 02 10:00:00 +0100 2026").as_deref(),
            Some("2026-03-02T09:00:00Z")
        );
        assert_eq!(arrived(b"From a@b Thu Foo 99 12:36:23 2002"), None);
    }
}
