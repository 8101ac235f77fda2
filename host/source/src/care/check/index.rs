//! Whether the word index has exactly the words of the text.
//!
//! SQLite's index can only be read word by word and not entry by entry. So the words of each entry are summed up, in an
//! order that makes no difference, for a stretch of entries at a time, and held against the words of the text.

use crate::bind;
use crate::care::check::Check;
use crate::care::chunk::{beside, neighbours};
use crate::care::pages::{Pages, Reading};
use crate::care::session::Session;
use crate::care::watch::ProblemCode;
use crate::embedded::row::Row;
use crate::error::Failure;
use crate::words;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// How many entries are summed up at a time: about 50 MB of memory, and one walk through SQLite's index.
const STRETCH: usize = 1_000_000;

/// The words of an entry, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Words {
    number: u32,
    sum: u64,
}

impl Words {
    fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut sum = Self::default();
        words.for_each(|word| sum.add(word));
        sum
    }

    fn add(&mut self, word: &str) {
        let mut hasher = DefaultHasher::new();
        word.hash(&mut hasher);
        self.number += 1;
        self.sum = self.sum.wrapping_add(hasher.finish());
    }
}

/// An entry and the words that its text has; none if there is no text.
type Entry = (i64, Option<Words>);

static ENTRIES: Reading<Entry> = Reading {
    name: "index entries",
    sql: concat!(
        "SELECT u.id, COALESCE(t.text, CASE WHEN u.char_start = 0 THEN f.inline END), ",
        beside!(),
        " FROM unit u LEFT JOIN field f ON f.id = u.field",
        neighbours!("u"),
        "WHERE u.id > ?1 ORDER BY u.id LIMIT ?2"
    ),
    start: || bind![i64::MIN],
    page: 250,
    read: |row: &mut Row| {
        let (id, text) = (row.int()?, row.text_or_null()?);
        let (before, after) =
            (row.text_or_null()?.unwrap_or_default(), row.text_or_null()?.unwrap_or_default());
        Ok((id, text.map(|text| Words::of(words::distinct_of_chunk(&before, &text, &after).split(' ')))))
    },
    key: |entry| bind![entry.0],
};

/// The words that Postgres keeps beside each entry.
const KEPT: &str = "SELECT id, array_to_string(tsvector_to_array(words), ' ') FROM unit
    WHERE id > ?1 ORDER BY id LIMIT ?2";

impl Check<'_> {
    /// Checks entry after entry, a stretch at a time.
    pub(super) async fn index(&mut self) -> Result<(), Failure> {
        let session = self.session;
        self.watch.stage("the word index", session.number("units", "SELECT COUNT(*) FROM unit").await?);
        let mut entries = Pages::of(&ENTRIES);
        let mut from = i64::MIN;
        loop {
            let last = last_of_stretch(session, from).await?;
            let mut kept = kept(session, from, last.unwrap_or(i64::MAX)).await?;
            while entries.peek(session).await?.is_some_and(|(id, _)| last.is_none_or(|last| *id <= last)) {
                let Some((id, wanted)) = entries.next(session).await? else { break };
                let kept = kept.remove(&id).unwrap_or_default();
                // An entry without text has been told of with its record.
                if wanted.is_some_and(|wanted| wanted != kept) {
                    self.wrong_words(id).await?;
                }
                self.checked.indexed += 1;
                self.watch.advance(1);
            }
            if !kept.is_empty() {
                let detail = format!("{} entries of words belong to no chunk", kept.len());
                self.found(ProblemCode::IndexWithoutText, "the word index", detail);
            }
            match last {
                Some(last) => from = last,
                None => return Ok(()),
            }
        }
    }

    async fn wrong_words(&mut self, unit: i64) -> Result<(), Failure> {
        let sql = "SELECT r.scope, r.rid, f.pointer, u.char_start FROM unit u JOIN record r ON r.id = u.rec
            JOIN field f ON f.id = u.field WHERE u.id = ?1";
        let mut place = format!("index entry {unit}");
        if let Some(mut row) = self.session.rows("index entry", sql, bind![unit]).await?.into_iter().next() {
            let (scope, rid) = (row.int()?, row.text()?);
            place = format!("{} {} at {}", self.record_id(scope, &rid), row.text()?, row.int()?);
        }
        self.found(ProblemCode::IndexWords, place, "the word index has other words for it than its text");
        Ok(())
    }
}

/// The last entry of the stretch that begins after an entry; none if the rest is no longer than a stretch.
async fn last_of_stretch(session: &Session, after: i64) -> Result<Option<i64>, Failure> {
    let sql = "SELECT id FROM unit WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2";
    let rows = session.rows("stretch", sql, bind![after, STRETCH as i64 - 1]).await?;
    rows.into_iter().next().map(|mut row| row.int()).transpose()
}

/// Sums up the words that the index has for the entries of a stretch.
async fn kept(session: &Session, after: i64, last: i64) -> Result<HashMap<i64, Words>, Failure> {
    let mut kept = HashMap::new();
    match session {
        Session::Sqlite(_) => {
            session.on_sqlite(move |connection| kept_by_sqlite(connection, after, last)).await
        }
        Session::Postgres(_) => {
            let mut at = after;
            loop {
                let page = session.rows("index words", KEPT, bind![at, 500]).await?;
                if page.is_empty() {
                    return Ok(kept);
                }
                for mut row in page {
                    let id = row.int()?;
                    if id > last {
                        return Ok(kept);
                    }
                    let words = row.text()?;
                    kept.insert(id, Words::of(words.split(' ').filter(|word| !word.is_empty())));
                    at = id;
                }
            }
        }
    }
}

/// Walks through the whole index, in the order of its words.
fn kept_by_sqlite(
    connection: &rusqlite::Connection,
    after: i64,
    last: i64,
) -> Result<HashMap<i64, Words>, Failure> {
    let mut kept: HashMap<i64, Words> = HashMap::new();
    connection.execute_batch(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.unit_vocabulary USING fts5vocab('main', 'unit_words', 'instance')",
    )?;
    let mut select = connection.prepare_cached("SELECT term, doc FROM temp.unit_vocabulary")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(1)?;
        if id > after && id <= last {
            let word = row.get_ref(0)?;
            kept.entry(id).or_default().add(word.as_str().unwrap_or_default());
        }
    }
    Ok(kept)
}
