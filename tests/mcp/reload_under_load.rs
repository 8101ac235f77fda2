//! Configurations that come and go while clients ask: no request fails, and each answer is wholly of one of them.

use crate::mcp::reload::{BARE, FULL, Operator, REFUSED, TAKEN, until};
use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use stepwell_sample::known;
use stepwell_testkit::rss_kb;

/// Clients over HTTP, besides the one on standard input.
const CLIENTS: usize = 6;
/// How often the configuration changes before memory is looked at, and in all. Places for guests fill up one by one as calls
/// happen to come together, so memory grows for a while: measured, 23 MB in the first 80 changes after 30, 5 MB in these.
const WARM: usize = 110;
const FLIPS: usize = 190;
/// What the server may have grown by in between. Measured: 6 MB, and 56 MB where no set was ever dropped.
const GROWTH_KB: u64 = 24 * 1024;

const BROKEN: &str = "[tiers.preview]\ncomponent = \"none.wasm\"\n[tiers.field-window]\nenabled = false\n";

/// Which configuration an answer is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Set {
    Full,
    Bare,
}

/// Judges an answer by all that tells the two apart in it. An answer of both is none.
fn set_of(signs: &[bool], reply: &Value) -> Set {
    assert!(signs.windows(2).all(|pair| pair[0] == pair[1]), "half of each: {signs:?} {reply}");
    if signs[0] { Set::Full } else { Set::Bare }
}

/// One request of every kind, each judged.
fn round(mut ask: impl FnMut(&str, Value) -> Value) -> Vec<Set> {
    let mut seen = Vec::new();
    let listed = ask("tools/list", json!({}));
    let names = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
    assert!([5, 6].contains(&names.len()), "{listed}");
    let fetch = names.iter().find(|tool| tool["name"] == "fetch").unwrap().to_string();
    seen.push(set_of(&[names.len() == 6, fetch.contains("read_record_field")], &listed));

    let id = known::LONG_TEXT.id();
    for (tool, arguments) in
        [("fetch", json!({ "id": id })), ("search", json!({ "q": "whole log of the Ferry Reading Circle" }))]
    {
        let reply = ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &reply["result"];
        assert!(result["isError"] != true && result["content"].is_array(), "{tool}: {reply}");
        let records = result["structuredContent"]["content_ladder"]["records"].as_array();
        let records = records.unwrap_or_else(|| panic!("{tool}: {reply}"));
        let mut fields = records.iter().filter_map(|record| record["fields"].as_array()).flatten();
        let body = fields.find(|field| field["path"] == "body").unwrap_or_else(|| panic!("{tool}: {reply}"));
        let text = result["content"][0]["text"].as_str().unwrap();
        let signs = [
            body.get("read").is_some(),
            body.get("resource").is_some(),
            body["preview"]["status"] != "unavailable",
            text.contains("read_record_field"),
            text.contains("pdpp://"),
        ];
        seen.push(set_of(&signs, &reply));
    }

    // What one of the two does not have is refused as it always is, and otherwise it answers.
    let window = json!({ "id": id, "field_path": "body", "limit_chars": 10 });
    let reply = ask("tools/call", json!({ "name": "read_record_field", "arguments": window }));
    let is_read = reply["result"]["structuredContent"]["window"]["text"].is_string();
    assert!(is_read || reply["error"]["code"] == -32602, "{reply}");
    let templates = ask("resources/templates/list", json!({}));
    let uris = templates["result"]["resourceTemplates"].as_array();
    assert!(uris.map_or(templates["error"]["code"] == -32601, |uris| uris.len() == 4), "{templates}");
    seen
}

/// Asks until told to stop, and counts what was seen.
fn climb(stop: &AtomicBool, mut ask: impl FnMut(&str, Value) -> Value) -> BTreeMap<Set, usize> {
    let mut seen = BTreeMap::new();
    while !stop.load(Ordering::Relaxed) {
        for set in round(&mut ask) {
            *seen.entry(set).or_default() += 1;
        }
    }
    seen
}

/// Changes the configuration so often, and waits each time until the server has it, or has refused it.
fn flip(operator: &Operator, times: usize) {
    for flip in 0..times {
        let (taken, refused) = (operator.count(TAKEN), operator.count(REFUSED));
        let (text, words, before) = match flip % 5 {
            4 => (BROKEN, REFUSED, refused),
            n if n % 2 == 0 => (BARE, TAKEN, taken),
            _ => (FULL, TAKEN, taken),
        };
        operator.write(text);
        operator.hang_up();
        operator.await_log(words, before + 1);
    }
}

#[test]
fn no_request_fails_and_none_sees_half_of_each() {
    let world = World::shared();
    let mut operator = Operator::with(FULL);
    let http = operator.http(world);
    let stop = AtomicBool::new(false);
    let (seen, growth) = thread::scope(|scope| {
        let (http, stop) = (&http, &stop);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let era = if client % 2 == 0 { Era::Modern } else { Era::Legacy };
                scope.spawn(move || climb(stop, |method, params| http.ask(era, method, params)))
            })
            .collect();
        // A client that fails ends the test, not only its thread.
        let flipped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            flip(&operator, WARM);
            let before = rss_kb(operator.pid);
            flip(&operator, FLIPS - WARM);
            rss_kb(operator.pid).zip(before).map(|(after, before)| after.saturating_sub(before))
        }));
        stop.store(true, Ordering::Relaxed);
        let seen: Vec<_> =
            clients.into_iter().map(|client| client.join().expect("no request fails")).collect();
        (seen, flipped.expect("every change was answered"))
    });
    for seen in seen {
        assert_eq!(seen.len(), 2, "each client met both: {seen:?}");
    }
    if let Some(growth) = growth {
        assert!(growth < GROWTH_KB, "{growth} KB more after {} changes", FLIPS - WARM);
    }
}

#[test]
fn a_session_goes_on_through_many_configurations() {
    let world = World::shared();
    let mut operator = Operator::with(FULL);
    let mut session = Stdio::open(world, &world.all, Era::Legacy, &["--config", &operator.config()]);
    operator.pid = session.pid();
    let mut seen = BTreeMap::<Set, usize>::new();
    for text in [BARE, FULL].repeat(4) {
        operator.write(text);
        operator.hang_up();
        let wanted = if text == FULL { Set::Full } else { Set::Bare };
        let has_come = || {
            let sets = round(|method, params| session.ask(method, params));
            sets.iter().for_each(|set| *seen.entry(*set).or_default() += 1);
            sets.iter().all(|set| *set == wanted)
        };
        until(has_come, || format!("{wanted:?}"));
    }
    assert_eq!(seen.len(), 2, "{seen:?}");
}
