//! What an SDK's user gets is what the server sent: every kind of result, and every refusal that a call can meet.

use crate::classes::changed_and_late;
use crate::clients::sdk::Sdk;
use crate::mcp::errors::refused_calls;
use crate::mcp::http::Http;
use crate::mcp::results::calls;
use crate::mcp::stdio::Stdio;
use crate::mcp::way::{Era, Way};
use crate::mcp::world::World;
use crate::program::Granted;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use stepwell_contract::Code;
use stepwell_sample::known;

/// Codes that no call meets on a healthy server with a good token: these end at the door, or need something broken, or
/// belong to an argument that no tool offers yet (`expand`).
const ELSEWHERE: &[&str] = &[
    "invalid_token",
    "owner_token_refused",
    "grant_expired",
    "grant_revoked",
    "authorization_unavailable",
    "invalid_request",
    "host_not_allowed",
    "origin_not_allowed",
    "request_timeout",
    "request_too_large",
    "rate_limited",
    "overloaded",
    "answer_timeout",
    "tier_error",
    "source_unavailable",
    "ledger_unavailable",
    // No token is issued over MCP.
    "grant_consumed",
    // One takes 90 days, the other ten seconds of a database's time.
    "cursor_expired",
    "query_too_broad",
    // Only with another export tier than the built-in one.
    "export_refused",
    // Only a resource server elsewhere says these: `remote` asks one.
    "unknown_field",
    "insufficient_scope",
    "grant_invalid",
    "grant_time_range_exceeded",
    "blob_not_found",
    "rate_limit_exceeded",
    "field_window_unsupported",
    "unsupported_by_source",
    "rs_refused",
    "invalid_rs_response",
    "rs_response_too_large",
];

/// A list of calls and reads, and the server that they are for.
struct Round<'a> {
    place: (&'a World, &'a Granted),
    more: &'a [&'a str],
    era: Era,
    calls: Vec<(&'static str, Value)>,
    reads: Vec<Value>,
}

impl Round<'_> {
    /// The results as they stand on the wire. Only over HTTP do they name what can be downloaded there.
    fn raw(&self, transport: &str) -> Value {
        let (world, granted) = self.place;
        let mut server = match transport {
            "http" => Way::Http(Http::open(world, granted, self.more), self.era),
            _ => Way::Stdio(Stdio::open(world, granted, self.era, self.more)),
        };
        let called = self.calls.iter().map(|(tool, arguments)| {
            let reply = server.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
            let result = &reply["result"];
            let is_error = result["isError"] == true;
            json!({ "content": result["content"], "structuredContent": result["structuredContent"], "isError": is_error })
        });
        let called: Vec<Value> = called.collect();
        let read = self.reads.iter().map(|uri| {
            let mut reply = server.ask("resources/read", json!({ "uri": uri }));
            match reply.get_mut("error") {
                Some(error) => json!({ "error": error.take() }),
                None => json!({ "contents": reply["result"]["contents"] }),
            }
        });
        let read: Vec<Value> = read.collect();
        json!({ "called": called, "read": read })
    }

    /// Has an SDK make the calls, and compares.
    fn check(&self, sdk: Sdk, transport: &str) -> BTreeSet<String> {
        let task = json!({ "calls": self.calls, "reads": self.reads });
        let hour = hour();
        let reported = sdk.run(("check", self.era), self.place, transport, self.more, task.clone());
        let raw = self.raw(transport);
        if hour != self::hour() {
            // Cursors are the same within the hour only.
            return self.check(sdk, transport);
        }
        for (of, asked) in [("called", &task["calls"]), ("read", &task["reads"])] {
            let (reported, raw) = (reported[of].as_array().unwrap(), raw[of].as_array().unwrap());
            assert_eq!(reported.len(), raw.len());
            for ((reported, raw), asked) in reported.iter().zip(raw).zip(asked.as_array().unwrap()) {
                assert_eq!(comparable(reported), comparable(raw), "{asked}");
            }
        }
        codes(&raw)
    }
}

fn hour() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap().as_secs() / 3_600
}

/// A result without what differs from one call to the next: the request's id, and how an SDK names itself in messages.
fn comparable(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(without_request_id(without_sdk(text))),
        Value::Array(values) => values.iter().map(comparable).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), comparable(value))).collect()
        }
        // The SDKs differ in how they spell a number that has no fraction.
        Value::Number(number) => number.as_f64().map_or(Value::Null, |number| json!(number)),
        other => other.clone(),
    }
}

