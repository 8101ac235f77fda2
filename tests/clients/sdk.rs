//! Runs a script of this folder with an official SDK against the built program.

use crate::clients::setup;
use crate::mcp::http::Http;
use crate::mcp::way::Era;
use crate::mcp::world::{World, scratch};
use crate::program::Granted;
use serde_json::{Value, json};
use std::process::Command;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Sdk {
    Python,
    TypeScript,
}

impl Sdk {
    /// Runs `{script}.py` or `{script}.mjs` of an era with a task, connected to a server with a grant, and gives what it prints.
    pub(super) fn run(
        self,
        (script, era): (&str, Era),
        (world, granted): (&World, &Granted),
        transport: &str,
        more: &[&str],
        mut task: Value,
    ) -> Value {
        task["transport"] = json!(transport);
        let http = (transport == "http").then(|| Http::open(world, granted, more));
        match &http {
            Some(http) => {
                task["url"] = json!(format!("http://{}/mcp", http.address));
                task["token"] = json!(http.token);
            }
            None => {
                let program = [env!("CARGO_BIN_EXE_stepwell"), "serve", "--token-file", &granted.token_file];
                task["command"] = json!([&program[..], more].concat());
                task["env"] =
                    json!({ "STEPWELL_SOURCE": world.store.url, "XDG_CACHE_HOME": scratch("cache") });
            }
        }
        self.start((script, era), task)
    }

    /// Runs a script with a task that says how to connect, and gives what it prints.
    pub(crate) fn start(self, (script, era): (&str, Era), mut task: Value) -> Value {
        let mut command = match self {
            Self::Python => {
                let mut command = Command::new(setup::python(era));
                command.arg(setup::file(era, &format!("{script}.py"))).env("PYTHONDONTWRITEBYTECODE", "1");
                command
            }
            Self::TypeScript => {
                task["modules"] = json!(setup::node_modules(era));
                let mut command = Command::new("node");
                command.arg(setup::file(era, &format!("{script}.mjs")));
                command
            }
        };
        let output = command.env("TASK", task.to_string()).output().expect("the client runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{self:?}: {said}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{self:?} says nothing: {said}"))
    }
}
