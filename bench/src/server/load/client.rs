//! A client that asks the same thing again and again on one connection.

use super::tally::Tally;
use anyhow::Context as _;
use serde_json::Value;
use std::io;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// How long a reply may take that should take milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a client waits that was turned away; a server says it in seconds, which is more than a measurement has.
const PAUSE: Duration = Duration::from_millis(10);

/// What is asked, and where.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) address: String,
    /// The whole request.
    pub(super) message: Vec<u8>,
}

pub(super) struct Client<'a> {
    target: &'a Target,
    stream: BufReader<TcpStream>,
    line: Vec<u8>,
    body: Vec<u8>,
}

impl<'a> Client<'a> {
    async fn connect(target: &'a Target) -> io::Result<Self> {
        let stream = TcpStream::connect(&target.address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { target, stream: BufReader::new(stream), line: Vec::new(), body: Vec::new() })
    }

    /// Asks until a moment, and says what came of it. A connection that breaks is opened again.
    pub(super) async fn ask_until(target: &'a Target, end: Instant) -> Tally {
        let (mut tally, mut client) = (Tally::default(), None);
        while Instant::now() < end {
            let started = Instant::now();
            let mut open = match client.take() {
                Some(open) => open,
                None => match Self::connect(target).await {
                    Ok(open) => open,
                    Err(_) => {
                        tally.count(0, started.elapsed());
                        sleep(PAUSE).await;
                        continue;
                    }
                },
            };
            match timeout(PATIENCE, open.ask()).await {
                Ok(Ok(reply)) => {
                    tally.count(reply.status, started.elapsed());
                    if reply.keeps_open {
                        client = Some(open);
                    }
                    if reply.status != 200 {
                        sleep(PAUSE).await;
                    }
                }
                _ => tally.count(0, started.elapsed()),
            }
        }
        tally
    }

    /// Asks once and looks at the answer: what is timed must be worth timing.
    pub(super) async fn checked(target: &Target) -> anyhow::Result<()> {
        let mut client = Client::connect(target).await?;
        let reply = client.ask().await?;
        anyhow::ensure!(reply.status == 200, "the server answers {}", reply.status);
        // The bare route answers plain text.
        if let Ok(answer) = serde_json::from_slice::<Value>(&client.body) {
            anyhow::ensure!(answer["result"]["isError"] != true, "refused: {answer}");
            answer.get("result").context("no result")?;
        }
        Ok(())
    }

    /// Asks until an answer comes that is no refusal.
    pub(super) async fn patient(target: &Target) -> anyhow::Result<()> {
        let recovers = async {
            while Self::checked(target).await.is_err() {
                sleep(PAUSE).await;
            }
        };
        timeout(PATIENCE, recovers).await.context("the server does not recover")
    }

    async fn ask(&mut self) -> io::Result<Reply> {
        self.stream.get_mut().write_all(&self.target.message).await?;
        let (mut reply, mut length) = (Reply { status: 0, keeps_open: true }, None);
        loop {
            self.line.clear();
            if self.stream.read_until(b'\n', &mut self.line).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = self.line.trim_ascii_end();
            if reply.status == 0 {
                let code =
                    line.split(|byte| *byte == b' ').nth(1).and_then(|code| std::str::from_utf8(code).ok());
                reply.status = code.and_then(|code| code.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
            } else if line.is_empty() {
                break;
            } else if let Some((name, value)) = header(line) {
                match name.to_ascii_lowercase().as_str() {
                    "content-length" => length = value.parse().ok(),
                    "connection" => reply.keeps_open = !value.eq_ignore_ascii_case("close"),
                    _ => {}
                }
            }
        }
        // Without a length the reply would be a stream of events, which no server here has a reason for.
        let length: usize = length.ok_or(io::ErrorKind::InvalidData)?;
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body).await?;
        Ok(reply)
    }
}

/// What a reply's head says.
struct Reply {
    status: u16,
    keeps_open: bool,
}

fn header(line: &[u8]) -> Option<(&str, &str)> {
    let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
    Some((name, value.trim()))
}
