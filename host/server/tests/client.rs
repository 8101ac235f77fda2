//! A client over HTTP, written out by hand so that a test can send what no library would.

use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// How long a test waits for what should take milliseconds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The version of the protocol in which every request says who it is.
pub(crate) const MODERN: &str = "2026-07-28";
/// The last one that opens with `initialize`.
pub(crate) const LEGACY: &str = "2025-11-25";

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// The code of a refusal.
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_else(|| panic!("no code: {self:?}")).to_owned()
    }
}

/// A request in the making.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Ask {
    /// Any request, with nothing but its Host.
    pub(crate) fn new(method: &'static str, path: &str) -> Self {
        let headers = vec![("host".to_owned(), "localhost".to_owned())];
        Self { method, path: path.to_owned(), headers, body: String::new() }
    }

    /// A message of the protocol, in its older era.
    pub(crate) fn legacy(method: &str, params: Value) -> Self {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        Self::message(&body.to_string()).with("mcp-protocol-version", LEGACY)
    }

    /// A message of the protocol, in its newer era.
    pub(crate) fn modern(method: &str, mut params: Value) -> Self {
        let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "a test", "version": "1" },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let ask =
            Self::message(&body.to_string()).with("mcp-protocol-version", MODERN).with("mcp-method", method);
        match name {
            Some(name) => ask.with("mcp-name", &name),
            None => ask,
        }
    }

    /// A body that claims to be a message.
    pub(crate) fn message(body: &str) -> Self {
        let mut ask = Self::new("POST", "/mcp")
            .with("content-type", "application/json")
            .with("accept", "application/json, text/event-stream");
        ask.body = body.to_owned();
        ask
    }

    /// The same with one header more.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same with another value of a header.
    pub(crate) fn instead(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(key, _)| key != name);
        self.with(name, value)
    }

    /// The same with a token.
    pub(crate) fn bearing(self, token: &str) -> Self {
        self.with("authorization", &format!("Bearer {token}"))
    }

    /// The same to another path.
    pub(crate) fn to(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// Sends it on a connection of its own and waits for the answer.
    pub(crate) async fn send(&self, address: SocketAddr) -> Answer {
        read_answer(self.begin(address).await).await
    }

    /// Sends it and does not wait.
    pub(crate) async fn begin(&self, address: SocketAddr) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.expect("the server listens");
        self.write(&mut stream).await;
        stream
    }

    /// Writes it.
    pub(crate) async fn write(&self, stream: &mut (impl AsyncWrite + Unpin)) {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        if !self.headers.iter().any(|(name, _)| name == "content-length" || name == "transfer-encoding") {
            head += &format!("content-length: {}\r\n", self.body.len());
        }
        if !self.headers.iter().any(|(name, _)| name == "connection") {
            head += "connection: close\r\n";
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        // A server that refuses early may close before it read everything.
        let _ = stream.write_all(format!("{head}\r\n{}", self.body).as_bytes()).await;
    }
}

/// Reads an answer to its end.
pub(crate) async fn read_answer(mut stream: impl AsyncRead + Unpin) -> Answer {
    let mut bytes = Vec::new();
    let read =
        tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.expect("an answer in time");
    // A connection that is cut after an early refusal still gave its answer.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(read.is_ok() || text.starts_with("HTTP/1.1 4"), "{read:?}: {text}");
    parse(&text)
}

fn parse(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
    Answer { status: status.unwrap_or_else(|| panic!("no status: {text:?}")), headers, body: body.to_owned() }
}
