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

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// How long so many callers take for some reads each, with so many entries for every read.
async fn together(store: &Arc<Embedded>, caller: &Caller, callers: usize, entries: usize) -> Duration {
    let (mut set, started) = (JoinSet::new(), Instant::now());
    for _ in 0..callers {
        let (store, caller) = (store.clone(), caller.clone());
        set.spawn(async move {
            for _ in 0..4 {
                recorded(&store, &caller, entries).await;
            }
        });
    }
    set.join_all().await;
    started.elapsed()
}

#[allow(clippy::print_stdout, reason = "this is what it is for")]
async fn the_cost_of_a_recorded_read(world: World) {
    let engine = world.url.split(':').next().unwrap().to_owned();
    let body = "a few words of text ".repeat(10_000);
    world.fill("home/messages", None, &[line("m1", &json!({ "body": body }))]).await;
    let caller = world.grant(vec![stream("messages")]).await;
    let store = Arc::new(world.again().await);
    for callers in [1, 8, 50] {
        let mut times = [0, 1, 25].map(|entries| (entries, Vec::new()));
        // In turns, so that a neighbour's burst of work falls on all alike.
        for round in 0..=(400 / callers).max(20) {
            for (entries, times) in &mut times {
                let time = together(&store, &caller, callers, *entries).await;
                if round > 0 {
                    times.push(time / (callers as u32 * 4));
                }
            }
        }
        let [bare, one, many] = times.map(|(_, mut times)| median(&mut times));
        let over = |time: Duration| time.as_secs_f64() / bare.as_secs_f64();
        println!(
            "{engine}, {callers} callers: {bare:?} a read, {one:?} with 1 entry ({:.1}×), {many:?} with 25 ({:.1}×)",
            over(one),
            over(many)
        );
    }
}
