//! What the second line on Postgres costs. Run by hand:
//! `cargo test -p stepwell-source second_line -- --ignored --nocapture --test-threads 1`.

use crate::world::{World, line, stream};
use serde_json::json;
use std::time::{Duration, Instant};
use stepwell_contract::{Chars, Span, StreamName};
use stepwell_source::query::{AggregateQuery, Metric, SearchQuery};
use stepwell_source::{Caller, Source as _};
use tokio_postgres::types::ToSql;

/// The tables that have a policy.
const TABLES: &[&str] = &[
    "record",
    "field",
    "seg",
    "blob_part",
    "filter_value",
    "scope_field",
    "former_record",
    "former_field",
    "mark",
];

async fn switch(world: &World, on: bool) {
    let word = if on { "ENABLE" } else { "DISABLE" };
    for table in TABLES {
        world.behind_its_back(&format!("ALTER TABLE {table} {word} ROW LEVEL SECURITY")).await;
    }
}

async fn windows(world: &World, caller: &Caller) {
    let field = world.field(caller, "home/notes:k7", "body").await.unwrap();
    for at in 0..40 {
        let text = world.store.text(caller, &field, Span::at(Chars(at * 4_096), Chars(4_096))).await.unwrap();
        assert_eq!(text.len(), 4_096);
    }
}

async fn search(world: &World, caller: &Caller) {
    let query = SearchQuery {
        q: "common".into(),
        streams: Vec::new(),
        connection: None,
        conditions: Vec::new(),
        limit: 10,
        cursor: None,
    };
    assert_eq!(world.store.search(caller, &query).await.unwrap().hits.len(), 10);
}

async fn sum(world: &World, caller: &Caller) {
    let query = AggregateQuery {
        stream: StreamName::new("notes").unwrap(),
        connection: None,
        metric: Metric::Sum,
        field: Some("n".into()),
        group: None,
        conditions: Vec::new(),
        limit: 10,
    };
    assert_eq!(world.store.aggregate(caller, &query).await.unwrap().records, 5_000);
}

/// Says for whom a session reads, as the store does together with each statement.
const READS_FOR: &str =
    "SELECT set_config('stepwell.grant_id', $1, false), set_config('stepwell.owner', $2, false)";

/// Reads windows past the store, and says for whom or does not.
async fn raw_windows(client: &tokio_postgres::Client, said: bool) {
    let field: i64 = client.query_one("SELECT MAX(field) FROM seg", &[]).await.unwrap().get(0);
    let sql = "SELECT text FROM seg WHERE field = $1 AND char_start > $2 AND char_start < $3";
    let (window, reads_for) = (client.prepare(sql).await.unwrap(), client.prepare(READS_FOR).await.unwrap());
    for at in 0..200_i64 {
        let (from, to) = (at * 1_000 - 4_096, at * 1_000 + 4_096);
        let bound: [&(dyn ToSql + Sync); 3] = [&field, &from, &to];
        let rows = match said {
            false => client.query(&window, &bound).await,
            true => {
                let whose: [&(dyn ToSql + Sync); 2] = [&"", &"on"];
                let both =
                    tokio::join!(biased; client.query(&reads_for, &whose), client.query(&window, &bound));
                both.0.and(both.1)
            }
        };
        assert!(!rows.unwrap().is_empty());
    }
}

async fn timed(work: impl AsyncFn()) -> Duration {
    let start = Instant::now();
    work().await;
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "prints figures"]
#[allow(clippy::print_stdout, reason = "that is what it is for")]
async fn what_the_policies_cost() {
    let world = World::postgres().await;
    let lines: Vec<String> = (0..5_000)
        .map(|number| {
            let body =
                if number == 7 { "long text ".repeat(40_000) } else { format!("a common word {number}") };
            line(&format!("k{number}"), &json!({ "body": body, "n": number, "title": "common" }))
        })
        .collect();
    world.fill("home/notes", None, &lines).await;
    world.behind_its_back("ANALYZE").await;
    let caller = world.grant(vec![stream("notes")]).await;
    let mut times = [const { [const { Vec::new() }; 2] }; 3];
    for round in 0..23 {
        for on in [false, true] {
            switch(&world, on).await;
            let mut all = [Duration::ZERO; 3];
            // The first of each are the ones that plan again.
            for measured in [false, true] {
                let found = [
                    timed(async || windows(&world, &caller).await).await,
                    timed(async || search(&world, &caller).await).await,
                    timed(async || sum(&world, &caller).await).await,
                ];
                if measured {
                    all = found;
                }
            }
            for (kind, time) in all.into_iter().enumerate() {
                if round > 1 {
                    times[kind][usize::from(on)].push(time);
                }
            }
        }
    }
    let (client, connection) = tokio_postgres::connect(&world.url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("SET search_path TO stepwell").await.unwrap();
    let mut raw = [const { Vec::new() }; 2];
    for _ in 0..21 {
        for said in [false, true] {
            raw[usize::from(said)].push(timed(async || raw_windows(&client, said).await).await);
        }
    }
    let [off, on] = raw.map(median);
    println!("200 bare windows: saying for whom, ratio {:.2}", on / off);
    for (name, [off, on]) in
        ["40 windows", "search of a word in 5,000 records", "sum over 5,000 records"].iter().zip(times)
    {
        let (off, on) = (median(off), median(on));
        println!("{name}: {:.2} ms without, {:.2} ms with, ratio {:.2}", off * 1e3, on * 1e3, on / off);
    }
}
