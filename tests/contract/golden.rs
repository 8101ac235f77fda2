//! Every result as it was reviewed, for all sixteen ways to switch the four tiers on and off.
//!
//! One file for each call. It holds every different result once, under the names of the switches that give it.

use crate::contract::desk::Desk;
use crate::mcp::world::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::OnceLock;

const TIERS: [&str; 4] = ["preview", "field-window", "resources", "binary-export"];

/// The streams that the calls are about.
pub(crate) fn streams() -> Vec<(String, Vec<(String, Value)>)> {
    let body: String = (1..=300).map(|n| format!("Line {n} of the long letter.\n")).collect();
    let mail = json!({
        "subject": "The long letter",
        "from": "Ann Example",
        "body": body,
        "headers": { "received": [{ "by": "mx", "hops": 3 }], "note": "short" },
        "file": { "$blob": { "base64": "iVBORw0KGgoAAAANSUhEUg==", "mime_type": "image/png", "file_name": "dot.png" } },
    });
    let short =
        json!({ "subject": "A short one", "from": "Ben Example", "body": "Nothing more than this letter." });
    let table =
        json!({ "amount": 12.5, "paid": true, "tree": { "leaf": "letter ".repeat(200) }, "memo": null });
    let mail = vec![("m1".to_owned(), mail), ("m2".to_owned(), short)];
    let room = json!({ "title": "The kitchen", "kind": "group" });
    let say = |n: u32, text: &str| {
        let at = format!("2025-07-0{n}T00:00:00Z");
        (format!("t{n}"), json!({ "room": "r1", "said": text, "at": at }))
    };
    let talk = [say(1, "Who took the kettle?"), say(2, "Not me."), say(3, "It is in the garden.")];
    vec![
        ("cin_chat/rooms".to_owned(), vec![("r1".to_owned(), room)]),
        ("cin_chat/talk".to_owned(), talk.to_vec()),
        ("cin_home/mail".to_owned(), mail.clone()),
        ("cin_work/mail".to_owned(), mail[1..].to_vec()),
        ("cin_work/bills".to_owned(), vec![("b1".to_owned(), table)]),
    ]
}

/// What two of the streams declare about themselves.
pub(crate) fn manifest(place: &str) -> Option<Value> {
    match place {
        "cin_chat/rooms" => Some(json!({
            "semantics": "mutable_state",
            "schema": { "properties": { "title": { "type": "string", "x_pdpp_role": "title" }, "kind": {} } },
            "views": [{ "id": "names", "label": "Names of rooms", "fields": ["title"] }],
            "relationships": [
                { "name": "talk", "stream": "talk", "foreign_key": "room", "cardinality": "has_many" }
            ],
            "query": { "expand": [{ "name": "talk", "default_limit": 2, "max_limit": 3 }] },
        })),
        "cin_chat/talk" => Some(json!({
            "semantics": "append_only",
            "cursor_field": "at",
            "schema": { "properties": { "room": {}, "at": { "x_pdpp_role": "time" }, "said": { "x_pdpp_role": "body" } } },
            "relationships": [
                { "name": "room", "stream": "rooms", "foreign_key": "room", "cardinality": "has_one" }
            ],
            "query": { "range_filters": { "at": ["gte", "lt"] }, "expand": [{ "name": "room" }] },
        })),
        _ => None,
    }
}

