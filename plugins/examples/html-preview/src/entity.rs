//! Characters that HTML spells out.

/// The longest spelling that is looked at, in bytes.
const LONGEST: usize = 12;

/// The names that are common in mail and on pages.
const NAMES: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("ndash", '–'),
    ("mdash", '—'),
    ("hellip", '…'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("bull", '•'),
    ("middot", '·'),
    ("euro", '€'),
    ("pound", '£'),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("deg", '°'),
    ("times", '×'),
    ("szlig", 'ß'),
    ("auml", 'ä'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("Auml", 'Ä'),
    ("Ouml", 'Ö'),
    ("Uuml", 'Ü'),
    ("agrave", 'à'),
    ("eacute", 'é'),
    ("egrave", 'è'),
    ("ccedil", 'ç'),
    ("ntilde", 'ñ'),
];

/// The character that a text begins with in spelled form, and how many bytes that takes. What is no such thing, or
/// stands for something that nobody can see, is none.
pub(crate) fn decode(text: &str) -> Option<(char, usize)> {
    let head = &text.as_bytes()[..text.len().min(LONGEST)];
    let end = head.iter().position(|byte| *byte == b';')?;
    let name = text.get(1..end)?;
    let c = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|c| !c.is_control() || c.is_whitespace())?
        }
        None => NAMES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((c, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_spellings_are_read_and_others_left() {
        for (text, expected) in [
            ("&amp;x", Some(('&', 5))),
            ("&Auml;", Some(('Ä', 6))),
            ("&#8364;", Some(('€', 7))),
            ("&#x1F98A;", Some(('🦊', 9))),
            ("&#10;", Some(('\n', 5))),
            ("&", None),
            ("&;", None),
            ("& b;", None),
            ("&unknown;", None),
            ("&#0;", None),
            ("&#x110000;", None),
            ("&#99999999999999;", None),
            ("&é日本語語;", None),
        ] {
            assert_eq!(decode(text), expected, "{text}");
        }
    }
}
