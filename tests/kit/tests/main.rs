//! The kit tested by itself: a server that comes and goes, and a tap that misses nothing.

#![allow(clippy::expect_used, reason = "these are tests")]

mod crash;
mod lifetime;
mod memory;
mod server;
mod wire_tap;

use tokio_postgres::{Client, NoTls, Row};

/// Connects and leaves the connection to the runtime of the test.
async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("connect");
    tokio::spawn(connection);
    client
}

async fn one(client: &Client, statement: &str) -> Row {
    client.query_one(statement, &[]).await.expect(statement)
}
