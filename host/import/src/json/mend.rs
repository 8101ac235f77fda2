//! JSON that is a little broken, as exports are: half a character, bytes that are no UTF-8, or an escape that only
//! JavaScript knows.

use serde_json::Value;
use std::borrow::Cow;

/// Reads a value; what is no character in it becomes U+FFFD.
pub(crate) fn parse(raw: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_str(&whole(&String::from_utf8_lossy(raw)))
}

/// Replaces every escape of half a surrogate pair that has no other half beside it, and spells `\x1F`, as Telegram writes
/// control characters, as JSON does.
fn whole(json: &str) -> Cow<'_, str> {
    if !["\\ud", "\\uD", "\\x"].iter().any(|odd| json.contains(odd)) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let (kept, length) = match unit(escape) {
            Some(0xD800..=0xDBFF) if matches!(escape.get(6..).and_then(unit), Some(0xDC00..=0xDFFF)) => {
                (&escape[..12], 12)
            }
            Some(0xD800..=0xDFFF) => ("\\ufffd", 6),
            None if hexadecimal(escape).is_some() => {
                out.push_str("\\u00");
                (&escape[2..4], 4)
            }
            _ => {
                // The backslash and the character that it stands before, however long that is.
                let length = 1 + escape[1..].chars().next().map_or(0, char::len_utf8);
                (&escape[..length], length)
            }
        };
        out.push_str(kept);
        rest = &escape[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The digits of an escape such as `\x1F`.
fn hexadecimal(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("\\x")?.get(..2)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(digits)
}

/// The UTF-16 unit that an escape at the beginning of a text stands for.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn half_a_character_is_replaced_and_nothing_else() {
        for (raw, value) in [
            (r#""\ud83d alone""#, "\u{fffd} alone"),
            (r#""\ude00\uD83D\uDE00\ud83d""#, "\u{fffd}😀\u{fffd}"),
            (r#""\\ud83d \" \u00e9 \ud83d\n""#, "\\ud83d \" é \u{fffd}\n"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""a\x1Fb \\x1F""#, "a\u{1f}b \\x1F"),
        ] {
            assert_eq!(parse(raw.as_bytes()).unwrap(), json!(value), "{raw}");
        }
        assert_eq!(parse(b"\"caf\xe9\"").unwrap(), json!("caf\u{fffd}"));
        for broken in [r#""\ud83"#, r#""\"#, "\"\\u", r#""\x1""#, r#""\xgg""#, "{", ""] {
            assert!(parse(broken.as_bytes()).is_err(), "{broken}");
        }
    }
}
