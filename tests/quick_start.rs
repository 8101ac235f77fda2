//! The README's quick start, as someone would type it who has just cloned the repository, up to a client that reads mail.

use crate::clients::Sdk;
use crate::mcp::way::Era;
use crate::mcp::world::with_cache;
use crate::pages::{Step, holds, steps};
use crate::program::stepwell;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../README.md");
const MAIL: &[u8] = include_bytes!("quick_start/mail.mbox");

/// What builds the program. Cargo built it for this test already, from the same clone.
const BUILDS: &[&str] = &["cargo build --release", "export PATH=\"$PWD/target/release:$PATH\""];

/// A shell in which `stepwell` is the built program, and nothing else is known.
fn shell(home: &Path, script: &str) -> Command {
    let ours = stepwell(home, &[]);
    let program = Path::new(ours.get_program()).parent().expect("a folder");
    let mut bash = Command::new("bash");
    bash.args(["-c", &format!("set -eo pipefail\n{script}")]).current_dir(home);
    for (name, value) in ours.get_envs() {
        match value {
            Some(value) => bash.env(name, value),
            None => bash.env_remove(name),
        };
    }
    let path = std::env::var("PATH").expect("a path");
    bash.env("PATH", format!("{}:{path}", program.display())).env("LC_ALL", "C.UTF-8");
    with_cache(&mut bash);
    bash
}

#[test]
fn the_readme_leads_from_a_clone_to_a_client_that_searches_mail() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("All mail.mbox"), MAIL).unwrap();
    let steps = steps(README, "Quick start");
    assert!(steps.len() >= 7, "{steps:?}");
    assert!(BUILDS.iter().all(|build| steps.iter().any(|step| step.command == *build)), "{steps:?}");
    for Step { command, shown } in steps.iter().filter(|step| !BUILDS.contains(&step.command.as_str())) {
        assert!(command.starts_with("stepwell "), "{command}");
        let output = shell(home.path(), command).output().expect("bash runs");
        let said = String::from_utf8([output.stdout, output.stderr].concat()).expect("text");
        assert!(output.status.success(), "{command}: {said}");
        for line in shown {
            assert!(holds(&said, line), "{command} does not show {line:?}: {said}");
        }
    }
    // What the quick start wrote for the client is what this client goes by.
    let config = std::fs::read_to_string(home.path().join(".claude.json")).expect("the client's file");
    let config: Value = serde_json::from_str(&config).expect("JSON");
    let server = &config["mcpServers"]["stepwell"];
    let command: Vec<&Value> =
        [&server["command"]].into_iter().chain(server["args"].as_array().expect("arguments")).collect();
    let ours = shell(home.path(), "");
    let env: serde_json::Map<String, Value> = ours
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), json!(value?.to_str()?))))
        .collect();
    let task = json!({ "transport": "stdio", "command": command, "env": env, "q": "heron" });
    let outcome = Sdk::Python.start(("quick_start", Era::Legacy), task);
    assert_eq!(outcome["server"], "stepwell");
    let tools: Vec<&str> = outcome["tools"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(tools, ["aggregate", "fetch", "query_records", "read_record_field", "schema", "search"]);
    let results = outcome["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{outcome}");
    assert_eq!(results[0]["id"], "cin_mbox_all_mail/messages:heron-1@ferry.example");
}
