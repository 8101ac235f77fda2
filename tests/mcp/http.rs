//! A client over HTTP, written out by hand so that a test can send what no library would.

use crate::mcp::way::Era;
use crate::mcp::world::{Running, World};
use crate::program::Granted;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

/// A server, and what a request to it needs.
pub(crate) struct Http {
    pub(crate) server: Running,
    /// Host and port.
    pub(crate) address: String,
    /// Host and port of the operator's listener, where there is one.
    pub(crate) admin: Option<String>,
    pub(crate) token: String,
    /// Host and port of `/v1`, where it is on.
    pub(crate) v1: Option<String>,
}

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
}

impl Http {
    /// Starts a server on a free port, for a client with a grant.
    pub(crate) fn open(world: &World, granted: &Granted, arguments: &[&str]) -> Self {
        Self::started(world.serve(&[&["--http", "0", "--json"], arguments].concat()), granted)
    }

    /// Starts this server and hears from it where it listens.
    pub(crate) fn started(mut command: Command, granted: &Granted) -> Self {
        let mut child = command.spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let says: Value =
            serde_json::from_str(&line).unwrap_or_else(|_| panic!("where it listens: {line:?}"));
        let url = says["listening"].as_str().expect("a URL");
        let address =
            url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp")).expect("our URL");
        let admin = says["admin"].as_str().and_then(|url| url.strip_prefix("http://")).map(str::to_owned);
        let v1 = says["v1"].as_str().and_then(|url| url.strip_prefix("http://")?.strip_suffix("/v1"));
        let (address, v1) = (address.to_owned(), v1.map(str::to_owned));
        Self { server: Running(child), address, admin, token: World::token(granted), v1 }
    }

    /// Sends a request of the protocol and gives the reply.
    pub(crate) fn ask(&self, era: Era, method: &str, params: Value) -> Value {
        self.post(era, method, params, &[]).json()
    }

    /// Sends a request of the protocol with more headers; an empty one takes the usual header away.
    pub(crate) fn post(&self, era: Era, method: &str, params: Value, more: &[(&str, &str)]) -> Answer {
        read_answer(self.begin(era, method, params, more))
    }

    /// Opens a subscription; the messages of the server follow line by line.
    pub(crate) fn listen(&self, notifications: Value) -> impl Iterator<Item = Value> + use<> {
        let params = json!({ "notifications": notifications });
        let stream = self.begin(Era::Modern, "subscriptions/listen", params, &[]);
        let lines = stream.lines().map_while(Result::ok);
        lines.filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
    }

    fn begin(&self, era: Era, method: &str, params: Value, more: &[(&str, &str)]) -> BufReader<TcpStream> {
        let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": era.dress(params) });
        let bearer = format!("Bearer {}", self.token);
        let mut headers = vec![
            ("host", self.address.as_str()),
            ("authorization", &bearer),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", era.version()),
        ];
        if era == Era::Modern {
            headers.push(("mcp-method", method));
            if !name.is_empty() {
                headers.push(("mcp-name", &name));
            }
        }
        headers.retain(|(key, _)| !more.iter().any(|(other, _)| other == key));
        headers.extend(more.iter().filter(|(_, value)| !value.is_empty()));
        self.write("POST", "/mcp", &headers, &body.to_string())
    }

    /// Sends anything.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        read_answer(self.write(method, path, headers, body))
    }

    fn write(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
        for (key, value) in headers {
            head += &format!("{key}: {value}\r\n");
        }
        // A server that refuses early may close before it read everything.
        let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
        BufReader::new(stream)
    }
}

fn read_answer(mut stream: BufReader<TcpStream>) -> Answer {
    let mut line = String::new();
    stream.read_line(&mut line).expect("a status line");
    let status =
        line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("{line:?}"));
    let mut headers = Vec::new();
    loop {
        line.clear();
        stream.read_line(&mut line).expect("a header");
        let Some((key, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((key.to_ascii_lowercase(), value.to_owned()));
    }
    let mut answer = Answer { status, headers, body: String::new() };
    let length = answer.header("content-length").and_then(|length| length.parse().ok());
    let mut bytes = Vec::new();
    stream.take(length.unwrap_or(u64::MAX)).read_to_end(&mut bytes).expect("a body");
    answer.body = String::from_utf8(bytes).expect("text");
    answer
}
