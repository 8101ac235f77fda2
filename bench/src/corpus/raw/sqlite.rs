//! The plain tables on SQLite.

use crate::corpus::library::Document;
use crate::corpus::questions::{Ask, Question, quoted};
use crate::corpus::record::{EntryRow, document_added, document_key};
use rusqlite::{Connection, params};
use std::hint::black_box;
use std::path::Path;

const TABLES: &str = "
    PRAGMA synchronous = FULL; PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 67108864;
    CREATE TABLE entry (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, headword TEXT NOT NULL, text TEXT NOT NULL,
        letters INTEGER NOT NULL, initial TEXT NOT NULL, added INTEGER NOT NULL, revision INTEGER NOT NULL);
    CREATE INDEX entry_added ON entry (added, key);
    CREATE INDEX entry_letters ON entry (letters, key);
    CREATE INDEX entry_headword ON entry (headword, key);
    CREATE INDEX entry_initial ON entry (initial);
    CREATE INDEX entry_revision ON entry (revision, key);
    CREATE TABLE document (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, path TEXT NOT NULL, text TEXT NOT NULL, added INTEGER NOT NULL);";

const WORDS: &str = "
    CREATE VIRTUAL TABLE entry_words USING fts5(
        headword, text, content='entry', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE document_words USING fts5(
        text, content='document', content_rowid='id', tokenize='unicode61 remove_diacritics 2');";

pub(super) struct Tables {
    connection: Connection,
    with_words: bool,
}

impl Tables {
    pub(super) fn create(path: &Path, with_words: bool) -> anyhow::Result<Self> {
        let connection = Connection::open(path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.execute_batch(TABLES)?;
        if with_words {
            connection.execute_batch(WORDS)?;
        }
        Ok(Self { connection, with_words })
    }

    pub(super) fn add_documents(&mut self, documents: &[Document]) -> anyhow::Result<()> {
        let transaction = self.connection.transaction()?;
        for (number, document) in documents.iter().enumerate() {
            transaction
                .prepare_cached("INSERT INTO document (key, path, text, added) VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![
                    document_key(number),
                    document.path,
                    document.text,
                    document_added(number)
                ])?;
            transaction
                .prepare_cached("INSERT INTO document_words (rowid, text) VALUES (?1, ?2)")?
                .execute(params![transaction.last_insert_rowid(), document.text])?;
        }
        Ok(transaction.commit()?)
    }

    pub(super) fn add_entries(&mut self, rows: &[EntryRow<'_>], revision: i64) -> anyhow::Result<()> {
        let transaction = self.connection.transaction()?;
        let mut insert = transaction.prepare_cached(
            "INSERT INTO entry (key, headword, text, letters, initial, added, revision)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for row in rows {
            insert.execute(params![
                row.key,
                row.headword,
                row.text,
                row.letters,
                row.initial,
                row.added,
                revision
            ])?;
            if self.with_words {
                transaction
                    .prepare_cached("INSERT INTO entry_words (rowid, headword, text) VALUES (?1, ?2, ?3)")?
                    .execute(params![transaction.last_insert_rowid(), row.headword, row.text])?;
            }
        }
        drop(insert);
        Ok(transaction.commit()?)
    }

    pub(super) fn change_entries(&mut self, rows: &[EntryRow<'_>], revision: i64) -> anyhow::Result<()> {
        let transaction = self.connection.transaction()?;
        for row in rows {
            transaction
                .prepare_cached(
                    "INSERT INTO entry_words (entry_words, rowid, headword, text)
                     SELECT 'delete', id, headword, text FROM entry WHERE key = ?1",
                )?
                .execute([&row.key])?;
            transaction
                .prepare_cached("UPDATE entry SET text = ?2, letters = ?3, revision = ?4 WHERE key = ?1")?
                .execute(params![row.key, row.text, row.letters, revision])?;
            transaction
                .prepare_cached(
                    "INSERT INTO entry_words (rowid, headword, text)
                     SELECT id, headword, text FROM entry WHERE key = ?1",
                )?
                .execute([&row.key])?;
        }
        Ok(transaction.commit()?)
    }

    pub(super) fn ask(&self, question: &Question, turn: usize) -> anyhow::Result<usize> {
        let mut prepared = self.connection.prepare_cached(sql(question.ask))?;
        if prepared.parameter_count() > 0 {
            let value = question.value(turn);
            let searched = matches!(question.ask, Ask::SearchEntries | Ask::SearchAll);
            prepared.raw_bind_parameter(1, if searched { quoted(value) } else { value.to_owned() })?;
        }
        let (columns, mut found) = (prepared.column_count(), 0);
        let mut rows = prepared.raw_query();
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                black_box(row.get_ref(column)?);
            }
            found += 1;
        }
        Ok(found)
    }
}

const fn sql(ask: Ask) -> &'static str {
    match ask {
        Ask::List => "SELECT * FROM entry ORDER BY added DESC, key DESC LIMIT 25",
        Ask::SearchEntries => {
            "SELECT e.* FROM entry_words w JOIN entry e ON e.id = w.rowid WHERE entry_words MATCH ?1
             ORDER BY e.added DESC, e.key DESC LIMIT 25"
        }
        Ask::SearchAll => {
            "SELECT * FROM (
               SELECT e.key, e.headword, e.text, e.added FROM entry_words w JOIN entry e ON e.id = w.rowid
               WHERE entry_words MATCH ?1 ORDER BY e.added DESC, e.key DESC LIMIT 25)
             UNION ALL SELECT * FROM (
               SELECT d.key, d.path, substr(d.text, 1, 4096), d.added FROM document_words w JOIN document d ON d.id = w.rowid
               WHERE document_words MATCH ?1 ORDER BY d.added DESC, d.key DESC LIMIT 25)
             ORDER BY 4 DESC, 1 DESC LIMIT 25"
        }
        Ask::Equal => "SELECT * FROM entry WHERE headword = ?1 ORDER BY added DESC, key DESC LIMIT 25",
        Ask::AtLeast => {
            "SELECT * FROM entry INDEXED BY entry_added WHERE letters >= 100 ORDER BY added DESC, key DESC LIMIT 25"
        }
        Ask::Count => "SELECT COUNT(*) FROM entry",
        Ask::Sum => "SELECT SUM(letters) FROM entry",
        Ask::GroupBy => "SELECT initial, COUNT(*) FROM entry GROUP BY initial ORDER BY 2 DESC LIMIT 25",
        Ask::GroupByTime => {
            "SELECT strftime('%Y', added / 1000, 'unixepoch'), COUNT(*) FROM entry GROUP BY 1 ORDER BY 1 LIMIT 25"
        }
        Ask::SortByNumber => "SELECT * FROM entry ORDER BY letters DESC, key DESC LIMIT 25",
        Ask::SortByText => "SELECT * FROM entry ORDER BY headword, key LIMIT 25",
        Ask::Changes => "SELECT * FROM entry WHERE revision > 0 ORDER BY key LIMIT 25",
        Ask::FewChanges => {
            // The sign keeps SQLite from walking all keys for the sake of their order.
            "SELECT * FROM entry WHERE revision > (SELECT MAX(revision) FROM entry) - 1 ORDER BY +key LIMIT 25"
        }
    }
}
