//! The text of a Word document: a ZIP with XML in it.

use crate::limits::{FILE_MAX, TEXT_MAX};
use crate::text;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::io::{Cursor, Read as _};
use zip::ZipArchive;

/// The parts that people read, in the order in which they read them.
const PARTS: [&str; 3] = ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"];

/// The text; none if it is no such document.
pub(super) fn text(file: &[u8]) -> Option<String> {
    let mut zip = ZipArchive::new(Cursor::new(file)).ok()?;
    let mut said = String::new();
    for (index, name) in PARTS.into_iter().enumerate() {
        let Ok(part) = zip.by_name(name) else {
            if index == 0 {
                return None;
            }
            continue;
        };
        let mut xml = Vec::new();
        part.take(FILE_MAX).read_to_end(&mut xml).ok()?;
        read(&text::decode(&xml), &mut said)?;
    }
    Some(said.trim().to_owned())
}

/// Appends what an XML part says: `w:t` is text, `w:p` a paragraph, `w:tab` and `w:br` what they are called.
fn read(xml: &str, text: &mut String) -> Option<()> {
    let mut reader = Reader::from_str(xml);
    let mut in_text = false;
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) => in_text |= tag.local_name().as_ref() == "t",
            Event::End(tag) => match tag.local_name().as_ref() {
                "t" => in_text = false,
                "p" => text.push('\n'),
                "tc" => text.push('\t'),
                _ => {}
            },
            Event::Empty(tag) => match tag.local_name().as_ref() {
                "tab" => text.push('\t'),
                "br" | "cr" | "p" => text.push('\n'),
                _ => {}
            },
            Event::Text(said) if in_text => text.push_str(&said.xml10_content()),
            Event::GeneralRef(name) if in_text => text.push(match name.resolve_char_ref().ok()? {
                Some(character) => character,
                None => entity(&name)?,
            }),
            Event::Eof => return Some(()),
            _ => {}
        }
        if text.len() > TEXT_MAX {
            return None;
        }
    }
}

/// The character that a name stands for. No other names are known, so none can grow.
fn entity(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}
