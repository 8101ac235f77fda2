//! What the server says about itself. A changed snapshot is a change that every client sees.

use crate::mcp::stdio::Stdio;
use crate::mcp::way::{Era, LEGACY, MODERN, Way};
use crate::mcp::world::World;
use serde_json::{Value, json};
use stepwell_contract::budget::{INSTRUCTIONS_HEAD, TOOLS_LIST};

fn tools(way: &mut Way) -> Value {
    way.ask("tools/list", json!({}))["result"]["tools"].clone()
}

#[test]
fn the_tools_are_the_same_bytes_on_every_way_and_every_call() {
    let mut seen = Vec::new();
    for (name, mut way) in Way::all(&[]) {
        for _ in 0..2 {
            seen.push((name.clone(), tools(&mut way).to_string()));
        }
    }
    assert!(seen.iter().all(|(_, list)| *list == seen[0].1), "{seen:?}");
}

#[test]
fn the_list_is_small_sorted_and_may_be_kept_by_this_client_alone() {
    for (name, mut way) in Way::all(&[]) {
        let result = way.ask("tools/list", json!({}))["result"].clone();
        let size = result.to_string().len() as u64;
        assert!(size <= TOOLS_LIST.0, "{name}: {size}");
        let names: Vec<_> =
            result["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert!(names.is_sorted(), "{names:?}");
        assert_eq!(result["cacheScope"], "private", "{name}");
        assert!(result["ttlMs"].as_u64().unwrap() > 0);
        for tool in result["tools"].as_array().unwrap() {
            let hints = &tool["annotations"];
            let expected = json!({
                "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
            });
            assert_eq!(*hints, expected, "{}", tool["name"]);
        }
    }
}

#[test]
fn the_portable_tools_are_as_reviewed() {
    let world = World::shared();
    let mut way = Way::Stdio(Stdio::open(world, &world.all, Era::Legacy, &[]));
    insta::assert_snapshot!("tools-portable", format!("{:#}", tools(&mut way)));
}

#[test]
fn the_seed_s_tools_are_as_reviewed() {
    let world = World::shared();
    let config = world.store.file("seed.toml", "[server]\nschemas = \"seed\"\n");
    let mut way = Way::Stdio(Stdio::open(world, &world.all, Era::Modern, &["--config", &config]));
    let tools = tools(&mut way);
    let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "read_record_field").unwrap();
    assert!(tool["inputSchema"]["oneOf"].is_array());
    insta::assert_snapshot!("read_record_field-seed", format!("{tool:#}"));
}

#[test]
fn it_introduces_itself_in_both_eras() {
    let world = World::shared();
    let mut modern = Stdio::open(world, &world.all, Era::Modern, &[]);
    let discovered = modern.ask("server/discover", json!({}))["result"].clone();
    let versions = discovered["supportedVersions"].as_array().unwrap();
    assert!([LEGACY, MODERN].iter().all(|version| versions.contains(&json!(version))), "{versions:?}");
    assert_eq!(discovered["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "stepwell");
    assert_eq!(discovered["cacheScope"], "private");
    let instructions = discovered["instructions"].as_str().unwrap();
    assert!(instructions.chars().count() as u64 <= INSTRUCTIONS_HEAD.get());
    insta::assert_snapshot!("instructions", instructions);
    let names: Vec<_> = discovered["capabilities"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["completions", "prompts", "resources", "tools"]);
}

#[test]
fn stream_names_are_completed_to_what_can_be_read() {
    for (name, mut way) in Way::all(&[]) {
        let ask = |way: &mut Way, uri: &str, value: &str| {
            let argument = json!({ "name": "handle", "value": value });
            way.ask(
                "completion/complete",
                json!({ "ref": { "type": "ref/resource", "uri": uri }, "argument": argument }),
            )
        };
        let all = ask(&mut way, "pdpp://stream/{handle}", "")["result"]["completion"].clone();
        assert_eq!(all["values"], json!(["chat_messages", "conversations", "messages"]), "{name}");
        assert_eq!((&all["total"], &all["hasMore"]), (&json!(3), &json!(false)), "{name}");
        let some = ask(&mut way, "pdpp://stream/{handle}", "c")["result"]["completion"]["values"].clone();
        assert_eq!(some, json!(["chat_messages", "conversations"]), "{name}");
        for value in some.as_array().unwrap() {
            let uri = format!("pdpp://stream/{}", value.as_str().unwrap());
            let read = way.ask("resources/read", json!({ "uri": uri }));
            assert!(read["result"]["contents"][0]["text"].is_string(), "{name}: {read}");
        }
        let none = ask(&mut way, "pdpp://record/{handle}", "m")["result"]["completion"]["values"].clone();
        assert_eq!(none, json!([]), "{name}");
        assert_eq!(ask(&mut way, "pdpp://nothing/{handle}", "")["error"]["code"], -32602, "{name}");
    }
}

#[test]
fn templates_and_resources_are_listed() {
    for (name, mut way) in Way::all(&[]) {
        let result = way.ask("resources/templates/list", json!({}))["result"].clone();
        let uris: Vec<_> =
            result["resourceTemplates"].as_array().unwrap().iter().map(|t| &t["uriTemplate"]).collect();
        assert!(uris.contains(&&json!("pdpp://field-window/{handle}")), "{name}: {result}");
        assert_eq!(result["cacheScope"], "private");
        let mut listed = Vec::new();
        let mut cursor = None;
        loop {
            let params = cursor.map_or(json!({}), |cursor: Value| json!({ "cursor": cursor }));
            let page = way.ask("resources/list", params)["result"].clone();
            listed.extend(page["resources"].as_array().unwrap().iter().cloned());
            match page.get("nextCursor") {
                Some(next) => cursor = Some(next.clone()),
                None => break,
            }
        }
        // One for each granted stream of each connection.
        assert_eq!(listed.len(), 4, "{name}: {listed:?}");
        for resource in listed {
            let read = way.ask("resources/read", json!({ "uri": resource["uri"] }));
            assert!(read["result"]["contents"][0]["text"].is_string(), "{name}: {read}");
        }
    }
}
