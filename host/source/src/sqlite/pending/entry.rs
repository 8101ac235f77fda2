//! An entry of the ledger in a few bytes.
//!
//! Every answer writes some, and nobody but this program reads them, within a second or so. So they are written as they lie in
//! memory: numbers of eight bytes, and texts behind their lengths. JSON would have to look at every letter to write it, and they
//! are read without a copy of anything.

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
        for number in [Some(self.at), Some(self.bytes), unit, start, end] {
            to.push(u8::from(number.is_some()));
            to.extend_from_slice(&number.unwrap_or_default().to_le_bytes());
        }
        let whole = [self.grant, self.client, self.tool].map(Some);
        let parts = [self.connection, self.stream, self.record, self.field, self.tier];
        for text in whole.into_iter().chain(parts) {
            to.push(u8::from(text.is_some()));
            let text = text.unwrap_or_default();
            to.extend_from_slice(&(text.len() as u64).to_le_bytes());
            to.extend_from_slice(text.as_bytes());
        }
    }

    /// Reads what was written. None if it is anything else.
    pub(super) fn read(mut from: &'a [u8]) -> Option<Self> {
        let from = &mut from;
        let (at, bytes) = (number(from)??, number(from)??);
        let extent = (number(from)?, number(from)?, number(from)?);
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

fn number(from: &mut &[u8]) -> Option<Option<i64>> {
    let there = from.split_off_first()?;
    let number = i64::from_le_bytes(eight(from)?);
    Some((*there == 1).then_some(number))
}

fn text<'a>(from: &mut &'a [u8]) -> Option<Option<&'a str>> {
    let there = from.split_off_first()?;
    let len = u64::from_le_bytes(eight(from)?);
    let text = from.split_off(..usize::try_from(len).ok()?)?;
    let text = std::str::from_utf8(text).ok()?;
    Some((*there == 1).then_some(text))
}

fn eight(from: &mut &[u8]) -> Option<[u8; 8]> {
    let (eight, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(*eight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_text() -> impl Strategy<Value = String> {
        prop_oneof!["\\PC{0,40}", any::<String>(), "[\u{0}-\u{20}\"\\\\]{0,9}", Just("long ".repeat(20_000))]
    }

    fn maybe() -> impl Strategy<Value = Option<String>> {
        proptest::option::of(any_text())
    }

    proptest! {
        #[test]
        fn an_entry_is_read_as_it_was_written_and_no_part_of_it_is_read_as_one(
            numbers: (i64, i64), extent: (Option<i64>, Option<i64>, Option<i64>),
            whole in [any_text(), any_text(), any_text()],
            parts in [maybe(), maybe(), maybe(), maybe(), maybe()], cut: proptest::sample::Index,
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
