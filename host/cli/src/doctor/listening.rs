//! The address that the server listens on.

use super::finding::Finding;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use stepwell_server::http::PATH;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

const AREA: &str = "address";

/// How long whoever is there may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// How much of an answer is read: a refusal is short.
const LONGEST: u64 = 16 * 1024;
/// How a server that expects TLS answers plain words.
const TLS_ALERT: &[u8] = &[0x15, 0x03];

pub(super) async fn look(address: Option<SocketAddr>) -> Vec<Finding> {
    let Some(address) = address else {
        return vec![Finding::good(AREA, "none is configured: clients start the server themselves")];
    };
    vec![match TcpListener::bind(address).await {
        Ok(_) => Finding::good(AREA, format!("{address} is free; no server runs there")),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => taken(address).await,
        Err(error) => Finding::broken(
            AREA,
            format!("the server cannot listen on {address}: {error}"),
            "choose an address of this machine for [server] http, and a port above 1023",
        ),
    }]
}

/// Asks whoever is there, as a client without a token would.
async fn taken(address: SocketAddr) -> Finding {
    let fix = "end the other program, or choose another port for [server] http";
    match timeout(PATIENCE, ask(address)).await {
        Ok(Ok(answer)) if String::from_utf8_lossy(&answer).contains("\"invalid_token\"") => {
            Finding::good(AREA, format!("a Stepwell answers on {address}"))
        }
        Ok(Ok(answer)) if answer.starts_with(TLS_ALERT) => Finding::warning(
            AREA,
            format!("a program that speaks TLS has {address}"),
            "if [server] names a tls_certificate, it is this server; else end that program",
        ),
        Ok(Ok(_)) => Finding::broken(AREA, format!("another program answers on {address}"), fix),
        Ok(Err(error)) => {
            Finding::broken(AREA, format!("another program has {address}, and answers no HTTP: {error}"), fix)
        }
        Err(_) => Finding::broken(AREA, format!("a program has {address} and does not answer"), fix),
    }
}

async fn ask(address: SocketAddr) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address).await?;
    let request =
        format!("POST {PATH} HTTP/1.1\r\nhost: {address}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    let read = stream.take(LONGEST).read_to_end(&mut answer).await;
    // One that hangs up after it answered has answered.
    if answer.is_empty() { read.map(|_| answer) } else { Ok(answer) }
}
