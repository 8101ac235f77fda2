//! Text that came from outside, made safe to print beside text of our own.

use std::fmt::Write as _;

/// Writes a text as a JSON string in which nothing is hidden: parsing it gives the exact text back.
///
/// Characters that a reader cannot see, or that reorder what stands around them, appear as `\uXXXX`. Unlike a removal
/// this keeps an id usable, and unlike the raw character it cannot forge a line or hide an instruction.
#[must_use]
pub fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_json_string(text, &mut out);
    out
}

/// The same at the end of a text.
pub fn push_json_string(text: &str, out: &mut String) {
    out.push('"');
    // Most of what is quoted is plain, and plain text is taken whole.
    let (plain, rest) = text.split_at(plain_bytes(text.as_bytes()));
    out.push_str(plain);
    for c in rest.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if c.is_control() || breaks_line(c) || is_invisible(c) => push_escape(out, c),
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// How many bytes at the start of a text are printable ASCII that needs no escape: looked at many at a time, and then singly.
fn plain_bytes(bytes: &[u8]) -> usize {
    const BLOCK: usize = 16;
    let is_plain = |byte: &u8| (b' '..=b'~').contains(byte) & (*byte != b'"') & (*byte != b'\\');
    let blocks = bytes.chunks_exact(BLOCK);
    let are_plain = |block: &&[u8]| block.iter().fold(1, |all, byte| all & u8::from(is_plain(byte))) == 1;
    let plain = blocks.take_while(are_plain).count() * BLOCK;
    plain + bytes[plain..].iter().take_while(|byte| is_plain(byte)).count()
}

/// Quotes the beginning of a text, for error messages: whoever sent a long value knows it.
#[must_use]
pub fn excerpt(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        None => json_string(text),
        Some((cut, _)) => json_string(&text[..cut]) + "…",
    }
}

/// Makes a label of a text: one line, without anything that a reader could not see.
///
/// Joiners and the two emoji selectors stay, because words and emoji are spelled with them.
#[must_use]
pub fn strip_control(text: &str) -> String {
    text.chars()
        .filter_map(|c| match c {
            '\n' | '\r' | '\t' => Some(' '),
            _ if breaks_line(c) => Some(' '),
            '\u{200C}' | '\u{200D}' | '\u{FE0E}' | '\u{FE0F}' => Some(c),
            _ if c.is_control() || is_invisible(c) => None,
            _ => Some(c),
        })
        .collect()
}

/// Whether some program takes the character for the end of a line.
fn breaks_line(c: char) -> bool {
    matches!(c, '\u{0B}' | '\u{0C}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether the character has no shape of its own: Unicode's `Default_Ignorable_Code_Point`, which holds the bidi
/// controls, the joiners, the fillers, the variation selectors and the tags, and the marks of interlinear notes.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

/// Appends `\uXXXX`, twice for a character outside the basic plane: JSON knows it only as a surrogate pair.
fn push_escape(out: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(quoted: &str) -> String {
        serde_json::from_str(quoted).unwrap()
    }

    /// Any text, with far more of the odd characters than chance would bring.
    fn odd_text() -> impl Strategy<Value = String> {
        let odd = "\u{0}\u{7}\n\r\t\u{85}\"\\/\u{ad}\u{61c}\u{200b}\u{202e}\u{2028}\u{2066}\u{feff}\u{fe0f}\u{e0041}🎉é";
        let c = prop_oneof![any::<char>(), proptest::sample::select(odd.chars().collect::<Vec<_>>())];
        proptest::collection::vec(c, 0..40).prop_map(String::from_iter)
    }

    #[test]
    fn shows_what_would_hide_or_forge() {
        assert_eq!(json_string("cin_4f2a/orders:o1"), r#""cin_4f2a/orders:o1""#);
        assert_eq!(json_string("a\nb\u{202e}c\u{0}"), r#""a\nb\u202ec\u0000""#);
        assert_eq!(json_string("\u{e0041}"), r#""\udb40\udc41""#);
        for c in "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{feff}\u{85}\u{7f}\u{200b}\u{2066}\u{2069}".chars()
        {
            assert_eq!(json_string(&c.to_string()), format!("\"\\u{:04x}\"", c as u32));
        }
        assert_eq!(json_string("日本 émoji 🎉 \"q\" \\"), "\"日本 émoji 🎉 \\\"q\\\" \\\\\"");
    }

    #[test]
    fn an_excerpt_says_that_it_is_one() {
        assert_eq!(excerpt("short"), r#""short""#);
        assert_eq!(excerpt(&"é".repeat(81)), format!("\"{}\"…", "é".repeat(80)));
    }

    #[test]
    fn a_label_is_one_visible_line() {
        assert_eq!(strip_control("a\r\n\tb\u{2028}c"), "a   b c");
        assert_eq!(strip_control("x\u{202e}\u{0}\u{1b}\u{e0041}\u{feff}y"), "xy");
        assert_eq!(
            strip_control("👩\u{200d}🚀 ❤\u{fe0f} می\u{200c}شود"),
            "👩\u{200d}🚀 ❤\u{fe0f} می\u{200c}شود"
        );
    }

    proptest! {
        #[test]
        fn quoting_loses_nothing_and_stays_on_one_visible_line(text in odd_text()) {
            let quoted = json_string(&text);
            prop_assert_eq!(parsed(&quoted), text);
            prop_assert!(!quoted.chars().any(|c| c.is_control() || breaks_line(c) || is_invisible(c)));
        }

        #[test]
        fn every_escaped_character_reads_back(c in any::<char>()) {
            let mut escaped = "\"".to_owned();
            push_escape(&mut escaped, c);
            escaped.push('"');
            prop_assert_eq!(parsed(&escaped), c.to_string());
        }

        #[test]
        fn a_label_needs_no_second_wash(text in odd_text()) {
            let label = strip_control(&text);
            prop_assert!(!label.chars().any(|c| c.is_control() || breaks_line(c)));
            prop_assert_eq!(strip_control(&label), label);
        }
    }
}
