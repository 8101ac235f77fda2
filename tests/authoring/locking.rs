//! A plugin that changed is not loaded until somebody accepted it.

use super::editing::listed;
use super::{copy, plugin};
use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use serde_json::json;
use std::path::Path;
use stepwell_tiers_fixtures::{example, hostile};

fn accept(folder: &Path, arguments: &[&str], code: i32) -> String {
    let ran = plugin(folder, &[&["accept", "--config", "plugins.toml"], arguments].concat());
    ran.assert_code(code);
    format!("{}{}", ran.text(), ran.err)
}

#[test]
fn a_changed_plugin_waits_for_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    copy(&example("mail-preview"), folder, "mail.wasm");
    std::fs::write(folder.join("plugins.toml"), "[[preview]]\nname = \"mail\"\ncomponent = \"mail.wasm\"\n")
        .unwrap();
    assert_eq!(listed(folder, "mail")["lock"], "unlocked");
    assert_eq!(listed(folder, "mail")["health"], "on");
    assert!(accept(folder, &[], 0).contains("mail is accepted for the first time"));
    assert_eq!(listed(folder, "mail")["lock"], "locked");

    copy(&hostile("remembers"), folder, "mail.wasm");
    let mail = listed(folder, "mail");
    assert_eq!((mail["health"].as_str(), mail["lock"].as_str()), (Some("broken"), Some("changed")), "{mail}");
    let message = mail["fault"]["message"].as_str().unwrap();
    assert!(message.contains("sha256 was ") && message.contains("stepwell plugin accept mail"), "{message}");
    let said = accept(folder, &["mail"], 0);
    assert!(said.contains("differs from before") && said.contains("sha256 was "), "{said}");
    assert_eq!(listed(folder, "mail")["health"], "on");

    let raised = "[[preview]]\nname = \"mail\"\ncomponent = \"mail.wasm\"\nlimits = { memory_mb = 512 }\n";
    std::fs::write(folder.join("plugins.toml"), raised).unwrap();
    let message = listed(folder, "mail")["fault"]["message"].to_string();
    assert!(message.contains("limits.memory_mb was 64, is 512"), "{message}");
}

#[test]
fn the_definitions_of_tools_are_locked_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    copy(&example("find-in-field"), folder, "finder.wasm");
    plugin(folder, &["add", "finder.wasm", "--streams", "x", "--config", "plugins.toml"]).assert_code(64);
    plugin(folder, &["add", "finder.wasm", "--config", "plugins.toml"]).assert_code(0);
    let text = std::fs::read_to_string(folder.join("plugins.toml")).unwrap();
    assert_eq!(text, "[[tool]]\nname = \"finder\"\ncomponent = \"finder.wasm\"\n");
    assert_eq!(listed(folder, "finder")["lock"], "locked");
    let lock = folder.join("plugins.lock");
    let accepted = std::fs::read_to_string(&lock).unwrap();
    let digest =
        accepted.lines().find_map(|line| line.strip_prefix("find_in_field = ")).expect("its definition");
    // As if another definition had been accepted.
    std::fs::write(&lock, accepted.replace(digest, &format!("\"{}\"", "0".repeat(64)))).unwrap();
    let finder = listed(folder, "finder");
    assert_eq!((finder["health"].as_str(), finder["lock"].as_str()), (Some("broken"), Some("changed")));
    let message = finder["fault"]["message"].as_str().unwrap();
    assert!(message.contains("the definition of find_in_field was 000"), "{message}");
    assert!(accept(folder, &["finder"], 0).contains("differs from before"));
    assert_eq!(std::fs::read_to_string(&lock).unwrap(), accepted);
    assert_eq!(listed(folder, "finder")["health"], "on");
}

#[test]
fn a_server_shows_plainly_what_it_would_not_let_a_changed_plugin_show() {
    let world = World::shared();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    copy(&hostile("remembers"), folder, "mine.wasm");
    plugin(folder, &["add", "mine.wasm", "--config", "plugins.toml"]).assert_code(0);
    let page = || {
        let config = folder.join("plugins.toml");
        let mut session =
            Stdio::open(world, &world.all, Era::Modern, &["--config", config.to_str().unwrap()]);
        let call = json!({ "name": "query_records", "arguments": { "stream": "messages", "limit": 1 } });
        session.ask("tools/call", call)["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    assert!(page().contains("derived=\"call 1\""));
    let mut bytes = std::fs::read(folder.join("mine.wasm")).unwrap();
    // An empty custom section: the same program in another file.
    bytes.extend([0, 2, 1, b'x']);
    std::fs::write(folder.join("mine.wasm"), bytes).unwrap();
    assert!(!page().contains("derived="));
    accept(folder, &[], 0);
    assert!(page().contains("derived=\"call 1\""));
}

#[test]
fn only_what_is_there_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    copy(&example("mail-preview"), folder, "mail.wasm");
    let two = "[[preview]]\nname = \"mail\"\ncomponent = \"mail.wasm\"\n[[preview]]\nname = \"gone\"\ncomponent = \"no.wasm\"\n";
    std::fs::write(folder.join("plugins.toml"), two).unwrap();
    let said = accept(folder, &[], 1);
    assert!(said.contains("gone is not accepted") && said.contains("mail is accepted"), "{said}");
    let unknown = accept(folder, &["html"], 64);
    assert!(unknown.contains("no plugin \"html\"") && unknown.contains("mail, gone"), "{unknown}");
    std::fs::write(folder.join("plugins.lock"), "version = 9\n").unwrap();
    assert_eq!(listed(folder, "mail")["fault"]["code"], "lock_unreadable");
    // One name would lose the entries of the others.
    let refused = accept(folder, &["mail"], 1);
    assert!(refused.contains("version 9"), "{refused}");
    accept(folder, &[], 1);
    assert_eq!(listed(folder, "mail")["lock"], "locked");
}
