//! The least that storing durable lines costs: one table, one text column, no parsing.

use std::time::{Duration, Instant};
use stepwell_bench::engine::Engine;
use stepwell_source::SourceUrl;

/// The sizes at which ingest ends a transaction.
const BATCH_LINES: usize = 1_000;
const BATCH_BYTES: usize = 16 * 1024 * 1024;

/// Stores the lines and gives the time that it took, without opening the database.
pub(super) async fn insert(engine: &Engine, lines: &[String]) -> anyhow::Result<Duration> {
    let place = engine.place()?;
    match &place.url {
        SourceUrl::Sqlite(path) => sqlite(path, lines),
        SourceUrl::Postgres(url) => postgres(url, lines).await,
    }
}

/// Splits lines as ingest does.
fn batches(lines: &[String]) -> Vec<&[String]> {
    let (mut batches, mut from, mut bytes) = (Vec::new(), 0, 0);
    for (index, line) in lines.iter().enumerate() {
        bytes += line.len();
        if index + 1 - from == BATCH_LINES || bytes >= BATCH_BYTES {
            batches.push(&lines[from..=index]);
            (from, bytes) = (index + 1, 0);
        }
    }
    if from < lines.len() {
        batches.push(&lines[from..]);
    }
    batches
}

fn sqlite(path: &std::path::Path, lines: &[String]) -> anyhow::Result<Duration> {
    let mut connection = rusqlite::Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 67108864;
         CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
    )?;
    let started = Instant::now();
    for batch in batches(lines) {
        let transaction = connection.transaction()?;
        let mut insert = transaction.prepare_cached("INSERT INTO line (text) VALUES (?1)")?;
        for line in batch {
            insert.execute([line])?;
        }
        drop(insert);
        transaction.commit()?;
    }
    Ok(started.elapsed())
}

async fn postgres(url: &str, lines: &[String]) -> anyhow::Result<Duration> {
    let (mut client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
    let connection = tokio::spawn(connection);
    client
        .batch_execute(
            "SET synchronous_commit = on;
             CREATE TABLE line (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text TEXT NOT NULL)",
        )
        .await?;
    let insert = client.prepare("INSERT INTO line (text) SELECT * FROM unnest($1::text[])").await?;
    let started = Instant::now();
    for batch in batches(lines) {
        let transaction = client.transaction().await?;
        transaction.execute(&insert, &[&batch]).await?;
        transaction.commit().await?;
    }
    let elapsed = started.elapsed();
    drop(client);
    connection.await??;
    Ok(elapsed)
}
