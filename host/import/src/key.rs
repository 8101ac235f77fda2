//! Keys that an id can carry: readable, the same on every run, and different for what is different.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// The longest key that is taken as it is, in bytes.
const LONGEST: usize = 160;
/// How much of what a key stands for is kept for people, in chars.
const READABLE: usize = 60;
/// How many hexadecimal digits of the digest stand in a key: 96 bits.
const DIGITS: usize = 24;

/// Makes a key of any text. A text that is a fit key stays as it is; any other keeps what is readable of it and gets a
/// digest of the whole. No text that stays as it is looks like one with a digest, so two texts never share a key.
pub(crate) fn of(text: &str) -> String {
    if is_fit(text) { text.to_owned() } else { with_digest(text, text.as_bytes()) }
}

/// Makes a key that also names some content.
pub(crate) fn with_digest(text: &str, content: &[u8]) -> String {
    let mut key = readable(text);
    if !key.is_empty() {
        key.push('~');
    }
    key + &digits(content)
}

/// Names content that has no name of its own.
pub(crate) fn unnamed(word: &str, content: &[u8]) -> String {
    format!("{word}~{}", digits(content))
}

/// Names a numbered part of what another key names.
pub(crate) fn part(key: &str, number: usize) -> String {
    format!("{key}:{number}")
}

/// A name for a connection or a stream, of letters, digits and `_`.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().take(READABLE) {
        match c {
            _ if c.is_alphanumeric() => slug.extend(c.to_lowercase()),
            _ if slug.ends_with('_') || slug.is_empty() => {}
            _ => slug.push('_'),
        }
    }
    slug.trim_end_matches('_').to_owned()
}

fn is_fit(text: &str) -> bool {
    let has_digest = || text.rsplit_once('~').is_some_and(|(_, tail)| is_digest(tail)) || is_digest(text);
    !text.is_empty()
        && text.len() <= LONGEST
        && text.chars().all(is_plain)
        && !text.starts_with('.')
        && !text.ends_with('.')
        && !text.contains("..")
        && !has_digest()
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "-_.@+=~$%&!#*':,".contains(c)
}

fn is_digest(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn readable(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let c = if is_plain(c) && c != '~' { c } else { '_' };
        // Neither two dots nor a row of underlines.
        if !(matches!(c, '_' | '.') && (out.is_empty() || out.ends_with(c))) {
            out.push(c);
        }
        if out.chars().count() >= READABLE {
            break;
        }
    }
    out.trim_end_matches(['_', '.']).to_owned()
}

fn digits(content: &[u8]) -> String {
    let mut digits = String::with_capacity(DIGITS);
    for byte in Sha256::digest(content).iter().take(DIGITS / 2) {
        // A `String` takes any text, so there is no failure to report.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{any, proptest};
    use stepwell_contract::RecordId;

    #[test]
    fn what_is_fit_stays_and_what_is_not_stays_readable() {
        assert_eq!(of("CAF+a=1$2@mail.example"), "CAF+a=1$2@mail.example");
        assert_eq!(of("日本語"), "日本語");
        for (text, starts) in [
            ("notes/2026/May plan.md", "notes_2026_May_plan.md~"),
            ("https://a.example/b?c", "https:_a.example_b_c~"),
            ("../../etc/passwd", "etc_passwd~"),
            ("a..b", "a.b~"),
        ] {
            let key = of(text);
            assert!(key.starts_with(starts) && key.len() == starts.len() + DIGITS, "{text} became {key}");
        }
        assert_eq!(of("").len(), DIGITS);
        assert_ne!(of(&of("a/b")), of("a/b"), "a key that looks derived is derived again");
        assert_eq!(slug("Home mail (2026).mbox"), "home_mail_2026_mbox");
    }

    proptest! {
        #[test]
        fn every_text_gets_a_key_that_an_id_can_carry(text in any::<String>(), other in any::<String>()) {
            assert!(RecordId::new(of(&text)).is_ok());
            assert!(RecordId::new(part(&of(&text), 3)).is_ok());
            assert_eq!(of(&text) == of(&other), text == other);
        }
    }
}
