//! Tools of plugins beside the six: what is listed, under which name, and that nothing that they show is a dead end.

use crate::contract::desk::{Desk, text};
use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use serde_json::{Value, json};
use stepwell_contract::tool_name::CORE;
use stepwell_sample::known;
use stepwell_tiers_fixtures::{example, hostile};

fn find_in_field() -> String {
    // A busy machine takes its time, and this is not about time.
    let limits = "limits = { deadline_ms = 60000, read_kb = 1024 }";
    format!("[[tool]]\nname = \"finder\"\ncomponent = {:?}\n{limits}\n", example("find-in-field"))
}

fn harm(name: &str) -> String {
    format!("[[tool]]\nname = {name:?}\ncomponent = {:?}\n", hostile("tools_harm"))
}

fn listed(desk: &mut Desk) -> Vec<Value> {
    desk.ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// The text of a field between two places, as the server gives it.
fn field(desk: &mut Desk, id: &str, at: u64, chars: u64) -> String {
    let window = json!({ "id": id, "field_path": "body", "offset_chars": at, "limit_chars": chars });
    let result = desk.result("read_record_field", &window);
    result["structuredContent"]["window"]["text"].as_str().unwrap().to_owned()
}

/// The whole of the sample's longest text.
fn long_text() -> Vec<char> {
    let record = stepwell_sample::connections()
        .into_iter()
        .flat_map(|connection| connection.streams)
        .filter(|stream| stream.name == "messages")
        .flat_map(|stream| stream.ndjson().lines().map(str::to_owned).collect::<Vec<_>>())
        .map(|line| serde_json::from_str::<Value>(&line).unwrap())
        .max_by_key(|line| line["data"]["body"].as_str().map_or(0, str::len))
        .unwrap();
    record["data"]["body"].as_str().unwrap().chars().collect()
}

#[test]
fn the_six_stay_as_they_are_and_a_plugin_s_tools_stand_among_them() {
    let world = World::shared();
    let core = listed(&mut Desk::open(world, ""));
    assert_eq!(names(&core), CORE);
    let all = listed(&mut Desk::open(world, &find_in_field()));
    assert!(names(&all).is_sorted(), "{:?}", names(&all));
    let (own, added): (Vec<Value>, Vec<Value>) =
        all.into_iter().partition(|tool| CORE.contains(&tool["name"].as_str().unwrap()));
    assert_eq!(own, core);
    assert_eq!(names(&added), ["find_in_field"]);
    assert_eq!(added[0]["annotations"], core[0]["annotations"]);
    insta::assert_snapshot!("tool-find_in_field", format!("{:#}", added[0]));
}

#[test]
fn every_offset_that_it_lists_is_right_and_the_calls_that_go_on_reach_the_end() {
    let mut desk = Desk::open(World::shared(), &find_in_field());
    let (id, text_of) = (known::LONG_TEXT.id(), long_text());
    let phrase = "the heron";
    let fold = |c: &char| c.to_lowercase().next().unwrap();
    let folded: Vec<char> = text_of.iter().map(fold).collect();
    let wanted: Vec<char> = phrase.chars().collect();
    let expected: Vec<u64> =
        (0..folded.len()).filter(|&at| folded[at..].starts_with(&wanted)).map(|at| at as u64).collect();
    let mut arguments = json!({ "id": id, "field_path": "body", "q": "The HERON" });
    let (mut found, mut calls) = (Vec::new(), 0);
    loop {
        let result = desk.result("find_in_field", &arguments);
        let content = &result["structuredContent"];
        assert!(result.to_string().len() <= 20_000);
        let starts = content["data"]["starts"].as_array().unwrap();
        found.extend(starts.iter().map(|start| start.as_u64().unwrap()));
        for start in starts.iter().take(3) {
            let there = field(&mut desk, &id, start.as_u64().unwrap(), wanted.len() as u64);
            assert_eq!(there.to_lowercase(), phrase);
        }
        calls += 1;
        let Some(next) = content.get("next") else { break };
        // The text prints the same call, before everything else, ready to be sent.
        let printed = text(&result).lines().nth(1).unwrap().to_owned();
        assert_eq!(printed, format!("next: find_in_field {}", next["args"]));
        assert_eq!(next["tool"], "find_in_field");
        assert!(next["args"]["from"].as_u64() > arguments["from"].as_u64(), "{next}");
        arguments = next["args"].clone();
    }
    assert_eq!(found, expected);
    assert!(calls >= 3 && !expected.is_empty(), "{calls} calls, {} matches", expected.len());
}

#[test]
fn ids_stand_beside_lines_and_open_as_they_are() {
    let mut desk = Desk::open(World::shared(), &find_in_field());
    let id = known::LONG_TEXT.id();
    let result = desk.result("find_in_field", &json!({ "id": id, "field_path": "body", "q": "zürich" }));
    let lines: Vec<String> = text(&result).lines().map(str::to_owned).collect();
    let at = lines.iter().position(|line| *line == format!("id=\"{id}\"")).unwrap();
    assert!(lines[at + 1].starts_with("  text=\""), "{lines:?}");
    let records = result["structuredContent"]["records"].as_array().unwrap();
    assert_eq!(*records, [json!({ "slot": 0, "id": id })]);
    desk.result("fetch", &json!({ "id": records[0]["id"] }));
    // Whatever is wrong with the arguments is said as for any other tool.
    for (wrong, code) in [
        (json!({ "id": id, "field_path": "body" }), "invalid_arguments"),
        (json!({ "id": id, "field_path": "body", "q": "x", "limit": 3 }), "invalid_arguments"),
        (json!({ "id": "messages", "field_path": "body", "q": "x" }), "invalid_result_id"),
        (json!({ "id": "cin_home_mail/messages:none", "field_path": "body", "q": "x" }), "not_found"),
    ] {
        let refused = desk.call("find_in_field", &wrong);
        assert_eq!(refused["isError"], true, "{wrong}");
        assert!(text(&refused).starts_with(&format!("{code}: ")), "{}", text(&refused));
    }
}

#[test]
fn a_name_that_is_taken_is_qualified_and_logged() {
    let world = World::shared();
    let config = format!("[tiers.field-window]\nenabled = false\n{}{}", harm("harm"), find_in_field());
    let config = world.store.file("named-like-a-core-tool.toml", &config);
    let mut session = Stdio::open(world, &world.all, Era::Modern, &["--config", &config]);
    let tools = session.ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone();
    assert!(
        names(&tools).contains(&"harm__search") && names(&tools).contains(&"search"),
        "{:?}",
        names(&tools)
    );
    let call = json!({ "name": "harm__search", "arguments": {} });
    let reply = session.ask("tools/call", call);
    assert!(text(&reply["result"]).contains("this is not the host's search"), "{reply}");
    let reply = session.ask("tools/call", json!({ "name": "search", "arguments": { "q": "roof" } }));
    assert!(text(&reply["result"]).starts_with("search: "), "{reply}");
    let unknown = session.ask("tools/call", json!({ "name": "finder__find_in_field", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "names are looked up, not taken apart: {unknown}");
    let (_, _, log) = session.close();
    let line = "tool \"search\" of plugin \"harm\" is listed as harm__search (qualified)";
    assert!(log.contains(line), "{log}");
}

#[test]
fn harm_ends_in_a_typed_error_and_the_next_call_works() {
    let mut desk = Desk::open(World::shared(), &harm("harm"));
    let id = known::MEDIUM_TEXT.id();
    for (tool, fault) in
        [("forges_an_id", "invalid_output"), ("floods", "output_too_large"), ("traps", "trap")]
    {
        let refused = desk.call(tool, &json!({ "id": id }));
        let said = text(&refused);
        assert_eq!(refused["isError"], true, "{said}");
        let (sentence, object) = said.split_once('\n').unwrap();
        assert_eq!(sentence, format!("tier_error: the tool {tool} failed"));
        let error = serde_json::from_str::<Value>(object).unwrap()["error"].take();
        assert_eq!((&error["type"], &error["fault"]), (&json!("tier_error"), &json!(fault)));
        assert!(!said.contains("record text") && refused.get("structuredContent").is_none(), "{said}");
        desk.result("fetch", &json!({ "id": id }));
        // The plugin answers again too; without that it would rest after the third fault.
        desk.result("harm__search", &json!({}));
    }
    let wordy = desk.result("wordy", &json!({ "id": id }));
    assert!(text(&wordy).lines().next().unwrap().contains("more did not fit"), "{}", text(&wordy));
    assert!(wordy.to_string().len() <= 20_000 && wordy["structuredContent"]["left_out"].as_u64() > Some(0));
    let forged = desk.result("forges_lines", &json!({ "id": id }));
    assert!(text(&forged).lines().all(|line| !line.starts_with("next:")), "{}", text(&forged));
    // Selections reach what the grant covers and nothing else.
    let told = text(&desk.result("imports", &json!({ "id": id })));
    let none = "not-in-hand";
    let expected = ["given", none, "not-text", none, "given", none, "other", none, none, "other"];
    assert!(told.contains(&expected.join(" ")), "{told}");
}

#[test]
fn too_many_tools_are_refused_before_the_server_starts() {
    let world = World::shared();
    let config: String = ["a", "b", "c", "d"].map(harm).concat();
    let config = world.store.file("too-many-tools.toml", &config);
    let token = &world.all.token_file;
    let output = world.serve(&["--stdio", "--token-file", token, "--config", &config]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("disable a [[tool]]"), "{said}");
}
