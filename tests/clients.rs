//! The official SDKs as clients, each playing the three kinds of client that the content ladder is made for: from a
//! search hit to the last character of a field of several megabytes.

mod setup;

use crate::mcp::http::Http;
use crate::mcp::world::{World, scratch};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::process::Command;
use stepwell_sample::known;

/// What a test plays.
#[derive(Clone, Copy, Debug)]
enum Channel {
    Text,
    Structure,
    Links,
}

#[derive(Clone, Copy, Debug)]
enum Sdk {
    Python,
    TypeScript,
}

fn climb(sdk: Sdk, transport: &str, channel: Channel) {
    let world = World::shared();
    let place = known::LONG_TEXT;
    // These clients are in no table of ours; an operator who knows that they follow links says so.
    let config = world.store.file("links.toml", "[tiers.resources]\nlinks = \"always\"\n");
    let more: &[&str] = if matches!(channel, Channel::Links) { &["--config", &config] } else { &[] };
    let mut task = json!({
        "transport": transport,
        "channel": match channel { Channel::Text => "text", Channel::Structure => "structure", Channel::Links => "links" },
        "q": known::UNIQUE_QUERY,
        "field": place.field,
        "limit_chars": 16_384,
    });
    let http = match transport {
        "http" => Some(Http::open(world, &world.all, more)),
        _ => None,
    };
    match &http {
        Some(http) => {
            task["url"] = json!(format!("http://{}/mcp", http.address));
            task["token"] = json!(http.token);
        }
        None => {
            let program = [env!("CARGO_BIN_EXE_stepwell"), "serve", "--token-file", &world.all.token_file];
            task["command"] = json!([&program[..], more].concat());
            task["env"] = json!({ "STEPWELL_SOURCE": world.store.url, "XDG_CACHE_HOME": scratch("cache") });
        }
    }
    let outcome = run(sdk, task);
    let connections = stepwell_sample::connections();
    let whole = place.find(&connections).and_then(Value::as_str).unwrap();
    let digest: String = Sha256::digest(whole.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(outcome["sha256"], json!(digest), "{outcome}");
    assert_eq!(outcome["digest"], json!(format!("sha256:{digest}")));
    assert_eq!(outcome["chars"], json!(whole.chars().count()));
    assert_eq!(outcome["server"], "stepwell");
    assert_eq!(outcome["tools"].as_array().unwrap().len(), 6);
}

fn run(sdk: Sdk, mut task: Value) -> Value {
    let mut command = match sdk {
        Sdk::Python => {
            let mut command = Command::new(setup::python());
            command.arg(setup::file("climb.py")).env("PYTHONDONTWRITEBYTECODE", "1");
            command
        }
        Sdk::TypeScript => {
            task["modules"] = json!(setup::node_modules());
            let mut command = Command::new("node");
            command.arg(setup::file("climb.mjs"));
            command
        }
    };
    let output = command.env("CLIMB", task.to_string()).output().expect("the client runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{sdk:?}: {said}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{sdk:?} says nothing: {said}"))
}

macro_rules! climbs {
    ($($name:ident: $sdk:ident, $transport:literal, $channel:ident;)*) => {
        $(#[test]
        fn $name() {
            climb(Sdk::$sdk, $transport, Channel::$channel);
        })*
    };
}

climbs! {
    python_climbs_by_text_over_stdio: Python, "stdio", Text;
    python_climbs_by_text_over_http: Python, "http", Text;
    python_climbs_by_structure_over_stdio: Python, "stdio", Structure;
    python_climbs_by_structure_over_http: Python, "http", Structure;
    python_climbs_by_links_over_stdio: Python, "stdio", Links;
    python_climbs_by_links_over_http: Python, "http", Links;
    typescript_climbs_by_text_over_stdio: TypeScript, "stdio", Text;
    typescript_climbs_by_text_over_http: TypeScript, "http", Text;
    typescript_climbs_by_structure_over_stdio: TypeScript, "stdio", Structure;
    typescript_climbs_by_structure_over_http: TypeScript, "http", Structure;
    typescript_climbs_by_links_over_stdio: TypeScript, "stdio", Links;
    typescript_climbs_by_links_over_http: TypeScript, "http", Links;
}
