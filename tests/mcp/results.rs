//! What succeeds conforms to what was announced, on every way.

use crate::mcp::way::{Era, Way};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use stepwell_sample::known;

/// Calls that between them show every part of a result.
pub(crate) fn calls() -> Vec<(&'static str, Value)> {
    let long = known::LONG_TEXT;
    vec![
        ("schema", json!({})),
        ("schema", json!({ "stream": "messages" })),
        ("schema", json!({ "stream": "messages", "detail": "full" })),
        ("query_records", json!({ "stream": "messages" })),
        ("query_records", json!({ "stream": "messages", "limit": 100, "order": "asc" })),
        ("query_records", json!({ "stream": "chat_messages", "fields": ["text"], "limit": 5 })),
        ("query_records", json!({ "stream": "messages", "view": "money", "sort": "amount", "limit": 5 })),
        ("query_records", json!({ "stream": "conversations", "expand": ["messages"], "limit": 3 })),
        ("query_records", json!({ "stream": "conversations", "changes_since": "beginning" })),
        (
            "fetch",
            json!({ "id": known::ROOF_QUOTE.id(), "expand": ["replies"], "expand_limit": { "replies": 2 } }),
        ),
        ("aggregate", json!({ "stream": "messages", "metric": "count" })),
        ("aggregate", json!({ "stream": "messages", "metric": "count", "group_by": "from" })),
        (
            "aggregate",
            json!({ "stream": "messages", "metric": "count", "group_by_time": "sent_at", "granularity": "month" }),
        ),
        ("search", json!({ "q": known::UNIQUE_QUERY })),
        ("search", json!({ "q": "roof" })),
        ("search", json!({ "q": "zzzznothing" })),
        ("search", json!({ "q": "the", "limit": 100 })),
        ("fetch", json!({ "id": long.id() })),
        ("fetch", json!({ "id": known::LARGE_JSON.id() })),
        ("fetch", json!({ "id": known::LARGE_BLOB.id() })),
        ("fetch", json!({ "id": known::ROOF_QUOTE.id(), "fields": ["subject"] })),
        ("read_record_field", json!({ "id": long.id(), "field_path": long.field })),
        ("read_record_field", json!({ "id": long.id(), "field_path": long.field, "q": known::UNIQUE_QUERY })),
        (
            "read_record_field",
            json!({ "id": known::LARGE_JSON.id(), "field_path": known::LARGE_JSON_POINTER }),
        ),
        (
            "read_record_field",
            json!({ "connection_id": long.connection, "stream": long.stream, "record_id": long.key,
                "field_path": long.field, "offset_chars": 100, "limit_chars": 16_384 }),
        ),
    ]
}

#[test]
fn structured_content_conforms_to_the_output_schema() {
    for (name, mut way) in Way::all(&[]) {
        let listed = way.ask("tools/list", json!({}))["result"]["tools"].take();
        let schemas: BTreeMap<String, jsonschema::Validator> = listed
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| {
                let validator = jsonschema::draft202012::new(&tool["outputSchema"]).unwrap();
                (tool["name"].as_str().unwrap().to_owned(), validator)
            })
            .collect();
        for (tool, arguments) in calls() {
            let result = way.call(tool, arguments.clone());
            assert!(result["isError"] != true, "{name}: {tool} {arguments}: {result}");
            let structured = &result["structuredContent"];
            let faults: Vec<_> = schemas[tool]
                .iter_errors(structured)
                .map(|e| format!("{} at {}", e.masked(), e.instance_path()))
                .collect();
            assert!(faults.is_empty(), "{name}: {tool} {arguments}: {faults:?}\n{structured:#}");
            assert!(
                result["content"][0]["text"].as_str().is_some_and(|text| !text.is_empty()),
                "{name}: {tool}"
            );
        }
    }
}

#[test]
fn a_client_that_is_not_known_for_it_gets_no_links() {
    for (name, mut way) in Way::all(&[]) {
        for (tool, arguments) in calls() {
            let result = way.call(tool, arguments);
            let kinds: Vec<_> =
                result["content"].as_array().unwrap().iter().map(|block| &block["type"]).collect();
            assert!(kinds.iter().all(|kind| **kind == json!("text")), "{name}: {tool}: {kinds:?}");
        }
    }
}

#[test]
fn a_client_that_is_known_for_it_gets_links_that_can_be_read() {
    for (name, mut way) in Way::all(&[]).into_iter().filter(|(_, way)| way.era() == Era::Modern) {
        let call = json!({ "name": "search", "arguments": { "q": "roof" } });
        let reply = way.ask("tools/call", Era::Modern.dress_as("claude-code", call));
        let blocks = reply["result"]["content"].as_array().unwrap().clone();
        let links: Vec<_> = blocks.iter().filter(|block| block["type"] == "resource_link").collect();
        assert!((1..=5).contains(&links.len()), "{name}: {reply}");
        for link in links {
            assert!(
                link["name"].is_string() && link["title"].is_string() && link["mimeType"].is_string(),
                "{link}"
            );
            assert!(
                link["annotations"]["priority"].as_f64().is_some_and(|much| (0.0..=1.0).contains(&much)),
                "{link}"
            );
            let read = way.ask("resources/read", json!({ "uri": link["uri"] }));
            assert!(read["result"]["contents"][0]["text"].is_string(), "{name}: {read}");
        }
    }
}
