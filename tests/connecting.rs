//! `stepwell connect`: what it prints, and what it does to a client's file.

mod real;

use crate::program::{Granted, Ran, Store, stepwell};
use serde_json::{Value, json};
use std::path::Path;

/// A store with a token to name.
fn granted() -> (Store, Granted) {
    let store = Store::sqlite();
    store.ingest("home/messages", &json!({ "key": "m1", "data": { "body": "b" } }).to_string());
    let granted = store.grant(&["--stream", "messages"]);
    (store, granted)
}

/// Connects a client by a file of the store's folder.
fn connect(store: &Store, file: &str, more: &[&str]) -> Ran {
    store.run(&[&["connect", "claude-code", "--config-file", &store.name(file), "--write"], more].concat())
}

fn read(store: &Store, name: &str) -> String {
    std::fs::read_to_string(store.path(name)).unwrap()
}

#[test]
fn what_is_written_starts_the_server() {
    let (store, granted) = granted();
    connect(&store, "claude.json", &["--token-file", &granted.token_file]).assert_code(0);
    let written: Value = serde_json::from_str(&read(&store, "claude.json")).unwrap();
    let entry = &written["mcpServers"]["stepwell"];
    assert_eq!(entry["command"], env!("CARGO_BIN_EXE_stepwell"));
    let arguments: Vec<&str> =
        entry["args"].as_array().unwrap().iter().map(|a| a.as_str().unwrap()).collect();
    // In another folder and an environment that names no store.
    let elsewhere = tempfile::tempdir().unwrap();
    let ran = Ran::of(stepwell(elsewhere.path(), &arguments).current_dir(elsewhere.path()));
    ran.assert_code(0);
    assert!(!read(&store, "claude.json").contains("swc_"));
}

#[test]
fn a_file_keeps_what_it_said_and_a_copy_stands_beside_it() {
    let (store, granted) = granted();
    let before = "{ \"theme\": \"dark\",\n  \"mcpServers\": { \"other\": {\"command\":\"x\"} } }";
    store.file("claude.json", before);
    let token = ["--token-file", &granted.token_file];
    let first = connect(&store, "claude.json", &[&["--json"], &token[..]].concat());
    first.assert_code(0);
    assert_eq!(first.json()["written"], true);
    let value: Value = serde_json::from_str(&read(&store, "claude.json")).unwrap();
    assert_eq!((&value["theme"], &value["mcpServers"]["other"]["command"]), (&json!("dark"), &json!("x")));
    assert_eq!(read(&store, "claude.json.bak1"), before);
    // Once more changes nothing, and leaves no other copy.
    let again = connect(&store, "claude.json", &[&["--json"], &token[..]].concat());
    assert_eq!((&again.json()["written"], &again.json()["copy"]), (&json!(false), &Value::Null));
    assert!(!store.path("claude.json.bak2").exists());
    // Another server of the name stays, unless it is to go.
    let other = ["--http", "https://stepwell.example/mcp"];
    let refused = connect(&store, "claude.json", &other);
    refused.assert_code(1);
    assert!(refused.err.contains("--force"), "{}", refused.err);
    connect(&store, "claude.json", &[&other[..], &["--force"]].concat()).assert_code(0);
    assert!(read(&store, "claude.json").contains("https://stepwell.example/mcp"));
    assert!(store.path("claude.json.bak2").exists());
}

#[test]
fn a_broken_file_is_refused_and_nothing_changes() {
    let (store, granted) = granted();
    let token = ["--token-file", &granted.token_file];
    for broken in [&b"{\"mcpServers\": {\"secret\""[..], b"[]", b"\xff\xfe{}", b"{\"mcpServers\": 5}"] {
        store.file("claude.json", broken);
        let ran = connect(&store, "claude.json", &token);
        ran.assert_code(1);
        assert!(ran.err.contains("left as it is") && !ran.err.contains("secret"), "{}", ran.err);
        assert_eq!(std::fs::read(store.path("claude.json")).unwrap(), broken);
        assert!(!store.path("claude.json.bak1").exists());
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_permissions_stay_what_they_were() {
    use std::os::unix::fs::PermissionsExt as _;
    let (store, granted) = granted();
    store.file("real.json", "{}");
    std::fs::set_permissions(store.path("real.json"), std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(store.path("real.json"), store.path("claude.json")).unwrap();
    connect(&store, "claude.json", &["--token-file", &granted.token_file]).assert_code(0);
    assert!(store.path("claude.json").is_symlink());
    assert!(read(&store, "real.json").contains("stepwell"));
    let mode = |name: &str| std::fs::metadata(store.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("real.json"), mode("real.json.bak1")), (0o640, 0o640));
    // A file that was not there is its owner's alone.
    connect(&store, "folder/new.json", &["--token-file", &granted.token_file]).assert_code(0);
    assert_eq!(mode("folder/new.json"), 0o600);
}

#[test]
fn no_secret_becomes_an_argument() {
    let (store, granted) = granted();
    let token = std::fs::read_to_string(&granted.token_file).unwrap().trim().to_owned();
    let ran = |arguments: &[&str]| {
        Ran::of(store.command(&[&["connect"], arguments].concat()).env("STEPWELL_TOKEN", &token))
    };
    // A token in the environment is not written down, so over stdio a file is needed.
    let refused = ran(&["codex"]);
    refused.assert_code(64);
    assert!(refused.err.contains("--token-file"), "{}", refused.err);
    let password = "postgres://me:hunter2@db.example/mail";
    let refused = ran(&["codex", "--source", password, "--token-file", &granted.token_file]);
    refused.assert_code(64);
    assert!(refused.err.contains("[source]") && !refused.err.contains("hunter2"), "{}", refused.err);
    for url in ["https://me:pw@a.example/mcp", "https://a.example/mcp?token=x"] {
        ran(&["cursor", "--http", url]).assert_code(64);
    }
    for client in ["claude-code", "codex", "cursor", "vscode", "gemini", "opencode"] {
        let shown = ran(&[client, "--http", "https://a.example/mcp", "--token-file", &granted.token_file]);
        shown.assert_code(0);
        assert!(!shown.text().contains(&token) && !shown.err.contains(&token), "{shown:?}");
    }
    ran(&["claude-desktop", "--http", "https://a.example/mcp"]).assert_code(64);
}

#[test]
fn every_client_has_its_usual_place() {
    let home = tempfile::tempdir().unwrap();
    let place = |client: &str| {
        let mut command =
            stepwell(home.path(), &["connect", client, "--source", "demo", "--write", "--json"]);
        for variable in ["CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
            command.env_remove(variable);
        }
        let ran = Ran::of(&mut command);
        ran.assert_code(0);
        let file = ran.json()["file"].as_str().unwrap().to_owned();
        assert!(Path::new(&file).exists(), "{file}");
        Path::new(&file).strip_prefix(home.path()).unwrap().to_str().unwrap().to_owned()
    };
    assert_eq!(place("claude-code"), ".claude.json");
    assert_eq!(place("codex"), ".codex/config.toml");
    assert_eq!(place("cursor"), ".cursor/mcp.json");
    assert_eq!(place("gemini"), ".gemini/settings.json");
    assert_eq!(place("opencode"), "config/opencode/opencode.json");
    if cfg!(target_os = "linux") {
        assert_eq!(place("claude-desktop"), "config/Claude/claude_desktop_config.json");
        assert_eq!(place("vscode"), "config/Code/User/mcp.json");
    }
}