/// An error's message without `MCP error -32602: `, which the TypeScript SDK puts before it.
fn without_sdk(text: &str) -> &str {
    let rest = text.strip_prefix("MCP error -").and_then(|rest| rest.split_once(": "));
    rest.map_or(text, |(_, message)| message)
}

fn without_request_id(text: &str) -> String {
    let mut parts = text.split("req_");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take(16).filter(u8::is_ascii_hexdigit).count();
        whole += "req_";
        whole += if digits == 16 { &part[16..] } else { part };
    }
    whole
}

/// The codes of all refusals in a report.
fn codes(report: &Value) -> BTreeSet<String> {
    let called = report["called"].as_array().unwrap().iter().filter(|result| result["isError"] == true);
    let texts = called.map(|result| result["content"][0]["text"].as_str().unwrap());
    let mut codes: BTreeSet<String> = texts.map(|text| text.split(':').next().unwrap().to_owned()).collect();
    let read = report["read"].as_array().unwrap().iter();
    codes.extend(read.filter_map(|read| read["error"]["data"]["code"].as_str().map(str::to_owned)));
    codes
}

/// Addresses of every kind that results show, and some that lead nowhere.
fn addresses(world: &World, more: &[&str]) -> Vec<Value> {
    let mut server = Stdio::open(world, &world.all, Era::Legacy, more);
    let mut uris = vec![json!("pdpp://record/!!"), json!("pdpp://nothing/x")];
    let listed = server.ask("resources/list", json!({}))["result"]["resources"].take();
    uris.extend(listed.as_array().unwrap().iter().map(|resource| resource["uri"].clone()));
    for id in [known::LONG_TEXT.id(), known::LARGE_BLOB.id()] {
        let reply = server.ask("tools/call", json!({ "name": "fetch", "arguments": { "id": id } }));
        let result = &reply["result"];
        let links =
            result["content"].as_array().unwrap().iter().filter_map(|block| block.get("uri")).cloned();
        uris.extend(links);
        let rungs = result["structuredContent"]["content_ladder"]["records"][0]["fields"].as_array().unwrap();
        uris.extend(rungs.iter().filter_map(|rung| rung["resource"].get("uri")).cloned());
    }
    uris
}

fn check(sdk: Sdk, era: Era, transport: &str) {
    let world = World::shared();
    // Once with links among the blocks, and once as a client gets it that nobody knows.
    let config = world.store.file("links-checked.toml", "[tiers.resources]\nlinks = \"always\"\n");
    let more: &[&str] = if transport == "http" { &["--config", &config] } else { &[] };
    let refused = refused_calls().into_iter().map(|(tool, arguments, _, _)| (tool, arguments));
    let round = Round {
        place: (world, &world.all),
        more,
        era,
        calls: calls().into_iter().chain(refused).collect(),
        reads: addresses(world, more),
    };
    let mut met = round.check(sdk, transport);

    let (own, narrow, calls) = changed_and_late();
    met.extend(Round { place: (&own, &narrow), more, era, calls, reads: Vec::new() }.check(sdk, transport));

    let missing: Vec<&str> = Code::ALL
        .iter()
        .map(|code| code.as_str())
        .filter(|code| !met.contains(*code) && !ELSEWHERE.contains(code))
        .collect();
    assert!(missing.is_empty(), "no call meets {missing:?}");
}

macro_rules! checks {
    ($($name:ident: $sdk:ident, $era:ident, $transport:literal;)*) => {
        $(#[test]
        fn $name() {
            check(Sdk::$sdk, Era::$era, $transport);
        })*
    };
}

checks! {
    python_gets_what_was_sent_over_stdio: Python, Legacy, "stdio";
    python_gets_what_was_sent_over_http: Python, Legacy, "http";
    typescript_gets_what_was_sent_over_stdio: TypeScript, Legacy, "stdio";
    typescript_gets_what_was_sent_over_http: TypeScript, Legacy, "http";
    modern_python_gets_what_was_sent_over_stdio: Python, Modern, "stdio";
    modern_python_gets_what_was_sent_over_http: Python, Modern, "http";
    modern_typescript_gets_what_was_sent_over_stdio: TypeScript, Modern, "stdio";
    modern_typescript_gets_what_was_sent_over_http: TypeScript, Modern, "http";
}
