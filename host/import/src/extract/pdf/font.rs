//! What the codes of a string mean in a font, and how wide their glyphs are.

use super::bytes;
use super::encoding::{self, Table};
use encoding_rs::Encoding;
use hayro_cmap::{BfString, CMap};
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};
use std::collections::HashMap;

/// The width of a glyph that nobody says anything about, in parts of the font's size.
const WIDTH: f64 = 0.5;
/// How many widths a font may list.
const WIDTHS: usize = 1 << 16;

/// A font.
#[derive(Debug)]
pub(super) struct Font {
    codes: Codes,
    /// What codes mean, as the program that wrote the file noted for those who read it.
    meaning: Option<CMap>,
    widths: HashMap<u32, f64>,
    width: f64,
}

/// How strings are taken apart.
#[derive(Debug)]
enum Codes {
    /// A byte each, with what it means.
    Bytes(Box<Table>),
    /// Two bytes each, which are numbers of glyphs.
    Glyphs,
    /// As a CMap says.
    Mapped(Box<CMap>),
    /// Characters of UTF-16.
    Utf16,
    /// Characters of another encoding.
    Legacy(&'static Encoding),
}

/// A glyph as it is drawn.
#[derive(Debug, PartialEq)]
pub(super) struct Glyph {
    pub(super) text: String,
    /// In parts of the font's size.
    pub(super) width: f64,
    /// Whether the space between words is added to it.
    pub(super) is_space: bool,
}

impl Font {
    pub(super) fn read(dict: &Dict<'_>) -> Self {
        let subtype = dict.get::<Name<'_>>("Subtype");
        let is_composite = subtype.as_ref().is_some_and(|subtype| subtype.as_str() == "Type0");
        let meaning = dict.get::<Stream<'_>>("ToUnicode").and_then(|stream| cmap(&stream));
        if is_composite {
            let inside =
                dict.get::<Array<'_>>("DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
            let inside = inside.unwrap_or_default();
            let width = inside.get::<Number>("DW").map_or(1.0, |width| width.as_f64() / 1_000.0);
            let widths = inside.get::<Array<'_>>("W").map(|list| composite_widths(&list)).unwrap_or_default();
            return Self { codes: composite_codes(dict), meaning, widths, width };
        }
        // A font that draws its glyphs itself has a measure of its own.
        let is_drawn = subtype.as_ref().is_some_and(|subtype| subtype.as_str() == "Type3");
        let scale =
            match dict.get::<Array<'_>>("FontMatrix").and_then(|matrix| matrix.iter::<Number>().next()) {
                Some(scale) if is_drawn => scale.as_f64().abs(),
                _ => 0.001,
            };
        let first = dict.get::<Number>("FirstChar").map_or(0, |first| first.as_i64().clamp(0, 255));
        let listed =
            dict.get::<Array<'_>>("Widths").map(|list| list.iter::<Number>().take(256).collect::<Vec<_>>());
        let listed = listed.unwrap_or_default();
        let widths = (first..)
            .zip(listed)
            .filter_map(|(code, width)| Some((u32::try_from(code).ok()?, width.as_f64() * scale)));
        let widths: HashMap<u32, f64> = widths.filter(|(_, width)| *width > 0.0).collect();
        let missing =
            dict.get::<Dict<'_>>("FontDescriptor").and_then(|about| about.get::<Number>("MissingWidth"));
        let width = missing.map(|width| width.as_f64() * scale).filter(|width| *width > 0.0).unwrap_or(WIDTH);
        Self { codes: Codes::Bytes(Box::new(simple_codes(dict))), meaning, widths, width }
    }

    /// The glyphs of a string.
    pub(super) fn glyphs(&self, mut codes: &[u8]) -> Vec<Glyph> {
        let mut glyphs = Vec::new();
        while !codes.is_empty() {
            let (length, number, own) = self.next(codes);
            let code = codes[..length].iter().fold(0, |code, byte| code << 8 | u32::from(*byte));
            codes = &codes[length..];
            let text = self.meant(code).or(own).unwrap_or_else(|| char::REPLACEMENT_CHARACTER.into());
            let width = self.widths.get(&number).copied();
            let is_rough = self.widths.is_empty() && matches!(self.codes, Codes::Bytes(_));
            let width = width.unwrap_or_else(|| if is_rough { rough(&text) } else { self.width });
            glyphs.push(Glyph { text, width, is_space: length == 1 && code == 32 });
        }
        glyphs
    }

