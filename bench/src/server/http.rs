//! A client over HTTP that keeps its connection: a head and a body each way.

use super::connection::{Request, VERSION};
use super::guard::Running;
use anyhow::Context as _;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;
use stepwell_source::Token;

/// How long a reply may take that should take milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until a server says where it listens: its address, and the path of its endpoint.
pub(super) fn listening(server: &mut Running) -> anyhow::Result<(String, String)> {
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().context("no pipe")?).read_line(&mut line)?;
    let says: Value = serde_json::from_str(&line).context("the server does not say where it listens")?;
    let url = says["listening"].as_str().context("no URL")?;
    let rest = url.strip_prefix("http://").context("not HTTP")?;
    let (address, path) = rest.split_once('/').context("no path")?;
    Ok((address.to_owned(), format!("/{path}")))
}

/// The part of a request's head that is always the same.
pub(super) fn head(address: &str, path: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: {VERSION}\r\n"
    )
}

pub(super) struct Http {
    server: Running,
    stream: RefCell<BufReader<TcpStream>>,
    /// The part of a request's head that is always the same.
    head: String,
    token: Token,
    last_id: Cell<u64>,
}

impl Http {
    /// Waits until the server says where it listens, and connects.
    pub(super) fn new(mut server: Running, token: &Token) -> anyhow::Result<Self> {
        let (address, path) = listening(&mut server)?;
        let stream = TcpStream::connect(&address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let head = head(&address, &path);
        let stream = RefCell::new(BufReader::new(stream));
        Ok(Self { server, stream, head, token: token.clone(), last_id: Cell::new(0) })
    }

    pub(super) fn ask(&self, request: &Request) -> anyhow::Result<(u64, Vec<u8>)> {
        let id = self.last_id.get() + 1;
        self.last_id.set(id);
        let body = request.numbered(id);
        let mut stream = self.stream.borrow_mut();
        let (head, token, length) = (&self.head, self.token.reveal(), body.len());
        let message =
            format!("{head}authorization: Bearer {token}\r\ncontent-length: {length}\r\n\r\n{body}");
        stream.get_mut().write_all(message.as_bytes())?;
        let mut line = String::new();
        stream.read_line(&mut line)?;
        anyhow::ensure!(line.starts_with("HTTP/1.1 200 "), "the server answered {:?}", line.trim_end());
        let mut length = None;
        loop {
            line.clear();
            stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = Some(value.trim().parse()?);
            }
        }
        // Without a length the reply would be a stream of events, which neither server has a reason for.
        let mut reply = vec![0; length.context("a reply without a length")?];
        stream.read_exact(&mut reply)?;
        Ok((id, reply))
    }

    pub(super) fn pid(&self) -> u32 {
        self.server.0.id()
    }
}
