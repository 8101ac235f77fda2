//! What happens while calls are in flight: someone leaves, too many come, the server ends. A lock on a table keeps a call
//! in flight for exactly as long as a test wants.

use crate::client::{Ask, PATIENCE, read_answer};
use crate::world::{Running, World};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use stepwell_server::LimitsConfig;
use stepwell_server::http::HttpOptions;
use tokio::net::TcpStream;
use tokio_postgres::{Client, NoTls};

/// A lock on a table, until it is let go.
pub(crate) struct Lock(Client);

impl Lock {
    pub(crate) async fn on(world: &World, table: &str) -> Self {
        let client = connect(world).await;
        let lock = format!("SET search_path TO stepwell; BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE");
        client.batch_execute(&lock).await.expect("a lock");
        Self(client)
    }

    pub(crate) async fn release(self) {
        self.0.batch_execute("COMMIT").await.expect("the lock goes");
    }
}

async fn connect(world: &World) -> Client {
    let (client, connection) = tokio_postgres::connect(&world.url, NoTls).await.expect("a connection");
    tokio::spawn(connection);
    client
}

/// Waits until so many statements wait for the lock.
pub(crate) async fn until_blocked(world: &World, count: i64) {
    let client = connect(world).await;
    let started = Instant::now();
    loop {
        let waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let blocked: i64 = client.query_one(waiting, &[]).await.expect("a count").get(0);
        if blocked == count {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "{blocked} statements wait instead of {count}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A call that reads records.
pub(crate) fn call(token: &str) -> Ask {
    let params = json!({ "name": "query_records", "arguments": { "stream": "notes" } });
    Ask::legacy("tools/call", params).bearing(token)
}

fn limited(limits: LimitsConfig) -> HttpOptions {
    HttpOptions { limits, ..HttpOptions::default() }
}

async fn begin(server: &Running, token: &str) -> TcpStream {
    call(token).begin(server.address).await
}

async fn answered(stream: TcpStream) {
    let answer = read_answer(stream).await;
    assert_eq!((answer.status, &answer.json()["result"]["isError"]), (200, &json!(false)), "{answer:?}");
}

#[tokio::test]
async fn a_client_that_leaves_takes_its_statement_along() {
    let world = World::on_postgres().await;
    let (_, token) = world.grant().await;
    let server = world.serve(HttpOptions::default()).await;
    for modern in [false, true] {
        let lock = Lock::on(&world, "record").await;
        let ask = if modern {
            let params = json!({ "name": "query_records", "arguments": { "stream": "notes" } });
            Ask::modern("tools/call", params).bearing(&token)
        } else {
            call(&token)
        };
        let stream = ask.begin(server.address).await;
        until_blocked(&world, 1).await;
        drop(stream);
        until_blocked(&world, 0).await;
        lock.release().await;
    }
    answered(begin(&server, &token).await).await;
}

#[tokio::test]
async fn an_answer_that_takes_too_long_is_given_up() {
    let world = World::on_postgres().await;
    let (_, token) = world.grant().await;
    let server = world.serve(limited(LimitsConfig { answer_seconds: 1, ..LimitsConfig::default() })).await;
    let lock = Lock::on(&world, "record").await;
    let answer = server.ask(&call(&token)).await;
    assert_eq!((answer.status, answer.code().as_str()), (504, "answer_timeout"));
    until_blocked(&world, 0).await;
    lock.release().await;
    answered(begin(&server, &token).await).await;
}

#[tokio::test]
async fn a_grant_has_its_share_and_others_have_theirs() {
    let world = World::on_postgres().await;
    let ((_, busy), (_, calm)) = (world.grant().await, world.grant().await);
    let server = world.serve(limited(LimitsConfig { per_grant: 1, ..LimitsConfig::default() })).await;
    let lock = Lock::on(&world, "record").await;
    let first = begin(&server, &busy).await;
    until_blocked(&world, 1).await;
    let others = [begin(&server, &busy).await, begin(&server, &busy).await];
    for stream in others {
        let answer = read_answer(stream).await;
        assert_eq!((answer.status, answer.code().as_str()), (429, "rate_limited"), "{answer:?}");
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert_eq!(answer.header("www-authenticate"), None);
    }
    let other = begin(&server, &calm).await;
    until_blocked(&world, 2).await;
    lock.release().await;
    answered(first).await;
    answered(other).await;
    answered(begin(&server, &busy).await).await;
}

#[tokio::test]
async fn ten_times_too_much_is_shed_and_it_recovers() {
    let world = World::on_postgres().await;
    let mut tokens = Vec::new();
    for _ in 0..10 {
        tokens.push(world.grant().await.1);
    }
    let server = world.serve(limited(LimitsConfig { in_flight: 4, ..LimitsConfig::default() })).await;
    let lock = Lock::on(&world, "record").await;
    let mut first = Vec::new();
    for token in tokens.iter().take(4) {
        first.push(begin(&server, token).await);
    }
    until_blocked(&world, 4).await;
    let mut rest = Vec::new();
    for number in 0..36 {
        rest.push(begin(&server, &tokens[number % tokens.len()]).await);
    }
    for stream in rest {
        let answer = read_answer(stream).await;
        assert_eq!((answer.status, answer.code().as_str()), (503, "overloaded"), "{answer:?}");
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    lock.release().await;
    for stream in first {
        answered(stream).await;
    }
    for token in &tokens {
        answered(begin(&server, token).await).await;
    }
}

#[tokio::test]
async fn a_grant_that_asks_too_fast_is_told_when_to_come_again() {
    let world = World::new().await;
    let ((_, fast), (_, slow)) = (world.grant().await, world.grant().await);
    let limits = LimitsConfig { requests_per_second: 1, burst: 3, ..LimitsConfig::default() };
    let server = world.serve(limited(limits)).await;
    let mut statuses = Vec::new();
    for _ in 0..20 {
        let answer = server.ask(&Ask::legacy("ping", json!({})).bearing(&fast)).await;
        if answer.status == 429 {
            assert_eq!(answer.header("retry-after"), Some("1"));
            assert_eq!(answer.code(), "rate_limited");
        }
        statuses.push(answer.status);
    }
    assert_eq!(statuses[..3], [200, 200, 200]);
    assert!(statuses.contains(&429), "{statuses:?}");
    assert_eq!(server.ask(&Ask::legacy("ping", json!({})).bearing(&slow)).await.status, 200);
}

#[tokio::test]
async fn a_server_that_ends_finishes_what_it_began() {
    let world = World::on_postgres().await;
    let (_, token) = world.grant().await;
    let server = world.serve(HttpOptions::default()).await;
    let lock = Lock::on(&world, "record").await;
    let stream = begin(&server, &token).await;
    until_blocked(&world, 1).await;
    server.end();
    let started = Instant::now();
    while TcpStream::connect(server.address).await.is_ok() {
        assert!(started.elapsed() < PATIENCE, "it takes no more connections");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    lock.release().await;
    answered(stream).await;
    server.ended().await;
}

#[tokio::test]
async fn a_subscription_holds_no_place_and_ends_with_the_server() {
    let world = World::new().await;
    let (_, token) = world.grant().await;
    let server =
        world.serve(limited(LimitsConfig { per_grant: 1, in_flight: 1, ..LimitsConfig::default() })).await;
    let listen =
        Ask::modern("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
    let mut open = Vec::new();
    for _ in 0..16 {
        open.push(listen.clone().bearing(&token).begin(server.address).await);
        // A call finds its place whatever is open.
        let answer = server.ask(&Ask::legacy("ping", json!({})).bearing(&token)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let answer = loop {
        // The last ones may still be on their way.
        let ask = listen.clone().bearing(&token);
        let stream = ask.begin(server.address).await;
        let mut first = [0; 12];
        stream.readable().await.expect("an answer");
        let count = stream.peek(&mut first).await.expect("an answer");
        if &first[..count] == b"HTTP/1.1 429" {
            break read_answer(stream).await;
        }
        open.push(stream);
        assert!(open.len() < 40);
    };
    assert_eq!(answer.code(), "rate_limited");
    server.end();
    let mut finished = 0;
    for stream in open {
        let answer = read_answer(stream).await;
        let last =
            answer.body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().map(str::to_owned);
        let last: Value = last.and_then(|data| serde_json::from_str(&data).ok()).unwrap_or_default();
        finished += usize::from(last["result"].is_object());
    }
    assert_eq!(finished, 16, "each is told that it ended");
    server.ended().await;
}
