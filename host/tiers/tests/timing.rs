//! How long calls take. Run with `cargo test -p stepwell-tiers --release timing -- --ignored --nocapture`.

use crate::support::{Memory, RUNTIME, place, record, row};
use std::sync::Arc;
use std::time::{Duration, Instant};
use stepwell_contract::Chars;
use stepwell_tiers::{Asked, Config, EmptyHand, FieldKind, FieldShape, Place, Tiers};

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    println!(
        "{what}: min {:?}, median {:?}, p99 {:?}",
        times[0],
        times[times.len() / 2],
        times[times.len() * 99 / 100]
    );
}

#[ignore = "prints figures"]
#[tokio::test]
async fn timing() {
    let _warm = Tiers::load_in(&RUNTIME, &Config::default(), &place());
    for (what, place) in [("load, cached", place()), ("load, compiled", Place::default())] {
        let times = (0..5).map(|_| {
            let started = Instant::now();
            let _tiers = Tiers::load_in(&RUNTIME, &Config::default(), &place);
            started.elapsed()
        });
        report(what, times.collect());
    }
    let tiers = Tiers::load_in(&RUNTIME, &Config::default(), &place());
    let field = FieldShape { chars: Some(Chars(10_000_000)), ..FieldShape::new("body", FieldKind::Text) };
    let mut times = Vec::new();
    for n in 0..5_000 {
        let asked = Asked::Page { offset: Chars(n), limit: Chars(4_096) };
        let started = Instant::now();
        tiers.window().unwrap().place(field.clone(), asked, &row(), Arc::new(EmptyHand)).await.unwrap();
        times.push(started.elapsed());
    }
    report("window", times);
    let body = "words of a mail ".repeat(100);
    let fields = [("subject", "Lunch"), ("from", "Ann"), ("body", body.as_str())];
    let page = (0..25).map(|n| {
        let mut shape = record(&fields);
        shape.slot = stepwell_tiers::Slot(n);
        shape
    });
    for (what, page) in [
        ("preview, 1 record", page.clone().take(1).collect::<Vec<_>>()),
        ("preview, 25 records", page.collect()),
    ] {
        let mut times = Vec::new();
        for _ in 0..1_000 {
            let records = page.clone();
            let started = Instant::now();
            tiers.preview().unwrap().compose(records, &row(), Memory::of(&fields)).await.unwrap();
            times.push(started.elapsed());
        }
        report(what, times);
    }
}
