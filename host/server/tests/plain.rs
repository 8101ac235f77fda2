//! Calls that are answered without the protocol library get what the library would have sent, byte for byte.

use crate::client::{Answer, Ask};
use crate::world::World;
use serde_json::{Value, json};
use stepwell_server::http::HttpOptions;
use stepwell_tiers::Config;

/// The same call with something unusual about it that changes nothing: it is left to the library.
fn unusual(ask: &Ask) -> Ask {
    ask.clone().with("accept", "*/*")
}

/// An answer without what is different in each: the moment, and the name of the request.
fn comparable(mut answer: Answer) -> (u16, Vec<(String, String)>, String) {
    let name = answer.header("x-request-id").expect("a name").to_owned();
    assert_eq!(answer.header("content-length"), Some(answer.body.len().to_string().as_str()));
    answer.headers.retain(|(key, _)| key != "date" && key != "x-request-id");
    answer.headers.sort();
    (answer.status, answer.headers, answer.body.replace(&name, "req"))
}

fn named(ask: &Ask, client: &str) -> Ask {
    Ask { body: ask.body.replace("a test", client), ..ask.clone() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plain_call_gets_what_the_library_would_send() {
    let world = World::new().await;
    let (_, token) = world.grant().await;
    let server = world.serve_with(HttpOptions::default(), &Config::default()).await;
    let mut asks = Vec::new();
    for (tool, arguments) in [
        ("search", json!({ "q": "roof" })),
        ("search", json!({ "q": "nowhere to be found" })),
        ("fetch", json!({ "id": "home/notes:n1" })),
        ("read_record_field", json!({ "id": "home/notes:n1", "field_path": "body" })),
        ("read_record_field", json!({ "id": "home/notes:n1", "field_path": "body", "limit_chars": 3 })),
        ("read_record_field", json!({ "id": "home/notes:n1", "field_path": "body", "q": "LEAKS" })),
        ("query_records", json!({ "stream": "notes" })),
        ("aggregate", json!({ "stream": "notes", "metric": "count" })),
        ("schema", json!({})),
        // Refusals, each of its own kind.
        ("fetch", json!({ "id": "home/notes:n2" })),
        ("fetch", json!({})),
        ("fetch", json!({ "id": "home/notes:n1", "\u{1}\"odd\\": "\n" })),
        ("read_record_field", json!({ "id": "home/notes:n1", "field_path": "secret" })),
        ("read_record_field", json!({ "cursor": "AAAA" })),
        // No call of a tool that there is: the library answers both.
        ("unknown", json!({})),
    ] {
        let params = json!({ "name": tool, "arguments": arguments });
        let modern = Ask::modern("tools/call", params.clone());
        asks.extend([named(&modern, "claude-code"), modern, Ask::legacy("tools/call", params)]);
    }
    let schema = json!({ "name": "schema" });
    let body = |id: Value, params: Value| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
    };
    asks.extend([
        Ask::legacy("tools/call", schema.clone()),
        Ask::legacy("tools/call", json!({ "name": "schema", "arguments": null })),
        Ask::legacy("tools/call", json!({ "name": "schema", "_meta": { "progressToken": "p" } })),
        Ask::message(&body(json!("a \"quoted\" id"), schema.clone())),
        Ask::message(&body(json!(-7), schema.clone())).with("mcp-protocol-version", "2025-03-26"),
        // What the library refuses is not answered by anybody else.
        Ask::message(&body(json!(1.5), schema.clone())),
        Ask::message(&body(json!(null), schema.clone())),
        Ask::legacy("tools/call", json!({ "name": "schema", "arguments": [] })),
        Ask::legacy("tools/call", schema.clone()).instead("mcp-protocol-version", "1999-01-01"),
        Ask::legacy("tools/call", schema.clone()).instead("mcp-protocol-version", "2026-07-28"),
        Ask::legacy("tools/call", schema.clone()).instead("accept", "application/json"),
        Ask::modern("tools/call", schema.clone()).instead("mcp-name", "search"),
        Ask::modern("tools/call", schema.clone()).instead("mcp-method", "tools/list"),
        Ask::modern("tools/call", schema.clone()).instead("mcp-protocol-version", "2025-11-25"),
        Ask { method: "PUT", ..Ask::legacy("tools/call", schema) },
    ]);
    let mut answered = 0;
    for ask in asks {
        let ask = ask.bearing(&token);
        let (plain, other) = (server.ask(&ask).await, server.ask(&unusual(&ask)).await);
        answered += usize::from(plain.status == 200 && plain.json()["result"].is_object());
        assert_eq!(comparable(plain), comparable(other), "{ask:?}");
    }
    assert_eq!(answered, 14 * 3 + 5, "the others are refused");
}
