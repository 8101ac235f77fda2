//! The rows of any table, in the order of its key, a page at a time.

use crate::care::chunk::{beside, neighbours};
use crate::care::session::Session;
use crate::care::tables::{About, Kind, Table};
use crate::embedded::row::{Cell, Param};
use crate::error::Failure;
use crate::words;
use sha2::{Digest as _, Sha256};

/// A walk through a table.
pub(super) struct Rows<'a> {
    session: &'a Session,
    table: &'static Table,
    /// Whether the words that belong to an entry of the word index are added to its row.
    with_words: bool,
    after: Option<Vec<Param>>,
    ended: bool,
}

impl<'a> Rows<'a> {
    /// All rows.
    pub(super) fn plain(session: &'a Session, table: &'static Table) -> Self {
        Self { session, table, with_words: false, after: None, ended: false }
    }

    /// The rows of the source that come after the last one that the target has.
    pub(super) async fn after_last_of(
        target: &Session,
        source: &'a Session,
        table: &'static Table,
    ) -> Result<Self, Failure> {
        let rows = target.rows(table.name, &table.last(), Vec::new()).await?;
        let last = rows.into_iter().next().map(|row| row.into_cells().into_iter().map(param).collect());
        let with_words = table.about == About::Words;
        Ok(Self { session: source, table, with_words, after: last, ended: false })
    }

    /// The next page; none after the last.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<Vec<Cell>>>, Failure> {
        if self.ended {
            return Ok(None);
        }
        let sql = self.table.select(self.after.is_some(), self.with_words);
        let mut params = self.after.clone().unwrap_or_default();
        params.push(Param::from(self.table.page));
        let rows = self.session.rows(self.table.name, &sql, params).await?;
        self.ended = (rows.len() as i64) < self.table.page;
        let mut page: Vec<Vec<Cell>> = rows.into_iter().map(|row| row.into_cells()).collect();
        let Some(last) = page.last() else { return Ok(None) };
        self.after = Some(last[..self.table.key].iter().cloned().map(param).collect());
        if self.with_words {
            page.iter_mut().for_each(to_words);
        }
        Ok(Some(page))
    }
}

/// Turns a chunk, the end of the one before and the one after, which end a row, into the words of the chunk.
fn to_words(row: &mut Vec<Cell>) {
    let mut text = || match row.pop() {
        Some(Cell::Text(text)) => text,
        _ => String::new(),
    };
    let (after, before, chunk) = (text(), text(), text());
    row.push(Cell::Text(words::distinct_of_chunk(&before, &chunk, &after)));
}

fn param(cell: Cell) -> Param {
    match cell {
        Cell::Null => Param::Int(None),
        Cell::Int(value) => Param::Int(Some(value)),
        Cell::Text(value) => Param::Text(Some(value)),
        Cell::Bytes(value) => Param::Bytes(value),
    }
}

/// Adds a value to a sum, so that no two rows of different values have the same one.
pub(super) fn put(hash: &mut Sha256, cell: &Cell) {
    let (kind, bytes): (u8, &[u8]) = match cell {
        Cell::Null => (0, &[]),
        Cell::Int(value) => (1, &value.to_le_bytes()),
        Cell::Text(text) => (2, text.as_bytes()),
        Cell::Bytes(bytes) => (3, bytes),
    };
    hash.update([kind]);
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

impl Table {
    fn names(&self, columns: &[(&'static str, Kind)], before: &str, after: &str) -> String {
        let spell = |(name, _): &(&str, Kind)| format!("{before}{name}{after}");
        columns.iter().map(spell).collect::<Vec<_>>().join(", ")
    }

    /// How many rows there are.
    pub(super) fn count(&self) -> String {
        format!("SELECT COUNT(*) FROM {}", self.name)
    }

    /// The key of the last row.
    fn last(&self) -> String {
        let key = &self.columns[..self.key];
        format!(
            "SELECT {} FROM {} ORDER BY {} LIMIT 1",
            self.names(key, "", ""),
            self.name,
            self.names(key, "", " DESC")
        )
    }

    /// A page of rows, from the first one or after a key. An entry of the word index comes with the text of its chunk.
    fn select(&self, after: bool, with_words: bool) -> String {
        let key = &self.columns[..self.key];
        let (mut columns, mut from) = (self.names(self.columns, "r.", ""), format!("{} r", self.name));
        if with_words {
            columns.push_str(concat!(", COALESCE(t.text, f.inline), ", beside!()));
            from.push_str(concat!(" LEFT JOIN field f ON f.id = r.field", neighbours!("r")));
        }
        let places: Vec<String> = (1..=self.key).map(|place| format!("?{place}")).collect();
        let bound = match after {
            true => format!("WHERE ({}) > ({})", self.names(key, "r.", ""), places.join(", ")),
            false => String::new(),
        };
        let limit = if after { self.key + 1 } else { 1 };
        format!("SELECT {columns} FROM {from} {bound} ORDER BY {} LIMIT ?{limit}", self.names(key, "r.", ""))
    }

    /// The names of all columns.
    pub(super) fn all_names(&self) -> String {
        self.names(self.columns, "", "")
    }
}
