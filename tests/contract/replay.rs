//! No dead ends: every id, call, cursor and address that any result shows works when it is used as it stands.

use crate::contract::desk::{Desk, LINKS, text};
use crate::contract::handles::{Step, of_resource, of_result};
use crate::mcp::world::World;
use serde_json::json;
use std::collections::{HashSet, VecDeque};
use stepwell_sample::known;

/// How many steps from its first call the test goes: far enough to reach every kind of result from every other.
const DEPTH: usize = 4;

/// How often each tool, and each kind of resource, is used; the sample is small, so this is nearly all of it.
const EACH: usize = 400;

#[test]
fn whatever_a_result_shows_works_as_it_stands() {
    let mut desk = Desk::open(World::shared(), LINKS);
    let mut todo: VecDeque<(usize, Step)> = first_calls().into_iter().map(|step| (0, step)).collect();
    let mut seen: HashSet<String> = HashSet::new();
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    while let Some((depth, step)) = todo.pop_front() {
        let kind = kind(&step);
        let count = counts.entry(kind).or_default();
        if *count >= EACH || !seen.insert(format!("{step:?}")) {
            continue;
        }
        *count += 1;
        let offered = take(&mut desk, &step);
        if depth < DEPTH {
            todo.extend(offered.into_iter().map(|next| (depth + 1, next)));
        }
    }
    // If the collector went blind, these would be missing.
    for (kind, least) in [
        ("fetch", 150),
        ("query_records", 20),
        ("read_record_field", 300),
        ("search", 5),
        ("pdpp://blob", 4),
        ("pdpp://field-window", 100),
        ("pdpp://record", 50),
        ("pdpp://stream", 4),
    ] {
        let count = counts.get(kind).copied().unwrap_or_default();
        assert!(count >= least, "{kind}: {count} of {least}: {counts:?}");
    }
}

fn first_calls() -> Vec<Step> {
    let mut steps = vec![
        ("schema", json!({})),
        ("search", json!({ "q": "the" })),
        ("search", json!({ "q": known::UNIQUE_QUERY })),
        ("search", json!({ "q": "roof", "limit": 100 })),
        ("aggregate", json!({ "stream": "messages", "metric": "count", "group_by": "from" })),
        ("read_record_field", json!({ "id": known::LONG_TEXT.id(), "field_path": "body", "q": "ferry" })),
        (
            "read_record_field",
            json!({ "id": known::LARGE_JSON.id(), "field_path": known::LARGE_JSON_POINTER, "q": "a" }),
        ),
    ];
    for (stream, view, expand) in [
        ("messages", "envelope", "replies"),
        ("conversations", "rooms", "messages"),
        ("chat_messages", "talk", "conversation"),
    ] {
        steps.push((
            "query_records",
            json!({ "stream": stream, "view": view, "expand": [expand], "limit": 5 }),
        ));
        steps.push(("query_records", json!({ "stream": stream, "changes_since": "beginning", "limit": 40 })));
        steps.push(("query_records", json!({ "stream": stream, "sort": "emitted_at", "order": "asc" })));
    }
    steps.push(("fetch", json!({ "id": known::ROOF_QUOTE.id(), "expand": ["replies"] })));
    for stream in ["messages", "conversations", "chat_messages"] {
        steps.push(("query_records", json!({ "stream": stream })));
        steps.push(("schema", json!({ "stream": stream, "detail": "full" })));
    }
    let calls = steps.into_iter().map(|(tool, arguments)| Step::Call(tool.to_owned(), arguments));
    let desk = Desk::open(World::shared(), LINKS).ask("resources/list", json!({}));
    let listed = desk["result"]["resources"].as_array().unwrap().clone();
    let reads = listed.into_iter().map(|resource| Step::Read(resource["uri"].as_str().unwrap().to_owned()));
    calls.chain(reads).collect()
}

/// Takes a step, which must succeed, and gives what it offers.
fn take(desk: &mut Desk, step: &Step) -> Vec<Step> {
    match step {
        Step::Call(tool, arguments) => {
            let result = desk.call(tool, arguments);
            assert!(result["isError"] != true, "a dead end: {tool} {arguments}: {}", text(&result));
            of_result(tool, arguments, &result)
        }
        Step::Read(uri) => match desk.read(uri) {
            Ok(result) => of_resource(&result),
            Err(error) => panic!("a dead end: {uri}: {error}"),
        },
    }
}

fn kind(step: &Step) -> String {
    match step {
        Step::Call(tool, _) => tool.clone(),
        Step::Read(uri) => uri.rsplit_once('/').map_or(uri.clone(), |(kind, _)| kind.to_owned()),
    }
}