    /// The length of the first code, the number that its width stands under, and what it means by itself.
    fn next(&self, codes: &[u8]) -> (usize, u32, Option<String>) {
        let (first, pair) = (u32::from(codes[0]), codes.len().min(2));
        let both = codes[..pair].iter().fold(0, |code, byte| code << 8 | u32::from(*byte));
        match &self.codes {
            Codes::Bytes(table) => (1, first, table[usize::from(codes[0])].as_deref().map(str::to_owned)),
            Codes::Glyphs => (pair, both, None),
            Codes::Mapped(map) => {
                let mut code = 0;
                for (length, byte) in (1..=4).zip(codes) {
                    code = code << 8 | u32::from(*byte);
                    if let Some(number) = map.lookup_cid_code(code, length) {
                        return (usize::from(length), number, None);
                    }
                }
                (pair, both, None)
            }
            Codes::Utf16 => {
                let units = codes.chunks_exact(2).take(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
                match char::decode_utf16(units).next() {
                    Some(Ok(c)) => ((c.len_utf16() * 2).min(codes.len()), both, Some(c.into())),
                    _ => (pair, both, None),
                }
            }
            Codes::Legacy(encoding) => {
                let read = |length: usize| {
                    let text =
                        encoding.decode_without_bom_handling_and_without_replacement(codes.get(..length)?)?;
                    Some((length, both, Some(text.into_owned())))
                };
                read(1).or_else(|| read(2)).or_else(|| read(3)).unwrap_or((pair, both, None))
            }
        }
    }

    /// What the file says that a code means.
    fn meant(&self, code: u32) -> Option<String> {
        let text = match self.meaning.as_ref()?.lookup_bf_string(code)? {
            BfString::Char(c) => encoding::plain(c),
            BfString::String(text) => text.chars().map(encoding::plain).collect(),
        };
        // Some programs note a code that they cannot explain as nothing, or as a character of their own.
        let is_meant = !text.is_empty()
            && !text.chars().all(|c| c.is_control() || ('\u{e000}'..='\u{f8ff}').contains(&c));
        is_meant.then_some(text)
    }
}

fn cmap(stream: &Stream<'_>) -> Option<CMap> {
    CMap::parse(&bytes(stream)?, |_| None)
}

fn composite_codes(dict: &Dict<'_>) -> Codes {
    if let Some(map) = dict.get::<Stream<'_>>("Encoding").and_then(|stream| cmap(&stream)) {
        return Codes::Mapped(Box::new(map));
    }
    let name = dict.get::<Name<'_>>("Encoding");
    match name.as_ref().map(Name::as_str) {
        Some(name) if name.contains("UCS2") || name.contains("UTF16") => Codes::Utf16,
        Some(name) => encoding::legacy(name).map_or(Codes::Glyphs, Codes::Legacy),
        None => Codes::Glyphs,
    }
}

fn simple_codes(dict: &Dict<'_>) -> Table {
    let named = dict.get::<Name<'_>>("Encoding");
    let described = dict.get::<Dict<'_>>("Encoding");
    let about = dict.get::<Dict<'_>>("FontDescriptor").unwrap_or_default();
    let base = named.or_else(|| described.as_ref()?.get::<Name<'_>>("BaseEncoding"));
    let mut table = match &base {
        Some(name) => encoding::table(name.as_str()),
        None => built_in(&about).unwrap_or_else(|| {
            // What Windows writes is the best guess for a font of Windows.
            let is_true_type =
                dict.get::<Name<'_>>("Subtype").is_some_and(|subtype| subtype.as_str() == "TrueType");
            encoding::table(if is_true_type { "WinAnsiEncoding" } else { "StandardEncoding" })
        }),
    };
    let differences = described.and_then(|described| described.get::<Array<'_>>("Differences"));
    let mut code = 0_i64;
    for item in differences.iter().flat_map(Array::iter::<Object<'_>>) {
        match item {
            Object::Number(number) => code = number.as_i64(),
            Object::Name(name) => {
                if let Ok(code) = u8::try_from(code) {
                    encoding::name(&mut table, code, name.as_str());
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    table
}

/// The encoding that a Type 1 font has in itself, in the part of it that lies open: `dup 65 /A put`.
fn built_in(about: &Dict<'_>) -> Option<Table> {
    let font = bytes(&about.get::<Stream<'_>>("FontFile")?)?;
    let find = |wanted: &[u8]| font.windows(wanted.len()).position(|window| window == wanted);
    let open = String::from_utf8_lossy(
        &font[find(b"/Encoding")?..find(b"eexec").unwrap_or(font.len()).max(find(b"/Encoding")?)],
    )
    .into_owned();
    if open.trim_start_matches("/Encoding").trim_start().starts_with("StandardEncoding") {
        return None;
    }
    let mut table = [const { None }; 256];
    let mut words = open.split_ascii_whitespace();
    while let Some(word) = words.next() {
        match word {
            "dup" => {
                let (code, glyph) = (words.next()?, words.next()?);
                if let (Ok(code), Some(glyph)) = (code.parse(), glyph.strip_prefix('/')) {
                    encoding::name(&mut table, code, glyph);
                }
            }
            "readonly" | "def" if table.iter().any(Option::is_some) => break,
            _ => {}
        }
    }
    Some(table)
}

/// Widths by the numbers of glyphs: `7 [500 600]` from one on, `7 9 500` for a range.
fn composite_widths(list: &Array<'_>) -> HashMap<u32, f64> {
    let mut widths = HashMap::new();
    let mut waiting: Vec<i64> = Vec::new();
    for item in list.iter::<Object<'_>>() {
        match (item, waiting.as_slice()) {
            (Object::Array(of), [first]) => {
                for (number, width) in (*first..).zip(of.iter::<Number>()).take(WIDTHS) {
                    widths.insert(u32::try_from(number).unwrap_or_default(), width.as_f64() / 1_000.0);
                }
                waiting.clear();
            }
            (Object::Number(width), [first, last]) => {
                for number in (*first..=*last).take(WIDTHS) {
                    widths.insert(u32::try_from(number).unwrap_or_default(), width.as_f64() / 1_000.0);
                }
                waiting.clear();
            }
            (Object::Number(number), _) => waiting.push(number.as_i64()),
            _ => waiting.clear(),
        }
        if widths.len() > WIDTHS {
            break;
        }
    }
    widths
}

/// About how wide a glyph is in fonts that every reader has, and that files say nothing about.
fn rough(text: &str) -> f64 {
    text.chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | 't' | 'f' | 'r' | ' ' | '.' | ',' | ';' | ':' | '!' | '\'' | '|' | 'I' => 0.28,
            'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.85,
            'A'..='Z' => 0.68,
            _ => 0.54,
        })
        .sum()
}
