//! The MCP Inspector's command line: over both transports and in both eras, with its own lint of the tools' schemas.

use crate::conformance::setup::Tools;
use crate::mcp::http::Http;
use crate::mcp::world::{World, scratch, with_cache};
use crate::program::Ran;
use serde_json::{Value, json};
use std::process::Command;
use stepwell_sample::known;

/// How the Inspector reaches the server.
enum Target {
    /// By a file that `stepwell connect` wrote.
    File(String),
    Http(Http),
}

impl Target {
    fn stdio(world: &World, name: &str) -> Self {
        let file = world.store.name(name);
        let written = world.store.run(&[
            "connect",
            "claude-code",
            "--source",
            &world.store.url,
            "--token-file",
            &world.all.token_file,
            "--config-file",
            &file,
            "--write",
        ]);
        written.assert_code(0);
        Self::File(file)
    }

    /// Asks one thing and gives the result.
    fn ask(&self, tools: &Tools, era: &str, arguments: &[&str]) -> Value {
        let mut command = self.command(tools, era);
        let ran = Ran::of(command.args(arguments));
        ran.assert_code(0);
        ran.json()["result"].clone()
    }

    fn command(&self, tools: &Tools, era: &str) -> Command {
        let mut command = tools.command("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
        command.arg("--cli");
        match self {
            Self::File(file) => command.args(["--config", file, "--server", "stepwell"]),
            Self::Http(http) => {
                let url = format!("http://{}/mcp", http.address);
                let header = format!("Authorization: Bearer {}", http.token);
                command.args([&url, "--transport", "http", "--header", &header])
            }
        };
        command.args(["--protocol-era", era, "--format", "json", "--connect-timeout", "120000"]);
        with_cache(&mut command);
        command.env("XDG_CONFIG_HOME", scratch("no-config"));
        command
    }
}

fn inspects(target: &Target, era: &str) {
    let Some(tools) = Tools::get() else { return };
    let listed = target.ask(tools, era, &["--method", "tools/list", "--strict"]);
    assert_eq!(listed["tools"].as_array().map(Vec::len), Some(6), "{listed}");

    let asked = json!({ "id": known::LONG_TEXT.id(), "field_path": "body", "limit_chars": 100 }).to_string();
    let call = ["--method", "tools/call", "--tool-name", "read_record_field", "--tool-args-json", &asked];
    let read = target.ask(tools, era, &call);
    assert_eq!(read["structuredContent"]["window"]["end_chars"], 100, "{read}");

    let read = target.ask(tools, era, &["--method", "resources/read", "--uri", "pdpp://stream/messages"]);
    assert_eq!(read["contents"][0]["uri"], "pdpp://stream/messages", "{read}");
}

#[test]
fn the_inspector_is_content_over_stdio() {
    if Tools::get().is_some() {
        let target = Target::stdio(World::shared(), "inspected.json");
        inspects(&target, "legacy");
        inspects(&target, "modern");
    }
}

#[test]
fn the_inspector_is_content_over_http() {
    let world = World::shared();
    let target = Target::Http(Http::open(world, &world.all, &[]));
    inspects(&target, "legacy");
    inspects(&target, "modern");
}
