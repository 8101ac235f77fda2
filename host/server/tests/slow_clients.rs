//! Clients that take their time, on purpose or not: each loses its connection and nothing else, and whoever comes after
//! them is answered. The times are short here. Nothing is said about how short: a test waits until something happened, and
//! a server that never did it would keep it waiting for a minute.

use crate::client::{Ask, PATIENCE, read_answer};
use crate::limits::{Lock, call, until_blocked};
use crate::world::World;
use serde_json::json;
use std::net::SocketAddr;
use std::time::Duration;
use stepwell_server::LimitsConfig;
use stepwell_server::http::{HttpOptions, Times};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

const SHORT: Duration = Duration::from_secs(1);

/// One place in all, so that whoever keeps it is noticed.
fn one_place(times: Times) -> HttpOptions {
    let limits = LimitsConfig { per_grant: 1, in_flight: 1, ..LimitsConfig::default() };
    HttpOptions { times, limits, ..HttpOptions::default() }
}

fn ping(token: &str) -> Ask {
    Ask::legacy("ping", json!({})).bearing(token)
}

/// Waits until the server closes, and gives what it said before.
async fn until_closed(stream: &mut TcpStream) -> String {
    let mut said = Vec::new();
    let closed = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut said)).await;
    // A connection that is cut is closed too.
    let _ = closed.expect("the server closes");
    String::from_utf8_lossy(&said).into_owned()
}