/// Calls that between them show every part of a result, and every refusal.
pub(crate) fn calls() -> Vec<(&'static str, &'static str, Value)> {
    let long = "cin_home/mail:m1";
    vec![
        ("schema", "schema", json!({})),
        ("schema-stream", "schema", json!({ "stream": "mail" })),
        ("schema-full", "schema", json!({ "stream": "bills", "detail": "full" })),
        ("query_records", "query_records", json!({ "stream": "mail" })),
        ("query_records-page", "query_records", json!({ "stream": "mail", "limit": 1, "order": "asc" })),
        ("query_records-table", "query_records", json!({ "stream": "bills" })),
        (
            "query_records-filter",
            "query_records",
            json!({ "stream": "mail", "filter": { "from": "Ben Example" }, "count": "exact", "fields": ["subject"] }),
        ),
        ("schema-declared", "schema", json!({ "stream": "talk", "detail": "full" })),
        ("schema-related", "schema", json!({ "stream": "rooms" })),
        ("query_records-view", "query_records", json!({ "stream": "rooms", "view": "names" })),
        (
            "query_records-sort",
            "query_records",
            json!({ "stream": "talk", "sort": "at", "order": "asc", "limit": 2, "fields": ["said"] }),
        ),
        (
            "query_records-expand",
            "query_records",
            json!({ "stream": "rooms", "expand": ["talk"], "expand_limit": { "talk": 1 } }),
        ),
        ("query_records-changes", "query_records", json!({ "stream": "talk", "changes_since": "beginning" })),
        ("fetch-expand", "fetch", json!({ "id": "cin_chat/rooms:r1", "expand": ["talk"] })),
        ("fetch-expand-one", "fetch", json!({ "id": "cin_chat/talk:t2", "expand": ["room"] })),
        (
            "aggregate-filter",
            "aggregate",
            json!({ "stream": "bills", "metric": "sum", "field": "amount", "filter": { "paid": true, "amount": { "gt": 12 } } }),
        ),
        ("aggregate", "aggregate", json!({ "stream": "mail", "metric": "count" })),
        ("aggregate-groups", "aggregate", json!({ "stream": "mail", "metric": "count", "group_by": "from" })),
        ("search", "search", json!({ "q": "letter" })),
        ("search-deep", "search", json!({ "q": "line 299" })),
        ("search-none", "search", json!({ "q": "nowhere" })),
        ("fetch-long", "fetch", json!({ "id": long })),
        ("fetch-short", "fetch", json!({ "id": "cin_work/mail:m2" })),
        ("fetch-table", "fetch", json!({ "id": "cin_work/bills:b1" })),
        ("fetch-fields", "fetch", json!({ "id": long, "fields": ["subject", "file"] })),
        ("window", "read_record_field", json!({ "id": long, "field_path": "body", "limit_chars": 40 })),
        (
            "window-middle",
            "read_record_field",
            json!({ "id": long, "field_path": "body", "offset_chars": 4_000, "limit_chars": 30 }),
        ),
        (
            "window-match",
            "read_record_field",
            json!({ "id": long, "field_path": "body", "q": "LINE 150", "before_chars": 5, "after_chars": 9 }),
        ),
        (
            "window-pointer",
            "read_record_field",
            json!({ "id": "cin_work/bills:b1", "field_path": "/tree/leaf", "limit_chars": 20 }),
        ),
        ("window-whole", "read_record_field", json!({ "id": long, "field_path": "subject" })),
        ("error-arguments", "search", json!({ "q": "x", "limit": 101 })),
        (
            "error-filter",
            "query_records",
            json!({ "stream": "mail", "filter": { "from": { "like": "Ann" } } }),
        ),
        ("error-filter-field", "query_records", json!({ "stream": "mail", "filter": { "none": 1 } })),
        ("error-view", "query_records", json!({ "stream": "rooms", "view": "none" })),
        ("error-sort", "query_records", json!({ "stream": "talk", "sort": "said" })),
        ("error-expand", "fetch", json!({ "id": "cin_chat/rooms:r1", "expand": ["none"] })),
        (
            "error-expand-limit",
            "query_records",
            json!({ "stream": "rooms", "expand": ["talk"], "expand_limit": { "talk": 4 } }),
        ),
        ("error-expand-shape", "fetch", json!({ "id": "cin_chat/rooms:r1", "expand_limit": 3 })),
        ("error-changes", "query_records", json!({ "stream": "talk", "changes_since": "yesterday" })),
        ("error-mode", "search", json!({ "q": "letter", "mode": "semantic" })),
        ("error-id", "fetch", json!({ "id": "a/b/c" })),
        ("error-conflict", "fetch", json!({ "id": long, "connection_id": "cin_work" })),
        ("error-ambiguous", "fetch", json!({ "id": "mail:m2" })),
        ("error-record", "fetch", json!({ "id": "cin_home/mail:none" })),
        ("error-stream", "fetch", json!({ "id": "cin_home/other:m1" })),
        ("error-connection", "query_records", json!({ "stream": "mail", "connection_id": "cin_none" })),
        ("error-handle", "fetch", json!({ "id": "pdpp://record/e30" })),
        ("error-field", "read_record_field", json!({ "id": long, "field_path": "/headers/none" })),
        ("error-path", "read_record_field", json!({ "id": long, "field_path": "/a~2" })),
        ("error-binary", "read_record_field", json!({ "id": long, "field_path": "file" })),
        ("error-number", "read_record_field", json!({ "id": "cin_work/bills:b1", "field_path": "amount" })),
        (
            "error-selector",
            "read_record_field",
            json!({ "id": long, "field_path": "body", "q": "a", "offset_chars": 1 }),
        ),
        ("error-cursor", "read_record_field", json!({ "id": long, "field_path": "body", "cursor": "AQ" })),
        ("error-phrase", "read_record_field", json!({ "id": long, "field_path": "body", "q": "nowhere" })),
    ]
}

/// What a client sees, without what differs from run to run.
fn seen(name: &str, reply: &Value) -> String {
    let result = reply.get("result").or(reply.get("error")).unwrap_or(reply);
    let mut shown = String::new();
    for block in result["content"].as_array().into_iter().flatten() {
        match block["text"].as_str() {
            Some(text) => shown.push_str(&format!("--- text\n{text}\n")),
            None => {
                shown.push_str(&format!("--- {}\n{block:#}\n", block["type"].as_str().unwrap_or_default()));
            }
        }
    }
    if let Some(structured) = result.get("structuredContent") {
        shown.push_str(&format!("--- structured\n{structured:#}\n"));
    }
    if shown.is_empty() {
        let result = if name == "instructions" { result.clone() } else { unsigned(result) };
        shown = format!("--- {name}\n{result:#}\n");
    }
    without_chance(&shown)
}

