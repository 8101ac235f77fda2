//! How the server starts and ends.

use crate::mcp::errors::refusal;
use crate::mcp::http::Http;
use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::{STREAMS, World, bare};
use crate::program::{Ran, block_on};
use serde_json::json;
use std::process::Command;
use std::time::{Duration, Instant};

/// Far less than the five seconds that the protocol library waits for what does not end by itself.
const PROMPT: Duration = Duration::from_secs(4);

#[test]
fn it_ends_with_its_input() {
    let world = World::shared();
    for era in [Era::Legacy, Era::Modern] {
        let mut session = Stdio::open(world, &world.all, era, &[]);
        session.ask("tools/list", json!({}));
        let (took, status, log) = session.close();
        assert!(took < PROMPT && status.success(), "{era:?}: {took:?} {status} {log}");
        assert_eq!(log, "");
    }
}

#[test]
fn an_open_subscription_does_not_hold_it() {
    let world = World::shared();
    let mut session = Stdio::open(world, &world.all, Era::Modern, &[]);
    session.ask("tools/list", json!({}));
    session.post("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
    let acknowledged = session.receive();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    let (took, status, _) = session.close();
    assert!(took < PROMPT && status.success(), "{took:?} {status}");
}

#[test]
fn a_call_in_flight_is_answered_after_the_input_ends() {
    let world = World::shared();
    let ran = {
        let messages: Vec<String> = [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": Era::Modern.dress(json!({})) }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
                "params": Era::Modern.dress(json!({ "name": "search", "arguments": { "q": "roof" } })) }),
        ]
        .iter()
        .map(|message| format!("{message}\n"))
        .collect();
        let arguments = ["serve", "--stdio", "--token-file", &world.all.token_file];
        world.store.run_with_input(&arguments, messages.concat().as_bytes())
    };
    ran.assert_code(0);
    let ids: Vec<_> = ran.json_lines().iter().map(|message| message["id"].clone()).collect();
    assert!(ids.contains(&json!(1)) && ids.contains(&json!(2)), "{ids:?}");
}

#[test]
fn a_grant_that_is_revoked_under_an_open_session_counts_no_longer() {
    let world = World::new();
    let granted = world.store.grant(STREAMS);
    let mut session = Stdio::open(&world, &granted, Era::Legacy, &[]);
    assert!(session.ask("tools/list", json!({}))["result"]["tools"].is_array());
    world.store.run(&["grant", "revoke", &granted.id]).assert_code(0);
    let reply = session.ask("tools/call", json!({ "name": "schema", "arguments": {} }));
    assert_eq!(refusal(&reply["result"])["type"], "authorization_error");
    for method in ["tools/list", "resources/list", "resources/templates/list"] {
        let reply = session.ask(method, json!({}));
        assert_eq!(reply["error"]["data"]["type"], "authorization_error", "{reply}");
    }
}

#[test]
fn a_signal_ends_it_politely() {
    let world = World::shared();
    let http = Http::open(world, &world.all, &[]);
    let started = Instant::now();
    let Http { mut server, .. } = http;
    assert!(Command::new("kill").arg(server.0.id().to_string()).status().unwrap().success());
    assert!(server.0.wait().unwrap().success());
    assert!(started.elapsed() < PROMPT, "{:?}", started.elapsed());
}

#[test]
fn it_says_by_its_exit_code_why_it_does_not_start() {
    let world = World::new();
    let run = |arguments: &[&str], token: Option<&str>| {
        let mut command = world.store.command(&[&["serve"], arguments].concat());
        if let Some(token) = token {
            command.env("STEPWELL_TOKEN", token);
        }
        let ran = Ran::of(&mut command);
        assert_eq!(ran.text(), "", "standard output is the protocol's");
        ran
    };
    run(&["--stdio"], None).assert_code(78);
    run(&["--stdio"], Some("swc_unknown")).assert_code(78);
    let revoked = world.store.grant(STREAMS);
    world.store.run(&["grant", "revoke", &revoked.id]).assert_code(0);
    run(&["--token-file", &revoked.token_file], None).assert_code(78);
    let owner = block_on(async { world.store.open().await.create_owner_token(None).await.unwrap() });
    run(&["--stdio"], Some(owner.reveal())).assert_code(77);
    run(&["--stdio", "--http", "0"], None).assert_code(64);
    run(&["--http", "example.org"], None).assert_code(64);
    run(&["--source", "mysql:x"], None).assert_code(64);
    let config = world.store.file("wrong.toml", "[tiers.prevew]\n");
    let ran = run(&["--config", &config, "--token-file", &world.all.token_file], None);
    ran.assert_code(64);
    assert!(ran.err.contains("preview"), "{}", ran.err);
}

#[test]
fn the_demo_needs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let message =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": Era::Modern.dress(json!({})) });
    let input = folder.path().join("input");
    std::fs::write(&input, format!("{message}\n")).unwrap();
    let mut command = bare(folder.path(), &["serve", "--source", "demo"]);
    let ran = Ran::of(command.stdin(std::fs::File::open(input).unwrap()).env("TMPDIR", folder.path()));
    ran.assert_code(0);
    assert_eq!(ran.json()["result"]["tools"].as_array().unwrap().len(), 6);
    assert_eq!(ran.err, "");
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["input"], "the sample data is gone");
}
