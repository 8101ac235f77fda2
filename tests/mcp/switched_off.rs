//! A tier that is off leaves no trace.

use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::{World, bare};
use crate::program::Ran;
use serde_json::{Value, json};
use stepwell_sample::known;

/// All that a client can see of the server, as one text, with the tier off.
fn seen_without(tier: &str) -> String {
    let world = World::shared();
    let config = world.store.file(&format!("no-{tier}.toml"), format!("[tiers.{tier}]\nenabled = false\n"));
    let mut session = Stdio::open(world, &world.all, Era::Modern, &["--config", &config]);
    let mut seen = Vec::new();
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("resources/templates/list", json!({})),
        ("tools/call", json!({ "name": "search", "arguments": { "q": known::UNIQUE_QUERY } })),
        ("tools/call", json!({ "name": "fetch", "arguments": { "id": known::LONG_TEXT.id() } })),
        ("tools/call", json!({ "name": "fetch", "arguments": { "id": known::LARGE_BLOB.id() } })),
        ("tools/call", json!({ "name": "query_records", "arguments": { "stream": "messages", "limit": 3 } })),
        ("tools/call", json!({ "name": "schema", "arguments": {} })),
    ] {
        seen.push(without_record_text(session.ask(method, params)).to_string());
    }
    seen.join("\n")
}

/// Record text may say anything; what counts is what the server says around it.
fn without_record_text(mut reply: Value) -> Value {
    if let Some(ladder) = reply["result"]["structuredContent"].as_object_mut() {
        ladder.remove("data");
        ladder.remove("text");
    }
    reply
}

#[test]
fn without_windows_nothing_speaks_of_them() {
    let seen = seen_without("field-window");
    for word in ["read_record_field", "field-window", "offset_chars"] {
        assert!(!seen.contains(word), "{word}: {seen}");
    }
    assert!(seen.contains("fetch"));
}

#[test]
fn without_resources_nothing_speaks_of_them() {
    let seen = seen_without("resources");
    for word in ["pdpp://", "resource_link", "next_uri", "\"resources\""] {
        assert!(!seen.contains(word), "{word}: {seen}");
    }
    assert!(seen.contains("-32601"), "the method is gone");
}

#[test]
fn without_export_no_blob_has_an_address() {
    let seen = seen_without("binary-export");
    for word in ["pdpp://blob", "/export/", "\"export\"", "export_url"] {
        assert!(!seen.contains(word), "{word}: {seen}");
    }
}

#[test]
fn a_tool_that_is_off_is_unknown() {
    let world = World::shared();
    let config = world.store.file("no-windows.toml", "[tiers.field-window]\nenabled = false\n");
    let mut session = Stdio::open(world, &world.all, Era::Legacy, &["--config", &config]);
    let arguments = json!({ "id": known::LONG_TEXT.id(), "field_path": "body" });
    let reply = session.ask("tools/call", json!({ "name": "read_record_field", "arguments": arguments }));
    assert_eq!(reply["error"]["code"], -32602, "{reply}");
}

#[test]
fn the_file_that_ships_is_accepted_as_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins.toml");
    let list = |more: &[&str]| {
        let ran = Ran::of(&mut bare(folder.path(), &[&["plugin", "list", "--json"], more].concat()));
        ran.assert_code(0);
        let mut tiers = ran.json()["tiers"].take();
        tiers.as_array_mut().unwrap().iter().for_each(|tier| assert_eq!(tier["health"], "on"));
        // How long loading took, and whether the cache had it, is no part of the configuration.
        tiers.as_array_mut().unwrap().iter_mut().for_each(|tier| {
            tier["load_ms"].take();
            tier["cached"].take();
        });
        tiers
    };
    assert_eq!(list(&["--config", shipped]), list(&[]));
}

#[test]
fn plugin_list_says_what_is_on_and_what_is_broken() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("plugins.toml");
    let text = "[tiers.resources]\nenabled = false\n[tiers.binary-export]\ncomponent = \"missing.wasm\"\n";
    std::fs::write(&config, text).unwrap();
    let ran = Ran::of(&mut bare(
        folder.path(),
        &["plugin", "list", "--config", config.to_str().unwrap(), "--json"],
    ));
    ran.assert_code(0);
    let tiers = ran.json()["tiers"].take();
    let health: Vec<_> =
        tiers.as_array().unwrap().iter().map(|tier| (&tier["name"], &tier["health"])).collect();
    let expected = [
        (json!("preview"), json!("on")),
        (json!("field-window"), json!("on")),
        (json!("resources"), json!("off")),
        (json!("binary-export"), json!("broken")),
    ];
    assert_eq!(health, expected.iter().map(|(name, health)| (name, health)).collect::<Vec<_>>());
    assert_eq!(tiers[0]["origin"], "builtin");
    assert_eq!(tiers[0]["sha256"].as_str().unwrap().len(), 64);
    assert!(tiers[0]["wit_version"].is_string() && tiers[0]["limits"]["deadline_ms"] == 500);
    assert_eq!(tiers[3]["fault"]["code"], "missing");
    let ran = Ran::of(&mut bare(folder.path(), &["plugin", "list", "--config", config.to_str().unwrap()]));
    for word in ["preview", "broken", "missing.wasm", "sha256", "fallback"] {
        assert!(ran.text().contains(word), "{word}: {}", ran.text());
    }
}
