//! Removes a connection and everything that came from it.

use crate::bind;
use crate::care::session::Session;
use crate::care::unused::remove_unused_blobs;
use crate::error::Failure;
use crate::url::SourceUrl;
use stepwell_contract::ConnectionId;
use stepwell_contract::quote::excerpt;

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// The connection's streams.
    pub streams: u64,
    /// Their records.
    pub records: u64,
}

/// What goes, in an order in which nothing refers to what is gone. Entries of the ledger stay: they say who read, and have
/// a verb of their own.
const REMOVALS: &[&str] = &[
    "DELETE FROM unit WHERE scope IN (SELECT id FROM scope WHERE connection = ?1)",
    "DELETE FROM seg WHERE field IN (SELECT f.id FROM field f JOIN record r ON r.id = f.rec JOIN scope s ON s.id = r.scope
       WHERE s.connection = ?1)",
    "DELETE FROM field WHERE rec IN (SELECT r.id FROM record r JOIN scope s ON s.id = r.scope WHERE s.connection = ?1)",
    "DELETE FROM filter_value WHERE scope IN (SELECT id FROM scope WHERE connection = ?1)",
    "DELETE FROM former_field WHERE rec IN (SELECT r.id FROM record r JOIN scope s ON s.id = r.scope WHERE s.connection = ?1)",
    "DELETE FROM former_record WHERE scope IN (SELECT id FROM scope WHERE connection = ?1)",
    "DELETE FROM mark WHERE scope IN (SELECT id FROM scope WHERE connection = ?1)",
    "DELETE FROM record WHERE scope IN (SELECT id FROM scope WHERE connection = ?1)",
    "DELETE FROM scope_field WHERE scope IN (SELECT id FROM scope WHERE connection = ?1)",
    "DELETE FROM grant_resource WHERE scope IN (SELECT id FROM scope WHERE connection = ?1)",
    "DELETE FROM grant_field WHERE scope IN (SELECT id FROM scope WHERE connection = ?1)",
    "DELETE FROM grant_scope WHERE scope IN (SELECT id FROM scope WHERE connection = ?1)",
    "DELETE FROM scope WHERE connection = ?1",
    "DELETE FROM connection WHERE id = ?1",
];

/// SQLite's words stand in a table of their own.
const SQLITE_WORDS: &str = "DELETE FROM unit_words WHERE rowid IN
    (SELECT id FROM unit WHERE scope IN (SELECT id FROM scope WHERE connection = ?1))";

/// Removes a connection: its records, their text, words and files that no other connection refers to, and what grants say of
/// it. On SQLite what is deleted is overwritten; words and free pages are gone from the file after a vacuum.
pub async fn erase_connection(url: &SourceUrl, connection: &ConnectionId) -> Result<Erased, Failure> {
    let session = Session::open(url).await?;
    let begin = match session {
        Session::Sqlite(_) => "PRAGMA secure_delete = ON; BEGIN IMMEDIATE",
        Session::Postgres(_) => "BEGIN",
    };
    session.batch(begin).await?;
    let outcome = remove(&session, connection.as_str()).await;
    let end = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = session.batch(end).await;
    // What went wrong first says more.
    outcome.and_then(|erased| ended.map(|()| erased))
}

async fn remove(session: &Session, connection: &str) -> Result<Erased, Failure> {
    let (lock, words) = match session {
        Session::Sqlite(_) => ("", Some(SQLITE_WORDS)),
        // Whoever fills one of the streams at this moment has locked its row, and before it that of the connection. The same
        // order here means that one waits for the other, and neither for both.
        Session::Postgres(_) => (" FOR UPDATE", None),
    };
    let own = format!("SELECT id FROM connection WHERE id = ?1{lock}");
    session.rows("connection", &own, bind![connection]).await?;
    let scopes = format!("SELECT id FROM scope WHERE connection = ?1 ORDER BY id{lock}");
    session.rows("streams", &scopes, bind![connection]).await?;
    if matches!(session, Session::Postgres(_)) {
        // As for a vacuum: no blob that is about to be referred to may go. After the streams, because whoever fills one
        // stores blobs while holding it.
        session.batch("LOCK TABLE blob IN SHARE ROW EXCLUSIVE MODE").await?;
    }
    let mut erased = Erased::default();
    for sql in words.iter().chain(REMOVALS) {
        let gone = session.change(sql, bind![connection]).await?;
        match *sql {
            sql if sql.starts_with("DELETE FROM record ") => erased.records = gone,
            sql if sql.starts_with("DELETE FROM scope ") => erased.streams = gone,
            sql if sql.starts_with("DELETE FROM connection ") && gone == 0 => {
                return Err(Failure::Store(format!("there is no connection {}", excerpt(connection))));
            }
            _ => {}
        }
    }
    remove_unused_blobs(session).await?;
    Ok(erased)
}
