//! JSON as it leaves: how large it is once it is written, and writing it.
//!
//! Every result is measured before it leaves, and most of it is text that needs no escape. So text is looked at and copied
//! a block at a time, which a processor does many bytes at once.

use crate::Bytes;
use serde_json::{Number, Value};
use std::io::Write as _;

/// How much text is looked at in one go, and how much where there is something in it.
const BLOCK: usize = 32;
const WORD: usize = 8;

/// How many bytes a value takes in JSON.
#[must_use]
pub fn json_bytes(value: &Value) -> Bytes {
    Bytes(size(value))
}

/// How many bytes a text takes as a string of JSON, quotes included.
#[must_use]
pub fn string_bytes(text: &str) -> Bytes {
    Bytes(string(text))
}

/// Writes a value.
pub fn write_json(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => {
            // A vector takes whatever is written.
            let _ = write!(out, "{number}");
        }
        Value::String(text) => write_string(text, out),
        Value::Array(list) => {
            out.push(b'[');
            for (index, value) in list.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_json(value, out);
            }
            out.push(b']');
        }
        Value::Object(map) => {
            out.push(b'{');
            for (index, (name, value)) in map.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_string(name, out);
                out.push(b':');
                write_json(value, out);
            }
            out.push(b'}');
        }
    }
}

/// Writes a text as a string, quotes included.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    write_inside(text, out);
    out.push(b'"');
}

/// Writes a text as it stands between the quotes of a string.
pub fn write_inside(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    // A text has a line break now and then.
    out.reserve(bytes.len() + bytes.len() / 32 + 2);
    // What needs no escape is copied as far as it goes.
    let mut copied = 0;
    for place in escapes(bytes) {
        out.extend_from_slice(&bytes[copied..place]);
        write_escape(bytes[place], out);
        copied = place + 1;
    }
    out.extend_from_slice(&bytes[copied..]);
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        0x08 => b'b',
        0x09 => b't',
        0x0A => b'n',
        0x0C => b'f',
        0x0D => b'r',
        0x00..0x20 => {
            let (high, low) = (HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 0xF)]);
            return out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
        }
        quoted => quoted,
    };
    out.extend_from_slice(&[b'\\', short]);
}

fn size(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(value) => number(value),
        Value::String(text) => string(text),
        // Brackets, and a comma after each but the last.
        Value::Array(list) => list.iter().map(|value| size(value) + 1).sum::<u64>().max(1) + 1,
        Value::Object(map) => {
            map.iter().map(|(name, value)| string(name) + size(value) + 2).sum::<u64>().max(1) + 1
        }
    }
}

/// The digits of a number, counted for those that are common.
fn number(value: &Number) -> u64 {
    match value.as_u64() {
        Some(whole) => u64::from(whole.checked_ilog10().unwrap_or(0)) + 1,
        None => value.to_string().len() as u64,
    }
}

/// The text, its quotes, and what its escapes add.
fn string(text: &str) -> u64 {
    let bytes = text.as_bytes();
    text.len() as u64 + 2 + escapes(bytes).map(|place| u64::from(added(bytes[place]))).sum::<u64>()
}

/// Where bytes stand that need an escape.
fn escapes(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(block) = bytes[at..].first_chunk::<BLOCK>()
            && !has_escape(block)
        {
            at += BLOCK;
        }
        while let Some(word) = bytes[at..].first_chunk() {
            match first_escape(u64::from_le_bytes(*word)) {
                Some(place) => {
                    at += place + 1;
                    return Some(at - 1);
                }
                None => at += WORD,
            }
        }
        let place = at + bytes[at..].iter().position(|byte| added(*byte) > 0)?;
        at = place + 1;
        Some(place)
    })
}

#[inline(always)]
fn has_escape(block: &[u8; BLOCK]) -> bool {
    // Bytes that are put together bit by bit are what the compiler makes wide instructions of.
    let needs = |byte: u8| u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\');
    block.iter().fold(0, |found, byte| found | needs(*byte)) != 0
}

/// Finds the first byte of a word that needs an escape, in all of its bytes at once.
fn first_escape(word: u64) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGH: u64 = ONES * 0x80;
    // The high bit of a byte is set where the byte is less than `limit`, up to 128. What borrows from above it can only be
    // wrong above the first that is right.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let found = below(word, 0x20)
        | below(word ^ (ONES * u64::from(b'"')), 1)
        | below(word ^ (ONES * u64::from(b'\\')), 1);
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

/// How many bytes an escape adds: as `\n` one, as `\u0001` five.
fn added(byte: u8) -> u8 {
    const ADDED: [u8; 256] = {
        let mut added = [0; 256];
        let mut byte = 0;
        while byte < 0x20 {
            added[byte] = if matches!(byte, 0x08 | 0x09 | 0x0A | 0x0C | 0x0D) { 1 } else { 5 };
            byte += 1;
        }
        added[b'"' as usize] = 1;
        added[b'\\' as usize] = 1;
        added
    };
    ADDED[usize::from(byte)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn measures_and_writes_what_the_library_would_write() {
        let all: String = (0..0x800).filter_map(char::from_u32).collect();
        for value in [
            json!(null),
            json!([]),
            json!({}),
            json!([true, false, null]),
            json!({ "a\"b": [1, -2.5, 0, 9, 10, 99, 100, u64::MAX, i64::MIN, 1e300], "": { "\n": {} } }),
            json!("🪽 quotes \" and \\"),
            json!(["\u{0}".repeat(1_000), all]),
            json!(
                (0..70)
                    .map(|at| format!("{}\n{}\"é", "x".repeat(at), "\u{7f}".repeat(70 - at)))
                    .collect::<Vec<_>>()
            ),
        ] {
            let written = value.to_string();
            assert_eq!(json_bytes(&value).get(), written.len() as u64, "{value}");
            let mut out = Vec::new();
            write_json(&value, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), written);
        }
        assert_eq!(string_bytes("a\tb"), Bytes(6));
    }
}
