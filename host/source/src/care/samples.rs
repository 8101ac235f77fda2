//! Postgres keeps samples of what tables hold, to plan by. What was erased must not live on in them.
//!
//! A table that still has rows gets new samples when it is analysed. One that is empty keeps its old ones, whatever is done to
//! it, so it is analysed while it holds a row of blanks, which nobody but this transaction ever sees.

use crate::bind;
use crate::care::session::Session;
use crate::error::Failure;

/// The tables that hold something of connections: how a row of blanks comes and how it goes. A row that is referred to stands
/// before those that refer to it.
const BLANKS: &[(&str, &str, &str)] = &[
    ("connection", "(id, created_at) VALUES ('', 0)", "id = ''"),
    ("scope", "(connection, stream, revision) VALUES ('', '', 0)", "connection = ''"),
    ("scope_field", "(scope, field, kinds) VALUES (-1, '', 0)", "scope = -1"),
    ("record", "(scope, rid, time, sha256, revision) VALUES (-1, '', 0, '', 0)", "scope = -1"),
    (
        "field",
        "(id, rec, top, pointer, nested, kind, bytes, sha256) VALUES (-1, -1, '', '', 0, 0, 0, '')",
        "id = -1",
    ),
    ("seg", "(field, char_start, chars, text) VALUES (-1, 0, 0, '')", "field = -1"),
    ("unit", "(scope, rec, field, char_start, words) VALUES (-1, -1, -1, 0, '')", "scope = -1"),
    ("filter_value", "(scope, top, value, rec) VALUES (-1, '', '', -1)", "scope = -1"),
    ("former_record", "(scope, rid, began, ended) VALUES (-1, '', 0, 0)", "scope = -1"),
    ("former_field", "(rec, top, revision) VALUES (-1, '', 0)", "rec = -1"),
    ("mark", "(scope, revision, at, mark) VALUES (-1, 0, 0, '')", "scope = -1"),
    ("blob", "(sha256, bytes) VALUES ('', 0)", "sha256 = ''"),
    ("blob_part", "(sha256, byte_start, data) VALUES ('', 0, '')", "sha256 = ''"),
    ("grant_field", "(grant_id, scope, field) VALUES ('', -1, '')", "grant_id = ''"),
    ("grant_resource", "(grant_id, scope, rid) VALUES ('', -1, '')", "grant_id = ''"),
];

/// Replaces the samples of tables that are empty.
pub(crate) async fn replace_old_samples(session: &Session) -> Result<(), Failure> {
    session.batch("BEGIN").await?;
    let outcome = sample_blanks(session).await;
    let ended = session.batch(if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" }).await;
    // What went wrong first says more.
    outcome.and(ended)
}

/// Gives back the room that all old samples took. That is for the owner of the database; for anyone else Postgres leaves it
/// out.
pub(crate) async fn give_back_samples(session: &Session) -> Result<(), Failure> {
    session.batch("VACUUM (FULL) pg_catalog.pg_statistic").await
}

async fn sample_blanks(session: &Session) -> Result<(), Failure> {
    let mut empty = Vec::new();
    for (table, row, which) in BLANKS {
        let any = format!("SELECT CAST(COUNT(*) AS BIGINT) FROM (SELECT 1 FROM {table} LIMIT 1) t");
        let rows = session.rows("any", &any, bind![]).await?.into_iter().next();
        let is_empty = rows.map(|mut row| row.int()).transpose()? == Some(0);
        // A stream refers to a connection.
        let needed = *table == "connection";
        if is_empty || needed {
            session.batch(&format!("INSERT INTO {table} {row}")).await?;
            empty.push((table, which, is_empty));
        }
    }
    for (table, _, _) in empty.iter().filter(|(_, _, is_empty)| *is_empty) {
        session.batch(&format!("ANALYZE {table}")).await?;
    }
    for (table, which, _) in empty.iter().rev() {
        session.batch(&format!("DELETE FROM {table} WHERE {which}")).await?;
    }
    Ok(())
}
