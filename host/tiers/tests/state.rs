//! Nothing survives a call: neither in the pool's memory, which is used again, nor as memory of the host's process.

use crate::support::{Memory, RUNTIME, defaults, place, record, replaced, row};
use std::sync::Arc;
use stepwell_tiers::{Derived, Sheet, Shown, TierFault, Tiers};
use stepwell_tiers_fixtures::hostile;

async fn compose(tiers: &Tiers, text: &str) -> Result<Vec<Sheet>, TierFault> {
    let fields = [("body", text)];
    tiers.preview().unwrap().compose(vec![record(&fields)], &row(), Memory::of(&fields)).await
}

fn said(sheets: Result<Vec<Sheet>, TierFault>) -> String {
    match sheets.unwrap().remove(0).lines.remove(0) {
        Shown::Derived(Derived { text, .. }) => text,
        Shown::Verbatim(_) => panic!("it was to say something of its own"),
    }
}

/// Many calls from several threads, so that every place of the pool is used again and again.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_one_call_saw_no_other_call_finds() {
    let tiers = Arc::new(replaced(&hostile("canary"), |config| &mut config.preview));
    let in_core = Arc::new(replaced(&hostile("remembers_in_core"), |config| &mut config.preview));
    let good = Arc::new(defaults());
    let callers: Vec<_> = (0..4)
        .map(|caller| {
            let (tiers, in_core, good) = (Arc::clone(&tiers), Arc::clone(&in_core), Arc::clone(&good));
            tokio::spawn(async move {
                for call in 0..25 {
                    // Twelve characters, each call's own.
                    let secret = format!("canary-{caller:01}{call:04}");
                    assert_eq!(said(compose(&tiers, &secret).await), "itself and 0 others", "{secret}");
                    assert_eq!(compose(&in_core, &secret).await, Ok(Vec::new()), "{secret}");
                    assert!(compose(&good, &secret).await.is_ok());
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
}

#[tokio::test]
async fn there_is_no_chance_in_an_answer() {
    let tiers = replaced(&hostile("dice"), |config| &mut config.preview);
    let first = said(compose(&tiers, "text").await);
    for _ in 0..20 {
        assert_eq!(said(compose(&tiers, "text").await), first);
    }
    // Another engine, compiled anew, finds the same.
    let config = crate::support::with(&hostile("dice"), |config| &mut config.preview);
    let anew = Tiers::load(&config, &stepwell_tiers::Place::default()).unwrap();
    assert_eq!(said(compose(&anew, "text").await), first);
}

/// The name under which a process of its own runs the calls, because other tests use memory too.
const APART: &str = "state::many_hostile_calls";

#[test]
#[cfg(target_os = "linux")]
fn memory_returns_to_where_it_was_after_many_hostile_calls() {
    let apart = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", APART, "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&apart.stdout);
    assert!(
        apart.status.success() && said.contains("1 passed"),
        "{said}\n{}",
        String::from_utf8_lossy(&apart.stderr)
    );
}

#[ignore = "runs in a process of its own"]
#[tokio::test]
async fn many_hostile_calls() {
    const GUESTS: [&str; 10] = [
        "floods",
        "grows_table",
        "huge_request",
        "invalid_utf8",
        "list_past_memory",
        "many_lines",
        "memory_bomb",
        "read_flood",
        "recursion",
        "traps",
    ];
    let memory = || stepwell_testkit::rss_kb(std::process::id()).unwrap();
    let round = async || {
        for guest in GUESTS {
            // Loaded anew each time, as a reload does it: what a set of tiers holds goes with it.
            let tiers = Tiers::load_in(
                &RUNTIME,
                &crate::support::with(&hostile(guest), |c| &mut c.preview),
                &place(),
            );
            let _ = compose(&tiers, "some words").await;
        }
    };
    for _ in 0..5 {
        round().await;
    }
    let before = memory();
    for _ in 0..20 {
        round().await;
    }
    let after = memory();
    // 200 calls, of which 20 took 64 MB each and 20 handed over a megabyte. The allocator keeps a little.
    assert!(after < before + 24 * 1_024, "{before} KB before, {after} KB after");
}
