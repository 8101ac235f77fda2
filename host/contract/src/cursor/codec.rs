//! The bytes inside a cursor: a format byte, the key's number, the expiry, the field's version, the position. Numbers
//! are LEB128, since nearly all of them are small.

use super::{CursorState, FieldVersion, Position};
use crate::budget::CURSOR_ROUNDING;
use crate::unit::{Chars, Span};

/// The format of the bytes. Another one gets another number, and old cursors then end as invalid.
const FORMAT: u8 = 1;
/// The bytes of the tag: 128 bits cannot be guessed, and the other half would only make cursors longer.
pub(super) const TAG_LENGTH: usize = 16;
/// The bytes of a digest that are kept.
pub(super) const DIGEST_KEPT: usize = 16;

const DIGEST: u8 = 0;
const SIZE: u8 = 1;

const WINDOW: u8 = 0;
const WINDOW_ENDING_AT: u8 = 1;
const NEXT_MATCH: u8 = 2;
const NEXT_MATCH_WITHIN: u8 = 3;

/// What is to be written.
pub(super) struct Body<'a> {
    pub(super) key: u32,
    pub(super) expires_in_hours: u64,
    pub(super) version: FieldVersion,
    pub(super) position: &'a Position,
}

impl Body<'_> {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64);
        out.push(FORMAT);
        put(&mut out, self.key.into());
        put(&mut out, self.expires_in_hours);
        match self.version {
            FieldVersion::Digest(digest) => {
                out.push(DIGEST);
                out.extend_from_slice(&digest[..DIGEST_KEPT]);
            }
            FieldVersion::Size(size) => {
                out.push(SIZE);
                put(&mut out, size.get());
            }
        }
        match self.position {
            Position::Window { span_start, limit } => {
                out.push(WINDOW);
                put(&mut out, span_start.get());
                put(&mut out, limit.get());
            }
            Position::WindowEndingAt { end, limit } => {
                out.push(WINDOW_ENDING_AT);
                put(&mut out, end.get());
                put(&mut out, limit.get());
            }
            Position::NextMatch { hit, before, after, limit } => {
                out.push(if limit.is_some() { NEXT_MATCH_WITHIN } else { NEXT_MATCH });
                let numbers = [Some(hit.start()), Some(hit.len()), Some(*before), Some(*after), *limit];
                numbers.into_iter().flatten().for_each(|number| put(&mut out, number.get()));
            }
        }
        out
    }
}

/// Reads the key's number, the only thing that is needed before the tag is checked.
pub(super) fn key_of(body: &[u8]) -> Option<u32> {
    let mut bytes = Bytes(body);
    (bytes.byte()? == FORMAT).then(|| bytes.number())?.and_then(|key| key.try_into().ok())
}

/// Reads a body whose tag was checked.
pub(super) fn decode(body: &[u8]) -> Option<CursorState> {
    let mut bytes = Bytes(body);
    let _format = bytes.byte()?;
    let _key = bytes.number()?;
    let expires_at = bytes.number()?.saturating_mul(CURSOR_ROUNDING);
    let version = match bytes.byte()? {
        DIGEST => {
            let mut digest = [0; 32];
            digest[..DIGEST_KEPT].copy_from_slice(bytes.chunk::<DIGEST_KEPT>()?);
            FieldVersion::Digest(digest)
        }
        SIZE => FieldVersion::Size(bytes.chars()?),
        _ => return None,
    };
    let position = match bytes.byte()? {
        WINDOW => Position::Window { span_start: bytes.chars()?, limit: bytes.chars()? },
        WINDOW_ENDING_AT => Position::WindowEndingAt { end: bytes.chars()?, limit: bytes.chars()? },
        kind @ (NEXT_MATCH | NEXT_MATCH_WITHIN) => {
            let hit = Span::at(bytes.chars()?, bytes.chars()?);
            let (before, after) = (bytes.chars()?, bytes.chars()?);
            let limit = if kind == NEXT_MATCH_WITHIN { Some(bytes.chars()?) } else { None };
            Position::NextMatch { hit, before, after, limit }
        }
        _ => return None,
    };
    bytes.0.is_empty().then_some(CursorState { position, version, expires_at })
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// What is left to read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    fn chunk<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let (chunk, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(chunk)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has room for one bit only.
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn chars(&mut self) -> Option<Chars> {
        self.number().map(Chars)
    }
}
