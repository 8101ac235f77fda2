//! What the ledger costs a read, printed and not judged:
//! `cargo test -p stepwell-source ledger_cost -- --ignored --nocapture --test-threads 1`.

use crate::on_both_engines_ignored;
use crate::world::{World, line, stream};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stepwell_contract::{Bytes, Chars, Span};
use stepwell_source::shape::RecordIdentity;
use stepwell_source::{Caller, Disclosure, Embedded, Extent, Source as _};
use tokio::task::JoinSet;

on_both_engines_ignored!(the_cost_of_a_recorded_read);

const WINDOW: Span = Span::at(Chars(50_000), Chars(4_096));

/// Reads a window as a tool would: authenticated before, located, read.
async fn read(store: &Embedded, caller: &Caller) -> (RecordIdentity, u64) {
    let meant = crate::world::record("home/messages:m1");
    let path = stepwell_contract::FieldPath::top_level("body");
    let field = store.field(caller, &meant, &path).await.unwrap();
    let text = store.text(caller, &field, WINDOW).await.unwrap();
    (field.record, text.len() as u64)
}

async fn recorded(store: &Embedded, caller: &Caller, entries: usize) {
    let (identity, bytes) = read(store, caller).await;
    let one = Disclosure::of_part(&identity, "body", Extent::Chars(WINDOW), Bytes(bytes));
    store.disclose(caller, "read_record_field", &vec![one; entries]).await.unwrap();
}

async fn median(mut run: impl AsyncFnMut()) -> Duration {
    let mut times = Vec::new();
    for _ in 0..200 {
        let started = Instant::now();
        run().await;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    times[times.len() / 2]
}

#[allow(clippy::print_stdout, reason = "this is what it is for")]
async fn the_cost_of_a_recorded_read(world: World) {
    let engine = world.url.split(':').next().unwrap().to_owned();
    let body = "a few words of text ".repeat(10_000);
    world.fill("home/messages", None, &[line("m1", &json!({ "body": body }))]).await;
    let caller = world.grant(vec![stream("messages")]).await;
    let store = Arc::new(world.again().await);
    recorded(&store, &caller, 1).await;
    let bare = median(async || drop(read(&store, &caller).await)).await;
    for entries in [1, 25] {
        let with = median(async || recorded(&store, &caller, entries).await).await;
        let ratio = with.as_secs_f64() / bare.as_secs_f64();
        println!("{engine}: {entries} entries: {with:?} against {bare:?}: {ratio:.2}×");
    }
    for callers in [1_usize, 8, 50] {
        let (mut rates, rounds) = (Vec::new(), 400 / callers);
        for entries in [0, 1] {
            let (mut set, started) = (JoinSet::new(), Instant::now());
            for _ in 0..callers {
                let (store, caller) = (store.clone(), caller.clone());
                set.spawn(async move {
                    for _ in 0..rounds {
                        recorded(&store, &caller, entries).await;
                    }
                });
            }
            set.join_all().await;
            rates.push((callers * rounds) as f64 / started.elapsed().as_secs_f64());
        }
        println!(
            "{engine}: {callers} callers: {:.0} reads/s, {:.0} recorded/s: {:.2}×",
            rates[0],
            rates[1],
            rates[0] / rates[1]
        );
    }
}
