//! The four ways to reach the server: two transports, two eras.

use crate::mcp::http::Http;
use crate::mcp::stdio::Stdio;
use crate::mcp::world::World;
use serde_json::{Value, json};

/// The era of the protocol that a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// Opens with `initialize`.
    Legacy,
    /// Says with every request who it is.
    Modern,
}

pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const LEGACY: &str = "2025-11-25";

impl Era {
    /// Adds what every request of the era carries.
    pub(crate) fn dress(self, params: Value) -> Value {
        self.dress_as("a test", params)
    }

    /// The same for a client of another name.
    pub(crate) fn dress_as(self, client: &str, mut params: Value) -> Value {
        if self == Self::Modern && params.get("_meta").is_none() {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": { "name": client, "version": "1" },
            });
        }
        params
    }

    pub(crate) const fn version(self) -> &'static str {
        match self {
            Self::Legacy => LEGACY,
            Self::Modern => MODERN,
        }
    }
}

/// A connection in one of the ways.
pub(crate) enum Way {
    Stdio(Stdio),
    Http(Http, Era),
}

impl Way {
    /// Opens all four on the shared store, with everything granted.
    pub(crate) fn all(arguments: &[&str]) -> Vec<(String, Self)> {
        let world = World::shared();
        let mut ways = Vec::new();
        for era in [Era::Legacy, Era::Modern] {
            let stdio = Stdio::open(world, &world.all, era, arguments);
            ways.push((format!("stdio {era:?}"), Self::Stdio(stdio)));
            let http = Http::open(world, &world.all, arguments);
            ways.push((format!("http {era:?}"), Self::Http(http, era)));
        }
        ways
    }

    /// Sends a request and gives the whole reply.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        match self {
            Self::Stdio(stdio) => stdio.ask(method, params),
            Self::Http(http, era) => http.ask(*era, method, params),
        }
    }

    pub(crate) fn era(&self) -> Era {
        match self {
            Self::Stdio(stdio) => stdio.era,
            Self::Http(_, era) => *era,
        }
    }

    /// Calls a tool and gives its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let reply = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(reply.get("error").is_none(), "{tool}: {reply}");
        reply["result"].clone()
    }
}
