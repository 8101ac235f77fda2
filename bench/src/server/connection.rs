//! A client of either transport, with as little of its own to do as possible.

use super::http::Http;
use super::stdio::Stdio;
use super::{Kind, Stage, Transport};
use anyhow::Context as _;
use memchr::memmem;
use serde_json::{Value, json};

/// The protocol version that both servers speak and that opens with `initialize`.
pub(super) const VERSION: &str = "2025-11-25";

/// A request, all but its number.
#[derive(Clone, Debug)]
pub(super) struct Request(String);

impl Request {
    pub(super) fn new(method: &str, params: &Value) -> Self {
        Self(format!(r#""method":"{method}","params":{params}}}"#))
    }

    pub(super) fn tool(name: &str, arguments: &Value) -> Self {
        Self::new("tools/call", &json!({ "name": name, "arguments": arguments }))
    }

    pub(super) fn initialize() -> Self {
        let client = json!({ "name": "bench", "version": "1" });
        Self::new(
            "initialize",
            &json!({ "protocolVersion": VERSION, "capabilities": {}, "clientInfo": client }),
        )
    }

    /// The request as it is sent.
    pub(super) fn numbered(&self, id: u64) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},{}"#, self.0)
    }
}

/// A server and the one connection to it.
pub(super) enum Connection {
    Stdio(Stdio),
    Http(Http),
}

impl Connection {
    /// Starts a server and opens the session. It returns with the reply to `initialize`.
    pub(super) fn open(stage: &Stage, kind: Kind, transport: Transport) -> anyhow::Result<Self> {
        let server = stage.guard.spawn(&mut stage.command(kind, transport)?)?;
        let connection = match transport {
            Transport::Stdio => Self::Stdio(Stdio::new(server)?),
            Transport::Http => Self::Http(Http::new(server, stage.world.token())?),
        };
        connection.ask(&Request::initialize()).context("no reply to initialize")?;
        if let Self::Stdio(stdio) = &connection {
            stdio.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        }
        Ok(connection)
    }

    /// Sends a request and gives the bytes of the reply.
    pub(super) fn ask(&self, request: &Request) -> anyhow::Result<Vec<u8>> {
        let (id, reply) = match self {
            Self::Stdio(stdio) => stdio.ask(request)?,
            Self::Http(http) => http.ask(request)?,
        };
        // Parsing the reply would be the client's cost and not the server's, so a look at its first bytes must do.
        let head = &reply[..reply.len().min(64)];
        let is_reply = memmem::find(head, format!(r#""id":{id},"result":"#).as_bytes()).is_some();
        anyhow::ensure!(is_reply, "no result: {}", String::from_utf8_lossy(&reply));
        Ok(reply)
    }

    /// The same for a request that is not timed: a tool's refusal is an error here.
    pub(super) fn checked(&self, request: &Request) -> anyhow::Result<Vec<u8>> {
        let reply = self.ask(request)?;
        let parsed: Value = serde_json::from_slice(&reply)?;
        anyhow::ensure!(parsed["result"]["isError"] != true, "refused: {parsed}");
        Ok(reply)
    }

    /// The server's process.
    pub(super) fn pid(&self) -> u32 {
        match self {
            Self::Stdio(stdio) => stdio.pid(),
            Self::Http(http) => http.pid(),
        }
    }
}
