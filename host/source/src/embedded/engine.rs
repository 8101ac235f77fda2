//! What an engine has to do: run statements of the closed set, and store prepared records.

use crate::embedded::row::{Param, Row};
use crate::embedded::statement::Statement;
use crate::error::Failure;
use crate::ledger::NewEntries;
use crate::prepare::PreparedRecord;
use crate::terms::Stem;
use async_trait::async_trait;
use std::fmt::Debug;

/// A database that can run the closed set of statements.
#[async_trait]
pub(crate) trait Engine: Send + Sync + Debug {
    /// Runs one statement on a connection that cannot write.
    async fn read(&self, statement: Statement, params: Vec<Param>) -> Result<Vec<Row>, Failure>;

    /// Runs statements in one transaction: all of them count, or none. Gives the rows that each one changed.
    async fn write(&self, statements: Vec<(Statement, Vec<Param>)>) -> Result<Vec<u64>, Failure>;

    /// Adds entries to the ledger. When it returns, they survive a crash. Callers that wait together share one commit.
    async fn append(&self, entries: NewEntries) -> Result<(), Failure>;

    /// Spells a look-up of any of some words in the engine's own query language, each taken literally.
    fn any_word(&self, words: &[Stem]) -> String;

    /// A query for all of the words.
    fn all_words(&self, words: &[Stem]) -> String;

    /// Stores records in one transaction. When it returns, they survive a crash.
    async fn store(&self, scope: i64, records: Vec<PreparedRecord>, now: i64)
    -> Result<StoredBatch, Failure>;
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredBatch {
    /// Records that were not there before.
    pub added: u64,
    /// Records that replaced an older version.
    pub changed: u64,
    /// Records that were there already, to the letter.
    pub unchanged: u64,
}

impl std::ops::AddAssign for StoredBatch {
    fn add_assign(&mut self, other: Self) {
        self.added += other.added;
        self.changed += other.changed;
        self.unchanged += other.unchanged;
    }
}
