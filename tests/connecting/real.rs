//! Real clients, which read what `stepwell connect` wrote for them and say whether they are connected.

use crate::clients::need_node;
use crate::mcp::http::Http;
use crate::mcp::world::{World, bare, scratch, with_cache};
use crate::program::Ran;
use std::path::Path;
use std::process::Command;

/// A client, what installs it, how it lists its servers, and how it says that one is connected.
const CLIENTS: &[(&str, &str, &[&str], &str)] = &[
    ("claude-code", "@anthropic-ai/claude-code@2.1.197", &["claude", "mcp", "list"], "✔ Connected"),
    ("gemini", "@google/gemini-cli@0.61.0", &["gemini", "mcp", "list"], "- Connected"),
    ("opencode", "opencode-ai@1.18.33", &["opencode", "mcp", "list"], "connected"),
];

/// Installs the clients, once.
fn install() -> &'static Path {
    static FOLDER: std::sync::OnceLock<std::path::PathBuf> = std::sync::OnceLock::new();
    FOLDER.get_or_init(|| {
        need_node();
        let folder = scratch("clients").join("real");
        std::fs::create_dir_all(&folder).unwrap();
        let packages = CLIENTS.iter().map(|(_, package, _, _)| package);
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).args(packages);
        Ran::of(&mut npm).assert_code(0);
        folder
    })
}

#[test]
#[ignore = "installs three clients from npm, half a gigabyte; run it with --ignored"]
fn real_clients_are_connected_by_what_was_written() {
    let (world, folder) = (World::shared(), install());
    let http = Http::open(world, &world.all, &[]);
    let url = format!("http://{}/mcp", http.address);
    for (client, _, list, connected) in CLIENTS {
        let home = tempfile::tempdir().unwrap();
        let connect = |more: &[&str]| {
            let arguments = [&["connect", client, "--write"], more].concat();
            Ran::of(&mut bare(home.path(), &arguments)).assert_code(0);
        };
        connect(&["--source", &world.store.url, "--token-file", &world.all.token_file]);
        connect(&["--http", &url, "--name", "stepwell-http"]);
        let mut command = Command::new(folder.join("node_modules/.bin").join(list[0]));
        command
            .args(&list[1..])
            .current_dir(home.path())
            .env("HOME", home.path())
            .env("STEPWELL_TOKEN", &http.token);
        command
            .env("XDG_CONFIG_HOME", home.path().join("config"))
            .env("XDG_DATA_HOME", home.path().join("data"));
        command.env("GEMINI_CLI_TRUST_WORKSPACE", "true").env("OPENCODE_DISABLE_MODELS_FETCH", "1");
        with_cache(&mut command);
        // Their exit codes say nothing.
        let ran = Ran::of(&mut command);
        let said = format!("{}{}", ran.text(), ran.err);
        assert_eq!(said.matches(connected).count(), 2, "{client}: {said}");
    }
}
