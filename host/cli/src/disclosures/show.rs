//! Entries of the ledger as a table for people and as lines of JSON for scripts. Names in it are anybody's text.

use crate::output::{BOLD, DIM, visible};
use serde_json::{Value, json};
use std::io::{self, Write};
use stepwell_source::ledger::{LedgerEntry, Tombstone};
use stepwell_source::time;

/// A list under way, and its sum so far.
#[derive(Debug)]
pub(super) struct List {
    json: bool,
    entries: u64,
    bytes: u64,
    headed: bool,
}

impl List {
    pub(super) fn new(json: bool) -> Self {
        Self { json, entries: 0, bytes: 0, headed: false }
    }

    pub(super) fn entry(&mut self, out: &mut dyn Write, entry: &LedgerEntry) -> io::Result<()> {
        self.entries += 1;
        self.bytes += entry.bytes;
        if self.json {
            return writeln!(out, "{}", to_json(entry));
        }
        self.head(out)?;
        writeln!(out, "{}", row(entry))
    }

    pub(super) fn tombstone(&mut self, out: &mut dyn Write, stone: &Tombstone) -> io::Result<()> {
        if self.json {
            return writeln!(out, "{}", tombstone_to_json(stone));
        }
        self.head(out)?;
        writeln!(out, "{DIM}{}{DIM:#}", tombstone_row(stone))
    }

    pub(super) fn total(&mut self, out: &mut dyn Write, more: bool) -> io::Result<()> {
        let (entries, bytes) = (self.entries, self.bytes);
        if self.json {
            let total = json!({ "type": "total", "entries": entries, "bytes": bytes, "has_more": more });
            return writeln!(out, "{total}");
        }
        if !self.headed {
            return writeln!(out, "nothing was read, as far as this ledger goes back");
        }
        let more = if more { "; there are more: raise --limit" } else { "" };
        writeln!(out, "{BOLD}{entries} entries, {bytes} bytes{BOLD:#}{more}")
    }

    fn head(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.headed, true) {
            return Ok(());
        }
        let cells = columns("WHEN", "GRANT", "CLIENT", "TOOL", "BYTES");
        writeln!(out, "{BOLD}{cells} WHAT{BOLD:#}")
    }
}

/// All but the last column, which has no width.
fn columns(when: &str, grant: &str, client: &str, tool: &str, bytes: &str) -> String {
    format!("{when:<24} {grant:<20} {client:<14} {tool:<17} {bytes:>9} ")
}

fn row(entry: &LedgerEntry) -> String {
    let LedgerEntry { grant, client, tool, .. } = entry;
    let when = time::print(entry.at);
    let cells = columns(&when, &cell(grant), &cell(client), &cell(tool), &entry.bytes.to_string());
    let mut what = String::new();
    match (&entry.connection, &entry.stream, &entry.record) {
        (Some(connection), Some(stream), Some(record)) => {
            what.push_str(&format!("{connection}/{stream}:{record}"));
        }
        (connection, Some(stream), _) => {
            what.push_str(stream);
            if let Some(connection) = connection {
                what.push_str(&format!(" of {connection}"));
            }
        }
        _ => what.push('-'),
    }
    if let Some(field) = &entry.field {
        what.push_str(&format!(" {field}"));
    }
    if let Some(extent) = entry.extent {
        let (start, end) = extent.bounds();
        what.push_str(&format!(" {start}..{end} {}", extent.unit()));
    }
    format!("{cells} {}", cell(&what))
}

fn tombstone_row(stone: &Tombstone) -> String {
    let reason = match stone.reason {
        stepwell_source::ledger::Erased::ByAge => "because of their age",
        stepwell_source::ledger::Erased::ByOwner => "by the owner",
    };
    let [first, last, at] = [stone.first_at, stone.last_at, stone.erased_at].map(time::print);
    let (entries, bytes) = (stone.entries, stone.bytes);
    format!("{last:<24} {entries} entries, {bytes} bytes, from {first} on were removed {reason} at {at}")
}

/// Text that stays in its line and that no terminal obeys.
fn cell(text: &str) -> String {
    visible(text).replace('\n', "\u{240a}").replace('\t', "\u{2409}")
}

fn to_json(entry: &LedgerEntry) -> Value {
    let span = entry.extent.map(|extent| {
        let (start, end) = extent.bounds();
        json!({ "start": start, "end": end, "unit": extent.unit() })
    });
    json!({
        "type": "disclosure",
        "at": time::print(entry.at),
        "grant_id": entry.grant,
        "client": entry.client,
        "tool": entry.tool,
        "connection_id": entry.connection,
        "stream": entry.stream,
        "record_id": entry.record,
        "field_path": entry.field,
        "span": span,
        "bytes": entry.bytes,
        "tier": entry.tier,
    })
}

fn tombstone_to_json(stone: &Tombstone) -> Value {
    json!({
        "type": "removed",
        "reason": stone.reason.as_str(),
        "removed_at": time::print(stone.erased_at),
        "entries": stone.entries,
        "bytes": stone.bytes,
        "first_at": time::print(stone.first_at),
        "last_at": time::print(stone.last_at),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_its_cell() {
        assert_eq!(cell("a\nb\t\u{1b}[2J\u{202e}"), "a␊b␉␛[2J\u{fffd}");
    }
}
