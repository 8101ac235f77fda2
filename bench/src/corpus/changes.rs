//! A client that has seen all changes up to now.
//!
//! It would learn the name of the last revision by reading every page of changes, a million records, only to ask what
//! comes after them. So the name is taken from the store, and put into what an answer about the first record gave.

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use stepwell_source::SourceUrl;

/// Moves what `changes_since` takes to the stream's last revision.
pub(super) async fn as_of_now(since: &str, url: &SourceUrl, stream: &str) -> anyhow::Result<String> {
    let mut bookmark: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(since)?)?;
    let mark = URL_SAFE_NO_PAD.encode(last_mark(url, stream).await?);
    let marks = bookmark["after"]["marks"].as_object_mut().context("a bookmark with marks")?;
    marks.values_mut().for_each(|value| *value = Value::from(mark.as_str()));
    Ok(URL_SAFE_NO_PAD.encode(bookmark.to_string()))
}

/// The name of a stream's last revision.
async fn last_mark(url: &SourceUrl, stream: &str) -> anyhow::Result<Vec<u8>> {
    match url {
        SourceUrl::Sqlite(path) => {
            let select = "SELECT m.mark FROM mark m JOIN scope s ON s.id = m.scope WHERE s.stream = ?1
                          ORDER BY m.revision DESC LIMIT 1";
            Ok(rusqlite::Connection::open(path)?.query_row(select, [stream], |row| row.get(0))?)
        }
        SourceUrl::Postgres(url) => {
            let select = "SELECT m.mark FROM stepwell.mark m JOIN stepwell.scope s ON s.id = m.scope WHERE s.stream = $1
                          ORDER BY m.revision DESC LIMIT 1";
            let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
            let connection = tokio::spawn(connection);
            let mark = client.query_one(select, &[&stream]).await?.get(0);
            drop(client);
            connection.await??;
            Ok(mark)
        }
    }
}
