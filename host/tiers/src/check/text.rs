//! Text of a tier's own.

use stepwell_contract::quote::strip_control;

/// Puts a text on one line, without control and bidi characters, in at most `bytes` bytes.
#[must_use]
pub fn clean(text: &str, bytes: usize) -> String {
    // Cut first, roughly: a hostile text may be far longer than what is kept of it.
    let rough = &text[..text.floor_char_boundary(bytes.saturating_mul(4))];
    let mut clean = strip_control(rough).trim().to_owned();
    clean.truncate(clean.floor_char_boundary(bytes));
    clean.truncate(clean.trim_end().len());
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_one_visible_line_within_its_bytes() {
        assert_eq!(clean(" a\nb\t\u{202e}c\u{0}\u{1b}[31m ", 99), "a b c[31m");
        assert_eq!(clean("日本語", 7), "日本");
        assert_eq!(clean("ab cd", 3), "ab");
        assert_eq!(clean("x", 0), "");
    }
}
