//! What a search costs that many long texts could slow down, printed and not judged:
//! `cargo test -p stepwell-source search_cost -- --ignored --nocapture --test-threads 1`.

use crate::on_both_engines_ignored;
use crate::world::{World, stream};
use serde_json::json;
use std::time::{Duration, Instant};
use stepwell_source::query::SearchQuery;
use stepwell_source::{Caller, Source as _};

on_both_engines_ignored!(the_cost_of_a_common_word);

/// How many texts there are, of about 10 MB each.
const TEXTS: usize = 8;

async fn ask(world: &World, caller: &Caller, q: &str) -> (Duration, usize) {
    let query = SearchQuery {
        q: q.to_owned(),
        streams: Vec::new(),
        conditions: Vec::new(),
        connection: None,
        limit: 25,
        cursor: None,
    };
    let mut times = Vec::new();
    let mut hits = 0;
    for _ in 0..5 {
        let started = Instant::now();
        hits = world.store.search(caller, &query).await.unwrap().hits.len();
        times.push(started.elapsed());
    }
    times.sort_unstable();
    (times[2], hits)
}

#[allow(clippy::print_stdout, reason = "this is what it is for")]
async fn the_cost_of_a_common_word(world: World) {
    let engine = world.url.split(':').next().unwrap().to_owned();
    for text in 0..TEXTS {
        let body: String = (0..170_000)
            .map(|n| format!("the heron waits at place {} with {} for key. ", n % 97, n % 89))
            .collect();
        let rare = if text == 3 { "an ibis" } else { "" };
        let data = json!({ "body": format!("{body}{rare}") });
        world
            .fill("home/messages", None, &[json!({ "key": text.to_string(), "data": data }).to_string()])
            .await;
    }
    let caller = world.grant(vec![stream("messages")]).await;
    let (rare, _) = ask(&world, &caller, "ibis").await;
    for q in [
        "ibis",
        "the",
        "the heron",
        "he*",
        "\"heron waits\"",
        "\"waits heron\"",
        "the -heron",
        "the -\"heron the\"",
    ] {
        let (time, hits) = ask(&world, &caller, q).await;
        println!(
            "{engine}: {q}: {time:?}, {:.1} times a rare word, {hits} hits",
            time.as_secs_f64() / rare.as_secs_f64()
        );
    }
}
