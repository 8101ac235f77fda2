//! The plain tables on Postgres.

use crate::corpus::library::Document;
use crate::corpus::questions::{Ask, Question};
use crate::corpus::record::{EntryRow, document_added, document_key};
use std::cell::RefCell;
use std::collections::HashMap;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Error, NoTls, Statement};

const TABLES: &str = "
    SET synchronous_commit = on; SET jit = off;
    CREATE TABLE entry (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key TEXT COLLATE \"C\" NOT NULL UNIQUE,
        headword TEXT COLLATE \"C\" NOT NULL, text TEXT NOT NULL, letters BIGINT NOT NULL, initial TEXT NOT NULL,
        added BIGINT NOT NULL, revision BIGINT NOT NULL, words TSVECTOR);
    CREATE INDEX entry_added ON entry (added, key);
    CREATE INDEX entry_letters ON entry (letters, key);
    CREATE INDEX entry_headword ON entry (headword, key);
    CREATE INDEX entry_initial ON entry (initial);
    CREATE INDEX entry_revision ON entry (revision, key);
    CREATE TABLE document (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key TEXT COLLATE \"C\" NOT NULL UNIQUE, path TEXT NOT NULL,
        text TEXT NOT NULL, added BIGINT NOT NULL, words TSVECTOR);";

const WORDS: &str = "
    CREATE INDEX entry_words ON entry USING GIN (words);
    CREATE INDEX document_words ON document USING GIN (words);";

pub(super) struct Tables {
    client: Client,
    with_words: bool,
    prepared: RefCell<HashMap<&'static str, Statement>>,
    _connection: JoinHandle<Result<(), Error>>,
}

impl Tables {
    pub(super) async fn create(url: &str, with_words: bool) -> anyhow::Result<Self> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        let connection = tokio::spawn(connection);
        client.batch_execute(TABLES).await?;
        if with_words {
            client.batch_execute(WORDS).await?;
        }
        Ok(Self { client, with_words, prepared: RefCell::default(), _connection: connection })
    }

    pub(super) async fn add_documents(&mut self, documents: &[Document]) -> anyhow::Result<()> {
        for (number, document) in documents.iter().enumerate() {
            self.client
                .execute(
                    "INSERT INTO document (key, path, text, added, words) VALUES ($1, $2, $3, $4, to_tsvector('simple', $3))",
                    &[&document_key(number), &document.path, &document.text, &document_added(number)],
                )
                .await?;
        }
        Ok(())
    }

    pub(super) async fn add_entries(&mut self, rows: &[EntryRow<'_>], revision: i64) -> anyhow::Result<()> {
        let keys: Vec<&str> = rows.iter().map(|row| row.key.as_str()).collect();
        let headwords: Vec<&str> = rows.iter().map(|row| row.headword).collect();
        let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
        let letters: Vec<i64> = rows.iter().map(|row| row.letters).collect();
        let initials: Vec<&str> = rows.iter().map(|row| row.initial.as_str()).collect();
        let added: Vec<i64> = rows.iter().map(|row| row.added).collect();
        self.client
            .execute(
                "INSERT INTO entry (key, headword, text, letters, initial, added, revision, words)
                 SELECT k, h, t, l, i, a, $7, CASE WHEN $8 THEN to_tsvector('simple', h || ' ' || t) END
                 FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[])
                   AS n (k, h, t, l, i, a)",
                &[&keys, &headwords, &texts, &letters, &initials, &added, &revision, &self.with_words],
            )
            .await?;
        Ok(())
    }

    pub(super) async fn change_entries(
        &mut self,
        rows: &[EntryRow<'_>],
        revision: i64,
    ) -> anyhow::Result<()> {
        for row in rows {
            self.client
                .execute(
                    "UPDATE entry SET text = $2, letters = $3, revision = $4,
                       words = to_tsvector('simple', headword || ' ' || $2) WHERE key = $1",
                    &[&row.key, &row.text, &row.letters, &revision],
                )
                .await?;
        }
        Ok(())
    }

    pub(super) async fn ask(&self, question: &Question, turn: usize) -> anyhow::Result<usize> {
        let sql = sql(question.ask);
        let known = self.prepared.borrow().get(sql).cloned();
        let prepared = match known {
            Some(prepared) => prepared,
            None => {
                let prepared = self.client.prepare(sql).await?;
                self.prepared.borrow_mut().insert(sql, prepared.clone());
                prepared
            }
        };
        let rows = match prepared.params().len() {
            0 => self.client.query(&prepared, &[]).await?,
            _ => self.client.query(&prepared, &[&question.value(turn)]).await?,
        };
        Ok(rows.len())
    }
}

/// The columns of an entry, without its index.
macro_rules! entry {
    () => {
        "SELECT id, key, headword, text, letters, initial, added, revision FROM entry "
    };
}

const fn sql(ask: Ask) -> &'static str {
    match ask {
        Ask::List => concat!(entry!(), "ORDER BY added DESC, key DESC LIMIT 25"),
        Ask::SearchEntries => concat!(
            entry!(),
            "WHERE words @@ phraseto_tsquery('simple', $1::text) ORDER BY added DESC, key DESC LIMIT 25"
        ),
        Ask::SearchAll => {
            "(SELECT key, headword, text, added FROM entry WHERE words @@ phraseto_tsquery('simple', $1::text)
              ORDER BY added DESC, key DESC LIMIT 25)
             UNION ALL
             (SELECT key, path, substr(text, 1, 4096), added FROM document
              WHERE words @@ phraseto_tsquery('simple', $1::text) ORDER BY added DESC, key DESC LIMIT 25)
             ORDER BY 4 DESC, 1 DESC LIMIT 25"
        }
        Ask::Equal => concat!(entry!(), "WHERE headword = $1::text ORDER BY added DESC, key DESC LIMIT 25"),
        Ask::AtLeast => concat!(entry!(), "WHERE letters >= 100 ORDER BY added DESC, key DESC LIMIT 25"),
        Ask::Count => "SELECT COUNT(*) FROM entry",
        Ask::Sum => "SELECT SUM(letters) FROM entry",
        Ask::GroupBy => "SELECT initial, COUNT(*) FROM entry GROUP BY initial ORDER BY 2 DESC LIMIT 25",
        Ask::GroupByTime => {
            "SELECT EXTRACT(YEAR FROM to_timestamp(added / 1000.0) AT TIME ZONE 'UTC'), COUNT(*) FROM entry
             GROUP BY 1 ORDER BY 1 LIMIT 25"
        }
        Ask::SortByNumber => concat!(entry!(), "ORDER BY letters DESC, key DESC LIMIT 25"),
        Ask::SortByText => concat!(entry!(), "ORDER BY headword, key LIMIT 25"),
        Ask::Changes => concat!(entry!(), "WHERE revision > 0 ORDER BY key LIMIT 25"),
        Ask::FewChanges => {
            concat!(entry!(), "WHERE revision > (SELECT MAX(revision) FROM entry) - 1 ORDER BY key LIMIT 25")
        }
    }
}
