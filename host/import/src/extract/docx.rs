//! The text of a Word document: a ZIP with XML in it.

use crate::archive::unpack;
use crate::limits::{FILE_MAX, TEXT_MAX};
use crate::text;
use quick_xml::Reader;
use quick_xml::events::Event;
use rawzip::ZipArchive;
use std::io::Read as _;

/// The parts that people read, in the order in which they read them.
const PARTS: [&str; 3] = ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"];

/// The text; none if it is no such document.
pub(super) fn text(file: &[u8]) -> Option<String> {
    let zip = ZipArchive::from_slice(file).ok()?;
    let mut parts = [None; PARTS.len()];
    for entry in zip.entries() {
        let entry = entry.ok()?;
        if let Some(index) = PARTS.iter().position(|name| name.as_bytes() == entry.file_path().as_bytes()) {
            parts[index].get_or_insert((entry.wayfinder(), entry.compression_method()));
        }
    }
    parts[0]?;
    let mut said = String::new();
    for (at, method) in parts.into_iter().flatten() {
        let part = zip.get_entry(at).ok()?;
        let mut xml = Vec::new();
        let unpacked = part.verifying_reader(unpack(method, part.data()).ok()?);
        unpacked.take(FILE_MAX).read_to_end(&mut xml).ok()?;
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
