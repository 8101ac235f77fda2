//! What an engine has to do: run statements of the closed set, and store prepared records.

use crate::embedded::row::{Param, Row};
use crate::embedded::statement::Statement;
use crate::error::Failure;
use crate::ledger::NewEntries;
use crate::prepare::{PreparedRecord, Semantics};
use crate::source::StoreUse;
use crate::terms::Stem;
use crate::time::Millis;
use async_trait::async_trait;
use std::fmt::Debug;
use std::sync::Arc;

/// A database that can run the closed set of statements.
#[async_trait]
pub(crate) trait Engine: Send + Sync + Debug {
    /// Runs one statement on a connection that cannot write.
    async fn read(&self, statement: Statement, params: Vec<Param>) -> Result<Vec<Row>, Failure>;

    /// Runs one statement that finds a few rows by their keys, and so is done sooner than another thread is woken. An
    /// engine in this process does it at once, as long as nothing makes it wait.
    async fn read_brief(&self, statement: Statement, params: Vec<Param>) -> Result<Vec<Row>, Failure> {
        self.read(statement, params).await
    }

    /// Runs statements in one transaction: all of them count, or none. Gives the rows that each one changed.
    async fn write(&self, statements: Vec<(Statement, Vec<Param>)>) -> Result<Vec<u64>, Failure>;

    /// Adds entries to the ledger. When it returns, they survive a crash. Callers that wait together share one commit.
    async fn append(&self, entries: NewEntries) -> Result<(), Failure>;

    /// Sees to it that the ledger holds all entries that were made durable before.
    async fn settle_ledger(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Spells a look-up of any of some words in the engine's own query language, each taken literally.
    fn any_word(&self, words: &[Stem]) -> String;

    /// A query for all of the words.
    fn all_words(&self, words: &[Stem]) -> String;

    /// How busy the connections that read are.
    fn usage(&self) -> StoreUse;

    /// Stores records in one transaction. When it returns, they survive a crash.
    async fn store(&self, batch: Batch) -> Result<StoredBatch, Failure>;
}

/// Records of one stream, each of them once.
#[derive(Debug)]
pub(crate) struct Batch {
    /// The stream.
    pub(crate) scope: i64,
    /// How its records live.
    pub(crate) semantics: Semantics,
    /// The records, which whoever stores them can try again.
    pub(crate) records: Arc<Vec<PreparedRecord>>,
    /// The moment of arrival.
    pub(crate) now: Millis,
}

/// What became of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredBatch {
    /// Records that were not there before.
    pub added: u64,
    /// Records that replaced an older version.
    pub changed: u64,
    /// Records that were there already, to the letter, or were to be taken away and were not there.
    pub unchanged: u64,
    /// Records that were taken away.
    pub deleted: u64,
    /// Records that would have changed in a stream whose records do not: their places in the batch, from zero.
    pub refused: Vec<usize>,
}

impl StoredBatch {
    /// How many records the batch had.
    #[must_use]
    pub fn count(&self) -> usize {
        (self.added + self.changed + self.unchanged + self.deleted) as usize + self.refused.len()
    }
}

impl std::ops::AddAssign for StoredBatch {
    fn add_assign(&mut self, other: Self) {
        let before = self.count();
        self.refused.extend(other.refused.into_iter().map(|place| before + place));
        self.added += other.added;
        self.changed += other.changed;
        self.unchanged += other.unchanged;
        self.deleted += other.deleted;
    }
}
