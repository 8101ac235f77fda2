//! Gives back the room that nothing uses any more.

use crate::bind;
use crate::care::samples::{give_back_samples, replace_old_samples};
use crate::care::session::Session;
use crate::care::stats::room;
use crate::care::tables::TABLES;
use crate::care::unused::remove_unused_blobs;
use crate::care::watch::Watch;
use crate::error::Failure;
use crate::url::SourceUrl;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// What was given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vacuumed {
    /// Blobs that nothing referred to.
    pub blobs: u64,
    /// Their bytes.
    pub blob_bytes: u64,
    /// The size of the file or the database before.
    pub before: u64,
    /// The size after.
    pub after: u64,
    /// Somebody else was in the middle of something all the while. On Postgres that keeps what was removed before it in the
    /// files, until another vacuum.
    pub held_up: bool,
}

/// How thoroughly to go about it on Postgres, where it matters for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    /// Lets the database use the room again. Readers and writers go on.
    Reuse,
    /// Gives the room back to the machine, and leaves nothing of what was removed in the files of tables. Each table is
    /// closed to everyone while it is being rewritten.
    Return,
}

/// Removes what nothing refers to, and makes the store as small as it can be.
pub async fn vacuum(url: &SourceUrl, how: Thoroughness, watch: &mut dyn Watch) -> Result<Vacuumed, Failure> {
    let session = Session::open(url).await?;
    let mut done = Vacuumed { before: room(&session, url).await?.total, ..Vacuumed::default() };
    watch.stage("blobs", 1);
    (done.blobs, done.blob_bytes) = remove_blobs(&session).await?;
    watch.advance(1);
    match &session {
        Session::Sqlite(_) => compact_file(&session, watch).await?,
        Session::Postgres(_) => {
            if how == Thoroughness::Return {
                watch.stage("others", 1);
                done.held_up = !others_have_ended(&session).await?;
                watch.advance(1);
            }
            watch.stage("tables", TABLES.len() as u64);
            for table in TABLES {
                let sql = match how {
                    Thoroughness::Reuse => format!("VACUUM (ANALYZE) {}", table.name),
                    Thoroughness::Return => format!("VACUUM (FULL, ANALYZE) {}", table.name),
                };
                session.batch(&sql).await?;
                watch.advance(1);
            }
            if how == Thoroughness::Return {
                replace_old_samples(&session).await?;
                done.held_up |= !others_have_ended(&session).await?;
                give_back_samples(&session).await?;
            }
        }
    }
    done.after = room(&session, url).await?.total;
    Ok(done)
}

/// How long to wait for whoever else is in a transaction, and how often to look.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_millis(50));

/// Whoever could still see what is gone: everyone in a transaction here, and everyone who writes anywhere on the server, since
/// a snapshot goes back to the oldest of those, that of the vacuum itself too. What is prepared and has no process counts.
const IN_TRANSACTION: &str =
    "SELECT l.virtualtransaction FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.granted AND l.mode = 'ExclusiveLock' AND l.pid IS DISTINCT FROM pg_backend_pid()
      AND ((l.locktype = 'virtualxid' AND a.datname = current_database()) OR l.locktype = 'transactionid')";

/// Waits until every transaction of this moment has ended: while one goes on, Postgres keeps the rows that it could still see,
/// even deleted ones. Says whether that came to pass.
async fn others_have_ended(session: &Session) -> Result<bool, Failure> {
    let end = Instant::now() + PATIENCE.0;
    let mut waited_for: Option<HashSet<String>> = None;
    loop {
        let rows = session.rows("transactions", IN_TRANSACTION, bind![]).await?;
        let now = rows.into_iter().map(|mut row| row.text()).collect::<Result<HashSet<String>, Failure>>()?;
        // Those that began later cannot see what was gone before.
        let left: HashSet<String> = match waited_for {
            None => now,
            Some(before) => before.intersection(&now).cloned().collect(),
        };
        if left.is_empty() || Instant::now() >= end {
            return Ok(left.is_empty());
        }
        waited_for = Some(left);
        tokio::time::sleep(PATIENCE.1).await;
    }
}

/// Removes blobs in one transaction that no ingest can slip into: one that is about to refer to such a blob waits, finds it
/// gone, and stores it again.
async fn remove_blobs(session: &Session) -> Result<(u64, u64), Failure> {
    session
        .batch(match session {
            Session::Sqlite(_) => "BEGIN IMMEDIATE",
            Session::Postgres(_) => "BEGIN; LOCK TABLE blob IN SHARE ROW EXCLUSIVE MODE",
        })
        .await?;
    let outcome = remove_unused_blobs(session).await;
    let ended = session.batch(if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" }).await;
    // What went wrong first says more.
    outcome.and_then(|removed| ended.map(|()| removed))
}

/// Readers go on with the file as it was when they began; the log is folded back when the last of them is done.
async fn compact_file(session: &Session, watch: &mut dyn Watch) -> Result<(), Failure> {
    watch.stage("the word index", 1);
    session.batch("INSERT INTO unit_words (unit_words) VALUES ('optimize')").await?;
    watch.advance(1);
    watch.stage("the file", 1);
    session.batch("VACUUM").await?;
    session.rows("fold the log", "PRAGMA wal_checkpoint(TRUNCATE)", Vec::new()).await?;
    watch.advance(1);
    Ok(())
}
