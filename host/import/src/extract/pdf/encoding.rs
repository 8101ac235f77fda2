//! What the codes of a simple font mean, by the encodings that PDF knows by name.

use super::glyphs;
use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GBK, MACINTOSH, SHIFT_JIS, WINDOWS_1252};

/// The meaning of each of 256 codes.
pub(super) type Table = [Option<Box<str>>; 256];

/// Those codes above ASCII that Adobe's standard encoding has. The others are the same, but for two quotation marks.
const STANDARD: &[(u8, char)] = &[
    (0x27, '’'),
    (0x60, '‘'),
    (0xa1, '¡'),
    (0xa2, '¢'),
    (0xa3, '£'),
    (0xa4, '⁄'),
    (0xa5, '¥'),
    (0xa6, 'ƒ'),
    (0xa7, '§'),
    (0xa8, '¤'),
    (0xa9, '\''),
    (0xaa, '“'),
    (0xab, '«'),
    (0xac, '‹'),
    (0xad, '›'),
    (0xae, 'ﬁ'),
    (0xaf, 'ﬂ'),
    (0xb1, '–'),
    (0xb2, '†'),
    (0xb3, '‡'),
    (0xb4, '·'),
    (0xb6, '¶'),
    (0xb7, '•'),
    (0xb8, '‚'),
    (0xb9, '„'),
    (0xba, '”'),
    (0xbb, '»'),
    (0xbc, '…'),
    (0xbd, '‰'),
    (0xbf, '¿'),
    (0xc1, '`'),
    (0xc2, '´'),
    (0xc3, 'ˆ'),
    (0xc4, '˜'),
    (0xc5, '¯'),
    (0xc6, '˘'),
    (0xc7, '˙'),
    (0xc8, '¨'),
    (0xca, '˚'),
    (0xcb, '¸'),
    (0xcd, '˝'),
    (0xce, '˛'),
    (0xcf, 'ˇ'),
    (0xd0, '—'),
    (0xe1, 'Æ'),
    (0xe3, 'ª'),
    (0xe8, 'Ł'),
    (0xe9, 'Ø'),
    (0xea, 'Œ'),
    (0xeb, 'º'),
    (0xf1, 'æ'),
    (0xf5, 'ı'),
    (0xf8, 'ł'),
    (0xf9, 'ø'),
    (0xfa, 'œ'),
    (0xfb, 'ß'),
];

/// The encoding of a name; the standard one if it is none of those.
pub(super) fn table(name: &str) -> Table {
    match name {
        "WinAnsiEncoding" => of(WINDOWS_1252),
        "MacRomanEncoding" => of(MACINTOSH),
        _ => standard(),
    }
}

fn of(encoding: &'static Encoding) -> Table {
    std::array::from_fn(|code| {
        let code = u8::try_from(code).ok()?;
        let text =
            encoding.decode_without_bom_handling_and_without_replacement(std::slice::from_ref(&code))?;
        text.chars().next().filter(|c| !c.is_control()).map(|c| plain(c).into())
    })
}

fn standard() -> Table {
    let mut table: Table = std::array::from_fn(|code| {
        let code = u8::try_from(code).ok().filter(|code| (0x20..0x7f).contains(code))?;
        Some(char::from(code).to_string().into())
    });
    for (code, c) in STANDARD {
        table[usize::from(*code)] = Some(plain(*c).into());
    }
    table
}

/// Sets what an encoding says by the names of glyphs.
pub(super) fn name(table: &mut Table, code: u8, glyph: &str) {
    table[usize::from(code)] = glyphs::text(glyph).map(Into::into);
}

/// The encoding that the codes of a named CMap are written in, with how many bytes it takes; none if it is no text.
pub(super) fn legacy(cmap: &str) -> Option<&'static Encoding> {
    let is = |parts: &[&str]| parts.iter().any(|part| cmap.contains(part));
    Some(match cmap {
        _ if is(&["RKSJ"]) => SHIFT_JIS,
        "EUC-H" | "EUC-V" => EUC_JP,
        _ if is(&["GBK", "GB-EUC", "GBpc"]) => GBK,
        _ if is(&["B5", "ETen", "HKscs"]) => BIG5,
        _ if is(&["KSC"]) => EUC_KR,
        _ => return None,
    })
}

/// A character as people search for it: ligatures are their letters.
pub(super) fn plain(c: char) -> String {
    match c {
        '\u{fb00}' => "ff".into(),
        '\u{fb01}' => "fi".into(),
        '\u{fb02}' => "fl".into(),
        '\u{fb03}' => "ffi".into(),
        '\u{fb04}' => "ffl".into(),
        '\u{fb05}' | '\u{fb06}' => "st".into(),
        // A soft hyphen is drawn where a word is parted.
        '\u{ad}' => "-".into(),
        '\u{a0}' => " ".into(),
        c => c.into(),
    }
}
