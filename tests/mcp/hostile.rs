//! A hostile tier in a running server: the request ends in time with the fault's name and nothing else, and the server goes on.

use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use stepwell_sample::known;
use stepwell_tiers_fixtures::hostile;

/// The longest that a request may take whose tier has 200 ms; the rest is for a machine that does other things too.
const PATIENCE: Duration = Duration::from_secs(5);

fn open(guest: &str, on_fault: &str) -> Stdio {
    let world = World::shared();
    let component = hostile(guest);
    let config = format!(
        "[tiers.preview]\ncomponent = {component:?}\non_fault = \"{on_fault}\"\n\
         limits = {{ deadline_ms = 200, memory_mb = 64, output_kb = 256, reads = 8, read_kb = 64 }}\n"
    );
    let config = world.store.file(&format!("hostile-{guest}-{on_fault}.toml"), config);
    Stdio::open(world, &world.all, Era::Legacy, &["--config", &config])
}

fn fetch(session: &mut Stdio) -> (Value, Duration) {
    let arguments = json!({ "name": "fetch", "arguments": { "id": known::LONG_TEXT.id() } });
    let started = Instant::now();
    let mut reply = session.ask("tools/call", arguments);
    (reply["result"].take(), started.elapsed())
}

fn next_call_works(session: &mut Stdio, guest: &str) {
    let window = json!({ "id": known::LONG_TEXT.id(), "field_path": "body" });
    let reply = session.ask("tools/call", json!({ "name": "read_record_field", "arguments": window }));
    assert!(reply["result"]["structuredContent"]["window"]["text"].is_string(), "after {guest}: {reply}");
}

#[test]
fn a_tier_that_is_to_refuse_ends_in_a_typed_fault() {
    for (guest, fault) in
        [("loops", "deadline"), ("traps", "trap"), ("floods", "output"), ("memory_bomb", "memory")]
    {
        let mut session = open(guest, "refuse");
        let (result, took) = fetch(&mut session);
        assert!(took < PATIENCE, "{guest} took {took:?}");
        assert_eq!(result["isError"], true, "{guest}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let (sentence, object) = text.split_once('\n').unwrap();
        assert!(sentence.starts_with("tier_error: "), "{guest}: {text}");
        let error = serde_json::from_str::<Value>(object).unwrap()["error"].take();
        assert_eq!(error["type"], "tier_error");
        assert!(error["fault"].as_str().unwrap().contains(fault), "{guest}: {error}");
        assert!(!text.contains(".wasm") && !text.contains("Ferry"), "neither paths nor record text: {text}");
        next_call_works(&mut session, guest);
    }
}

#[test]
fn a_tier_that_is_to_fall_back_leaves_the_host_s_own_rendering() {
    for guest in ["loops", "traps", "floods", "outside"] {
        let mut session = open(guest, "fallback");
        let (result, took) = fetch(&mut session);
        assert!(took < PATIENCE, "{guest} took {took:?}");
        assert!(result["isError"] != true, "{guest}: {result}");
        assert_eq!(result["structuredContent"]["id"], known::LONG_TEXT.id());
        assert_eq!(result["structuredContent"]["title"], "The whole log of the Ferry Reading Circle");
        next_call_works(&mut session, guest);
    }
}
