//! A store with records of a test's own, and one session with the server on it.

use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Lets every client have links, so that they are tested too.
pub(crate) const LINKS: &str = "[tiers.resources]\nlinks = \"always\"\n";

/// A session.
pub(crate) struct Desk {
    session: Stdio,
}

impl Desk {
    /// Opens a session for a grant of everything, under a configuration.
    pub(crate) fn open(world: &World, config: &str) -> Self {
        // A file of its own: another session may be reading its configuration at this moment.
        static OPENED: AtomicUsize = AtomicUsize::new(0);
        let name = format!("plugins-{}.toml", OPENED.fetch_add(1, Ordering::Relaxed));
        let config = world.store.file(&name, config);
        Self { session: Stdio::open(world, &world.all, Era::Modern, &["--config", &config]) }
    }

    /// Sends a request and gives the whole reply.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.session.ask(method, params)
    }

    /// Calls a tool and gives its result, whatever it says.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let mut reply = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(reply.get("error").is_none(), "{tool} {arguments}: {reply}");
        reply["result"].take()
    }

    /// Calls a tool that must succeed.
    #[track_caller]
    pub(crate) fn result(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert!(result["isError"] != true, "{tool} {arguments}: {}", text(&result));
        result
    }

    /// Reads a resource.
    pub(crate) fn read(&mut self, uri: &str) -> Result<Value, Value> {
        let mut reply = self.ask("resources/read", json!({ "uri": uri }));
        match reply.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(reply["error"].take()),
        }
    }
}

/// The text blocks of a result, one after the other.
pub(crate) fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}
