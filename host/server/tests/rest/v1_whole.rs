//! A record with a field of 100 MB: it comes whole, in pieces, and the server holds one of them at a time.

use crate::rest::client::{begin, read_body, read_head};
use crate::rest::on_both_engines;
use crate::rest::world::{World, line, stream};
use serde_json::json;
use std::time::Duration;
use stepwell_testkit::rss_kb;
use tokio::io::AsyncReadExt as _;

on_both_engines!(
    a_hundred_megabytes_pass_through,
    an_answer_ends_with_the_grant,
    nobody_reads_for_a_client_that_left
);

const SIZE: usize = 100_000_000;

async fn token_for_a_huge_record(world: &World, size: usize) -> String {
    let text = "A line of sixteen\n".repeat(size / 18);
    world.fill("cin_home/huge", [line("k", &json!({ "body": text }))]).await;
    world.granted(vec![stream("huge")]).await
}

async fn a_hundred_megabytes_pass_through(world: World) {
    let token = token_for_a_huge_record(&world, SIZE).await;
    let bearer = format!("Bearer {token}");
    // The test and the server are one process: what was needed to fill the store goes back first.
    let before = rss_kb(std::process::id());
    for target in ["/v1/streams/huge/records", "/v1/streams/huge/records/k"] {
        let mut stream = begin(world.v1, "GET", target, &[("authorization", &bearer)], b"").await;
        let mut answer = read_head(&mut stream).await;
        assert_eq!(answer.status, 200);
        // Nothing is kept here either: the lengths are added up, and memory is looked at on the way.
        let (mut total, mut most, mut buffer) = (0, 0, vec![0; 1 << 16]);
        loop {
            let read = stream.read(&mut buffer).await.unwrap();
            if read == 0 {
                break;
            }
            total += read;
            most = most.max(rss_kb(std::process::id()).unwrap_or_default());
        }
        answer.is_whole = true;
        assert!(total > SIZE, "{target}: {total} bytes");
        if let Some(before) = before {
            let grown = most.saturating_sub(before);
            assert!(grown < 40_000, "{target}: memory grew by {grown} KB over an answer of {total} bytes");
        }
    }
}

async fn an_answer_ends_with_the_grant(world: World) {
    let token = token_for_a_huge_record(&world, 30_000_000).await;
    let grant = world.store.grants().await.unwrap().pop().unwrap().grant_id;
    let bearer = format!("Bearer {token}");
    let mut stream =
        begin(world.v1, "GET", "/v1/streams/huge/records/k", &[("authorization", &bearer)], b"").await;
    let mut answer = read_head(&mut stream).await;
    world.store.revoke_grant(&grant).await.unwrap();
    read_body(&mut stream, &mut answer, false, |_| {}).await;
    assert!(!answer.is_whole && answer.body.len() < 20_000_000, "{} bytes came", answer.body.len());
}

async fn nobody_reads_for_a_client_that_left(world: World) {
    let token = token_for_a_huge_record(&world, 30_000_000).await;
    let bearer = format!("Bearer {token}");
    for _ in 0..20 {
        let mut stream =
            begin(world.v1, "GET", "/v1/streams/huge/records/k", &[("authorization", &bearer)], b"").await;
        let mut first = [0; 1_024];
        stream.read_exact(&mut first).await.unwrap();
    }
    // The server answers on: no task of those above holds what others need.
    let answer = tokio::time::timeout(Duration::from_secs(60), world.get("/v1/streams")).await.unwrap();
    assert_eq!(answer.status, 200);
}
