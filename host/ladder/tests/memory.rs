//! How much memory a reader needs: a process of its own, which does nothing else.
//!
//! The reader is this test program again. Told by a variable what to read, it reads; otherwise its test passes at once.

use crate::hundred_megabytes::{FIELD, ID, LAST_WORDS};
use crate::world::{Ask, World};
use std::process::Command;
use stepwell_source::{Source as _, Token};

const STORE: &str = "STEPWELL_TEST_READER_STORE";
const TOKEN: &str = "STEPWELL_TEST_READER_TOKEN";
/// How much a reader may need beyond what it needs anyway.
const ALLOWED_KB: u64 = 30 * 1024;

/// Reads windows of the long field in a process of its own and compares its peak with its idle state.
pub(crate) fn assert_a_reader_stays_small(store: &str, token: &str) {
    let program = std::env::current_exe().expect("this program has a path");
    let reader = Command::new(program)
        .args(["--exact", "memory::reads_windows_if_told_to", "--nocapture"])
        .env(STORE, store)
        .env(TOKEN, token)
        .output()
        .expect("this program runs again");
    let said = String::from_utf8_lossy(&reader.stdout);
    assert!(reader.status.success(), "{said}\n{}", String::from_utf8_lossy(&reader.stderr));
    let Some(measured) = said.lines().find_map(|line| line.strip_prefix("idle and peak: ")) else {
        if cfg!(target_os = "linux") {
            panic!("the reader measured nothing: {said}");
        }
        return;
    };
    let (idle, peak) = measured.split_once(' ').expect("two numbers");
    let (idle, peak): (u64, u64) = (idle.parse().expect("a number"), peak.parse().expect("a number"));
    assert!(peak - idle < ALLOWED_KB, "{} KiB above {idle} KiB", peak - idle);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_windows_if_told_to() {
    let (Ok(store), Ok(token)) = (std::env::var(STORE), std::env::var(TOKEN)) else { return };
    let world = World::at(store, None).await;
    let caller = world.store.authenticate(&Token::new(token)).await.expect("a caller");
    world.window(&caller, &Ask::new(ID, "aside")).await;
    let me = std::process::id();
    let idle = stepwell_testkit::rss_kb(me);
    let total = world.window(&caller, &Ask::new(ID, FIELD).limit(1)).await.window.total.get();
    for n in 0..300 {
        // A stride that visits the whole field in no order that a cache would like.
        let offset = n * 7_919 % 300 * (total / 300);
        let window = world.window(&caller, &Ask::new(ID, FIELD).offset(offset).limit(16_384)).await;
        assert!(!window.to_text().is_empty() && window.structured().is_object());
    }
    world.window(&caller, &Ask::new(ID, FIELD).q(LAST_WORDS)).await;
    let peak = stepwell_testkit::peak_rss_kb(me);
    if let (Some(idle), Some(peak)) = (idle, peak) {
        println!("\nidle and peak: {idle} {peak}");
    }
}
