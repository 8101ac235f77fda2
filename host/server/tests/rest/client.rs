//! A client over HTTP, written out by hand so that a test sees every byte.

use serde_json::Value;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// No answer of a test takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Whether the body came to its end, as its length or its last chunk says.
    pub(crate) is_whole: bool,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// The error's status, type and code.
    #[track_caller]
    pub(crate) fn error(&self) -> (u16, String, String) {
        let error = self.json()["error"].take();
        let text =
            |name: &str| error[name].as_str().unwrap_or_else(|| panic!("no {name}: {error}")).to_owned();
        assert_eq!(self.header("request-id"), Some(text("request_id").as_str()));
        (self.status, text("type"), text("code"))
    }
}

/// Sends a request and gives the connection, from which the answer is still to be read.
pub(crate) async fn begin(
    address: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(address).await.expect("the server listens");
    let mut head = format!("{method} {target} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    if !body.is_empty() || method == "POST" {
        head += &format!("content-length: {}\r\n", body.len());
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).await.expect("a head");
    // A server that refuses early may close before it read everything.
    let _ = stream.write_all(body).await;
    BufReader::new(stream)
}

/// Sends a request and reads the whole answer.
pub(crate) async fn send(
    address: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let work = async {
        let mut stream = begin(address, method, target, headers, body).await;
        let mut answer = read_head(&mut stream).await;
        read_body(&mut stream, &mut answer, method == "HEAD", |_| {}).await;
        answer
    };
    tokio::time::timeout(PATIENCE, work).await.expect("an answer in time")
}

pub(crate) async fn read_head(stream: &mut BufReader<TcpStream>) -> Answer {
    let mut line = String::new();
    stream.read_line(&mut line).await.expect("a status line");
    let status =
        line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("{line:?}"));
    let mut headers = Vec::new();
    loop {
        line.clear();
        stream.read_line(&mut line).await.expect("a header");
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    Answer { status, headers, body: Vec::new(), is_whole: false }
}

/// Reads the body. What comes is shown to `seen` before it is kept.
pub(crate) async fn read_body(
    stream: &mut BufReader<TcpStream>,
    answer: &mut Answer,
    is_head: bool,
    mut seen: impl FnMut(&[u8]),
) {
    if is_head || [204, 304].contains(&answer.status) {
        stream.read_to_end(&mut answer.body).await.expect("an end");
        assert!(answer.body.is_empty(), "such an answer has no body");
        answer.is_whole = true;
        return;
    }
    if answer.header("transfer-encoding") != Some("chunked") {
        let length: usize = answer.header("content-length").and_then(|n| n.parse().ok()).expect("a length");
        let _ = stream.read_to_end(&mut answer.body).await;
        seen(&answer.body);
        answer.is_whole = answer.body.len() == length;
        return;
    }
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.is_err() || line.is_empty() {
            return;
        }
        let length = usize::from_str_radix(line.trim_end(), 16).expect("a chunk's length");
        let mut chunk = vec![0; length + 2];
        if stream.read_exact(&mut chunk).await.is_err() {
            return;
        }
        seen(&chunk[..length]);
        answer.body.extend_from_slice(&chunk[..length]);
        if length == 0 {
            answer.is_whole = true;
            return;
        }
    }
}