/// A result without who it is from. Every one says that, and one that is reviewed is enough.
fn unsigned(result: &Value) -> Value {
    let mut result = result.clone();
    if let Some(meta) = result.get_mut("_meta").and_then(Value::as_object_mut) {
        meta.remove("io.modelcontextprotocol/serverInfo");
        if meta.is_empty() {
            result.as_object_mut().unwrap().shift_remove("_meta");
        }
    }
    result
}

/// Sealed cursors and request ids are new in every run.
pub(crate) fn without_chance(text: &str) -> String {
    static CHANCE: OnceLock<Vec<(regex::Regex, &str)>> = OnceLock::new();
    let chance = CHANCE.get_or_init(|| {
        [
            (r"AQ[A-Za-z0-9_-]{40,}", "[cursor]"),
            (r"req_[0-9a-f]{16}", "[request]"),
            (r#"(next_changes_since\\*"?[=:] ?\\*")[A-Za-z0-9_-]+"#, "$1[mark]"),
            // A long text in the middle of a page hides what is meant to be reviewed.
            (r"((?:Line \d+ of the long letter\.(?:\n|\\+n)){3})(?:Line \d+ of the long letter\.(?:\n|\\+n))+", "$1[…]"),
            (r"((?:letter ){3})(?:letter ){9,}", "$1[…]"),
        ]
        .map(|(pattern, mark)| (regex::Regex::new(pattern).unwrap(), mark))
        .to_vec()
    });
    chance
        .iter()
        .fold(text.to_owned(), |text, (pattern, mark)| pattern.replace_all(&text, *mark).into_owned())
}

#[test]
fn results_are_as_reviewed_for_all_sixteen_switches() {
    let world = World::declared(&streams(), &manifest);
    let mut found: BTreeMap<&str, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for switches in 0..16 {
        let on = |index: usize| switches & (1 << index) != 0;
        let off = (0..4)
            .filter(|&index| !on(index))
            .map(|index| format!("[tiers.{}]\nenabled = false\n", TIERS[index]));
        let links = if on(2) { "[tiers.resources]\nlinks = \"always\"\n" } else { "" };
        let config = off.collect::<String>() + links;
        let mut desk = Desk::open(&world, &config);
        let names: Vec<&str> = (0..4).filter(|&index| on(index)).map(|index| TIERS[index]).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(" + ") };
        let mut keep = |name: &'static str, reply: &Value| {
            found.entry(name).or_default().entry(seen(name, reply)).or_default().push(names.clone());
        };
        for (name, tool, arguments) in calls() {
            let reply = desk.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
            leaves_no_trace(&reply, &on, name);
            keep(name, &reply);
        }
        for (name, method) in [
            ("templates", "resources/templates/list"),
            ("resources", "resources/list"),
            ("tools", "tools/list"),
            ("instructions", "server/discover"),
        ] {
            let reply = desk.ask(method, json!({}));
            leaves_no_trace(&reply, &on, name);
            keep(name, &reply);
        }
        let seed = "[server]\nschemas = \"seed\"\n";
        let listed = Desk::open(&world, &(config + seed)).ask("tools/list", json!({}));
        leaves_no_trace(&listed, &on, "tools-seed");
        keep("tools-seed", &listed);
        for (name, uri) in ADDRESSES {
            let reply = desk.ask("resources/read", json!({ "uri": uri }));
            leaves_no_trace(&reply, &on, name);
            keep(name, &reply);
        }
    }
    for (name, results) in found {
        let mut groups: Vec<(Vec<String>, String)> =
            results.into_iter().map(|(shown, on)| (on, shown)).collect();
        groups.sort();
        let page: String =
            groups.into_iter().map(|(on, shown)| format!("=== {}\n{shown}\n", named(&on))).collect();
        insta::assert_snapshot!(format!("golden-{name}"), page);
    }
}

fn named(on: &[String]) -> String {
    if on.len() == 16 { "however they are switched".to_owned() } else { on.join("; ") }
}

/// Addresses that a client may still hold from before a tier was switched off.
const ADDRESSES: [(&str, &str); 3] = [
    ("resource-record", "pdpp://record/cin_home%2Fmail%3Am1"),
    ("resource-stream", "pdpp://stream/mail"),
    ("resource-none", "pdpp://record/cin_home%2Fmail%3Anone"),
];

/// A tier that is off is not mentioned anywhere.
fn leaves_no_trace(reply: &Value, on: &dyn Fn(usize) -> bool, name: &str) {
    let said = reply.to_string();
    let words: [&[&str]; 4] = [
        &["derived=", "preview=", "anchors\":["],
        &["read_record_field", "field-window", "offset_chars", "next_match"],
        &["pdpp://", "resource_link", "next_uri", "\"resource\""],
        &["pdpp://blob"],
    ];
    for (index, words) in words.iter().enumerate().filter(|(index, _)| !on(*index)) {
        for word in *words {
            // The name of the tool that was called, and the address that was asked for, are the client's own words.
            let own = name.starts_with("resource-")
                || (name.starts_with("window") || name.starts_with("error")) && *word == "read_record_field";
            assert!(own || !said.contains(word), "{} is off, and {name} says {word}: {said}", TIERS[index]);
        }
    }
}
