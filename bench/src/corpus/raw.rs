//! The same rows in plain tables, and the same questions in SQL by hand: what one would write for these records alone,
//! with no grant, no fields that are rows, and no other engine in mind.

mod postgres;
mod sqlite;

use super::library::Library;
use super::questions::Question;
use super::record::EntryRow;
use crate::engine::{Engine, Place};
use stepwell_source::SourceUrl;

/// How many rows one transaction takes, as ingest does it.
const BATCH: usize = 1_000;

/// The plain tables on one engine.
pub(super) struct Raw {
    tables: Tables,
    _place: Place,
}

enum Tables {
    Sqlite(sqlite::Tables),
    Postgres(postgres::Tables),
}

impl Raw {
    /// Makes empty tables, with or without an index of words.
    pub(super) async fn create(engine: &Engine, with_words: bool) -> anyhow::Result<Self> {
        let place = engine.place()?;
        let tables = match &place.url {
            SourceUrl::Sqlite(path) => Tables::Sqlite(sqlite::Tables::create(path, with_words)?),
            SourceUrl::Postgres(url) => Tables::Postgres(postgres::Tables::create(url, with_words).await?),
        };
        Ok(Self { tables, _place: place })
    }

    pub(super) async fn add_documents(&mut self, library: &Library) -> anyhow::Result<()> {
        match &mut self.tables {
            Tables::Sqlite(tables) => tables.add_documents(&library.documents),
            Tables::Postgres(tables) => tables.add_documents(&library.documents).await,
        }
    }

    pub(super) async fn add_entries(&mut self, rows: &[EntryRow<'_>], revision: i64) -> anyhow::Result<()> {
        for rows in rows.chunks(BATCH) {
            match &mut self.tables {
                Tables::Sqlite(tables) => tables.add_entries(rows, revision)?,
                Tables::Postgres(tables) => tables.add_entries(rows, revision).await?,
            }
        }
        Ok(())
    }

    /// Gives entries other texts.
    pub(super) async fn change_entries(
        &mut self,
        rows: &[EntryRow<'_>],
        revision: i64,
    ) -> anyhow::Result<()> {
        match &mut self.tables {
            Tables::Sqlite(tables) => tables.change_entries(rows, revision),
            Tables::Postgres(tables) => tables.change_entries(rows, revision).await,
        }
    }

    /// Asks a question; gives the number of rows.
    pub(super) async fn ask(&self, question: &Question, turn: usize) -> anyhow::Result<usize> {
        match &self.tables {
            Tables::Sqlite(tables) => tables.ask(question, turn),
            Tables::Postgres(tables) => tables.ask(question, turn).await,
        }
    }
}
