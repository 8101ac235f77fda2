use crate::{connect, one};
use stepwell_testkit::{Postgres, wire_tap};

#[tokio::test]
async fn what_the_client_got_is_on_record() {
    let postgres = Postgres::shared();
    let tap = wire_tap(postgres.port());
    let client = connect(&tap.url(&postgres.fresh_database())).await;
    client
        .batch_execute(
            "CREATE TABLE t (secret text, open text); INSERT INTO t VALUES ('needle-secret', 'needle-open')",
        )
        .await
        .expect("create");
    assert!(tap.client_bytes_contain(b"needle-secret"));

    tap.reset();
    assert!(!tap.client_bytes_contain(b"needle-secret"));
    assert_eq!(
        one(&client, "SELECT open FROM t WHERE secret LIKE 'needle-s%'").await.get::<_, &str>(0),
        "needle-open"
    );
    assert!(tap.server_bytes_contain(b"needle-open"));
    assert!(!tap.server_bytes_contain(b"needle-secret"));

    one(&client, "SELECT secret FROM t").await;
    assert!(tap.server_bytes_contain(b"needle-secret"));
}

#[tokio::test]
async fn large_answers_are_whole() {
    const LENGTH: u64 = 5_000_000;
    let postgres = Postgres::shared();
    let tap = wire_tap(postgres.port());
    let client = connect(&tap.url(&postgres.fresh_database())).await;
    tap.reset();
    let row = one(&client, &format!("SELECT repeat('x', {LENGTH} - 3) || 'end'")).await;
    assert_eq!(row.get::<_, &str>(0).len() as u64, LENGTH);
    assert!(tap.bytes_from_server() >= LENGTH && tap.bytes_from_server() < LENGTH + 1_000);
    assert!(tap.bytes_from_client() > 0);
    assert!(tap.server_bytes_contain(b"xxxend"));
}

#[tokio::test]
async fn connections_are_recorded_apart() {
    let postgres = Postgres::shared();
    let tap = wire_tap(postgres.port());
    let url = tap.url(&postgres.fresh_database());
    let (left, right) = (connect(&url).await, connect(&url).await);
    let (l, r) = ("l".repeat(300_000), "r".repeat(300_000));
    let rows = tokio::join!(
        left.query_one("SELECT repeat('l', 300000)", &[]),
        right.query_one("SELECT repeat('r', 300000)", &[])
    );
    assert!(rows.0.is_ok() && rows.1.is_ok());
    assert!(tap.server_bytes_contain(l.as_bytes()) && tap.server_bytes_contain(r.as_bytes()));
}

#[tokio::test]
async fn a_dropped_tap_closes_its_connections() {
    let postgres = Postgres::shared();
    let tap = wire_tap(postgres.port());
    let url = tap.url(&postgres.fresh_database());
    let client = connect(&url).await;
    drop(tap);
    assert!(client.query_one("SELECT 1", &[]).await.is_err());
}

#[test]
fn urls_keep_all_but_the_server() {
    let tap = wire_tap(1);
    let port = tap.port();
    assert_eq!(tap.url("postgres://me@127.0.0.1:5432/db"), format!("postgres://me@127.0.0.1:{port}/db"));
    assert_eq!(tap.url("postgres://a:b@host/db?x=y@z"), format!("postgres://a:b@127.0.0.1:{port}/db?x=y@z"));
    assert_eq!(tap.url("postgres://host:1"), format!("postgres://127.0.0.1:{port}"));
}
