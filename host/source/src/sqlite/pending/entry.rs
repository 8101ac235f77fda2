//! An entry of the ledger in a few bytes.
//!
//! Every answer writes some, and nobody but this program reads them, within a second or so. So they are written as briefly as is
//! done quickly: numbers in as many bytes as they need, and texts behind their lengths. JSON would be longer, and would have to
//! look at every letter.

use crate::embedded::ledger::columns;
use crate::ledger::NewEntry;
use crate::time::Millis;
use rusqlite::{Statement, params};

/// The columns of an entry, but for its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Columns<'a> {
    at: Millis,
    grant: &'a str,
    client: &'a str,
    tool: &'a str,
    connection: Option<&'a str>,
    stream: Option<&'a str>,
    record: Option<&'a str>,
    field: Option<&'a str>,
    extent: (Option<i64>, Option<i64>, Option<i64>),
    bytes: i64,
    tier: Option<&'a str>,
}

impl<'a> Columns<'a> {
    pub(super) fn of(at: Millis, tool: &'a str, entry: &'a NewEntry) -> Self {
        let what = &entry.what;
        Self {
            at,
            grant: &entry.grant,
            client: &entry.client,
            tool,
            connection: what.connection.as_ref().map(|id| id.as_str()),
            stream: what.stream.as_ref().map(|name| name.as_str()),
            record: what.record.as_ref().map(|id| id.as_str()),
            field: what.field.as_deref(),
            extent: columns(what.extent),
            bytes: i64::try_from(what.bytes.get()).unwrap_or(i64::MAX),
            tier: what.tier.as_deref(),
        }
    }

    pub(super) fn write(&self, to: &mut Vec<u8>) {
        let (unit, start, end) = self.extent;
        for number in [self.at, self.bytes] {
            put(signed(number), to);
        }
        for number in [unit, start, end] {
            to.push(u8::from(number.is_some()));
            number.into_iter().for_each(|number| put(signed(number), to));
        }
        let whole = [self.grant, self.client, self.tool].map(Some);
        let parts = [self.connection, self.stream, self.record, self.field, self.tier];
        for text in whole.into_iter().chain(parts) {
            // One more than its length, so that there may be none.
            put(text.map_or(0, |text| text.len() as u64 + 1), to);
            to.extend_from_slice(text.unwrap_or_default().as_bytes());
        }
    }

    /// Reads what was written. None if it is anything else.
    pub(super) fn read(mut from: &'a [u8]) -> Option<Self> {
        let from = &mut from;
        let (at, bytes) = (number(from)?, number(from)?);
        let extent = (maybe(from)?, maybe(from)?, maybe(from)?);
        let (grant, client, tool) = (text(from)??, text(from)??, text(from)??);
        let (connection, stream, record) = (text(from)?, text(from)?, text(from)?);
        let (field, tier) = (text(from)?, text(from)?);
        let entry = Self { at, grant, client, tool, connection, stream, record, field, extent, bytes, tier };
        from.is_empty().then_some(entry)
    }

    /// Puts the entry into the ledger, unless it is there.
    pub(super) fn insert(&self, id: i64, into: &mut Statement<'_>) -> rusqlite::Result<usize> {
        let (unit, start, end) = self.extent;
        into.execute(params![
            id,
            self.at,
            self.grant,
            self.client,
            self.tool,
            self.connection,
            self.stream,
            self.record,
            self.field,
            unit,
            start,
            end,
            self.bytes,
            self.tier,
        ])
    }
}

/// Writes a number seven bits at a time, the lowest first. The eighth says whether more follow.
fn put(mut number: u64, to: &mut Vec<u8>) {
    while number > 0x7f {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Brings numbers that are near zero on either side near zero on the one that there is.
fn signed(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn take(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for place in (0..u64::BITS).step_by(7) {
        let byte = *from.split_off_first()?;
        number |= u64::from(byte & 0x7f) << place;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn number(from: &mut &[u8]) -> Option<i64> {
    let number = take(from)?;
    Some((number >> 1) as i64 ^ -((number & 1) as i64))
}

fn maybe(from: &mut &[u8]) -> Option<Option<i64>> {
    match from.split_off_first()? {
        0 => Some(None),
        _ => number(from).map(Some),
    }
}

fn text<'a>(from: &mut &'a [u8]) -> Option<Option<&'a str>> {
    let Some(len) = take(from)?.checked_sub(1) else { return Some(None) };
    let text = from.split_off(..usize::try_from(len).ok()?)?;
    std::str::from_utf8(text).ok().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_text() -> impl Strategy<Value = String> {
        prop_oneof!["\\PC{0,40}", any::<String>(), "[\u{0}-\u{20}\"\\\\]{0,9}", Just("long ".repeat(20_000))]
    }

    fn maybe_text() -> impl Strategy<Value = Option<String>> {
        proptest::option::of(any_text())
    }

    proptest! {
        #[test]
        fn an_entry_is_read_as_it_was_written_and_no_part_of_it_is_read_as_one(
            numbers: (i64, i64), extent: (Option<i64>, Option<i64>, Option<i64>),
            whole in [any_text(), any_text(), any_text()],
            parts in [maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text()], cut: proptest::sample::Index,
        ) {
            let [grant, client, tool] = whole.each_ref().map(String::as_str);
            let [connection, stream, record, field, tier] = parts.each_ref().map(Option::as_deref);
            let ((at, bytes), before) = (numbers, b"before".to_vec());
            let entry =
                Columns { at, grant, client, tool, connection, stream, record, field, extent, bytes, tier };
            let mut written = before.clone();
            entry.write(&mut written);
            let written = &written[before.len()..];
            prop_assert_eq!(Columns::read(written), Some(entry));
            prop_assert_eq!(Columns::read(&written[..cut.index(written.len())]), None);
            let longer = [written, &[0]].concat();
            prop_assert_eq!(Columns::read(&longer), None);
        }

        #[test]
        fn whatever_is_read_is_an_entry_or_none(bytes: Vec<u8>) {
            let _ = Columns::read(&bytes);
        }
    }
}