/// Sends a byte now and then until the server no longer listens.
async fn drip(stream: &mut TcpStream, byte: u8) {
    let dripping = async {
        loop {
            let mut unread = [0; 1];
            tokio::select! {
                // Whatever it says or does, it no longer waits for the next byte.
                _ = stream.peek(&mut unread) => return,
                () = tokio::time::sleep(Duration::from_millis(50)) => {}
            }
            if stream.write_all(&[byte]).await.is_err() {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, dripping).await.expect("the server does not wait for ever");
}

#[tokio::test]
async fn a_head_has_its_time() {
    let world = World::new().await;
    let (_, token) = world.grant().await;
    let server = world.serve(one_place(Times { head: SHORT, ..Times::default() })).await;
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    let mut half = TcpStream::connect(server.address).await.unwrap();
    half.write_all(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthor").await.unwrap();
    let mut dripping = TcpStream::connect(server.address).await.unwrap();
    dripping.write_all(b"POST /mcp HTTP/1.1\r\nx: ").await.unwrap();
    drip(&mut dripping, b'x').await;
    for stream in [&mut silent, &mut half, &mut dripping] {
        let said = until_closed(stream).await;
        assert!(!said.contains("200 OK"), "{said}");
    }
    assert_eq!(world.seen(), [], "nobody asked for anything");
    assert_eq!(server.ask(&ping(&token)).await.status, 200);
}

#[tokio::test]
async fn a_connection_is_kept_for_the_next_request_and_not_for_ever() {
    let world = World::new().await;
    let (_, token) = world.grant().await;
    let server = world.serve(one_place(Times { head: SHORT, ..Times::default() })).await;
    let ask = ping(&token).with("connection", "keep-alive");
    let mut stream = ask.begin(server.address).await;
    let mut answers = 0;
    for _ in 0..3 {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        stream.read_exact(&mut vec![0; length.parse().unwrap()]).await.unwrap();
        answers += 1;
        if answers < 3 {
            ask.write(&mut stream).await;
        }
    }
    assert_eq!(until_closed(&mut stream).await, "", "it is closed without a word");
}

#[tokio::test]
async fn a_body_has_its_time_and_gives_its_place_back() {
    let world = World::new().await;
    let (_, token) = world.grant().await;
    let server = world.serve(one_place(Times { body: SHORT, ..Times::default() })).await;
    for is_dripping in [false, true] {
        let ask = Ask::message("{\"jsonrpc\"").bearing(&token).with("content-length", "1000000");
        let mut stream = ask.begin(server.address).await;
        if is_dripping {
            drip(&mut stream, b' ').await;
        }
        let answer = read_answer(stream).await;
        assert_eq!((answer.status, answer.code().as_str()), (408, "request_timeout"), "{answer:?}");
        assert_eq!(server.ask(&ping(&token)).await.status, 200);
    }
    // A length that is not said is no way around it.
    let ask = Ask::message("3\r\n{\"j\r\n").bearing(&token).with("transfer-encoding", "chunked");
    let answer = server.ask(&ask).await;
    assert_eq!((answer.status, answer.code().as_str()), (408, "request_timeout"), "{answer:?}");
}

#[tokio::test]
async fn whoever_is_refused_need_not_send_the_rest() {
    let world = World::new().await;
    let server = world.serve(HttpOptions::default()).await;
    // The default of 20 s for the body is not waited for: the answer comes before any of it.
    for (ask, status) in [
        (Ask::message(""), 401),
        (Ask::message("").instead("host", "evil.example"), 403),
        (Ask::message("").with("origin", "https://evil.example"), 403),
        (Ask::message("").to("/nowhere"), 404),
    ] {
        let answer = server.ask(&ask.with("content-length", "1000000000")).await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
    assert_eq!(world.seen(), []);
}

/// A connection with little room for what it is told.
async fn narrow(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4 * 1024).unwrap();
    socket.connect(address).await.unwrap()
}

#[tokio::test]
async fn whoever_stops_reading_is_cut_off() {
    let world = World::new().await;
    let (_, token) = world.grant().await;
    let server = world.serve(one_place(Times { answer: SHORT, ..Times::default() })).await;
    let (mut reading, mut writing) = narrow(server.address).await.into_split();
    // Answers of some kilobytes each, asked for one after another and left lying, until the server gives up.
    let ask = Ask::legacy("tools/list", json!({})).bearing(&token).with("connection", "keep-alive");
    let asking = async {
        let mut bytes = Vec::new();
        ask.write(&mut bytes).await;
        while writing.write_all(&bytes).await.is_ok() {}
    };
    tokio::time::timeout(PATIENCE, asking).await.expect("the server gives up");
    // What had arrived is still there; what was left lying never comes.
    let mut piece = [0; 64 * 1024];
    let rest = async { while matches!(reading.read(&mut piece).await, Ok(1..)) {} };
    tokio::time::timeout(PATIENCE, rest).await.expect("the connection is gone");
    assert_eq!(server.ask(&ping(&token)).await.status, 200, "the place is free");
}

#[tokio::test]
async fn a_subscription_ends_at_once_while_a_call_is_finished() {
    let world = World::on_postgres().await;
    let (_, token) = world.grant().await;
    let server = world.serve(HttpOptions::default()).await;
    let listen =
        Ask::modern("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
    let mut open = listen.bearing(&token).begin(server.address).await;
    let mut first = [0; 12];
    open.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let mut idle = TcpStream::connect(server.address).await.unwrap();
    let lock = Lock::on(&world, "record").await;
    let in_flight = call(&token).begin(server.address).await;
    until_blocked(&world, 1).await;
    server.end();
    let said = until_closed(&mut open).await;
    assert!(said.contains("\"result\""), "it is told that it ended: {said}");
    assert_eq!(until_closed(&mut idle).await, "");
    until_blocked(&world, 1).await;
    lock.release().await;
    let answer = read_answer(in_flight).await;
    assert_eq!((answer.status, &answer.json()["result"]["isError"]), (200, &json!(false)), "{answer:?}");
    server.ended().await;
}

#[tokio::test]
async fn a_server_that_ends_does_not_wait_for_ever() {
    let world = World::on_postgres().await;
    let (_, token) = world.grant().await;
    let server = world
        .serve(HttpOptions {
            times: Times { last_calls: SHORT, ..Times::default() },
            ..HttpOptions::default()
        })
        .await;
    let lock = Lock::on(&world, "record").await;
    let mut in_flight = call(&token).begin(server.address).await;
    let mut half = TcpStream::connect(server.address).await.unwrap();
    half.write_all(b"POST /mcp HTTP/1.1\r\n").await.unwrap();
    until_blocked(&world, 1).await;
    server.end();
    server.ended().await;
    // What was not finished is stopped, and is no answer.
    until_blocked(&world, 0).await;
    let said = until_closed(&mut in_flight).await;
    assert!(!said.contains("200 OK"), "{said}");
    lock.release().await;
}
