//! Puts the bearer token before every request of a client that cannot send one, and passes on everything else as it is.

use std::io::{self, BufReader, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// A proxy on the loopback. Its threads end with the test's process.
pub(super) struct Proxy {
    pub(super) address: SocketAddr,
}

impl Proxy {
    pub(super) fn before(server: &str, token: &str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (server, header) = (server.to_owned(), Arc::new(format!("authorization: Bearer {token}\r\n")));
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (server, header) = (server.clone(), header.clone());
                // A client that leaves early is no fault of the proxy.
                thread::spawn(move || drop(pass(client, &server, &header)));
            }
        });
        Self { address }
    }
}

fn pass(client: TcpStream, server: &str, header: &str) -> io::Result<()> {
    let mut upstream = TcpStream::connect(server)?;
    client.set_nodelay(true)?;
    upstream.set_nodelay(true)?;
    let (mut answers, mut back) = (upstream.try_clone()?, client.try_clone()?);
    thread::spawn(move || {
        let _ = io::copy(&mut answers, &mut back);
        let _ = back.shutdown(Shutdown::Both);
    });
    let mut request = BufReader::new(client);
    upstream.write_all(&read_head(&mut request, header)?)?;
    io::copy(&mut request, &mut upstream)?;
    // The client is gone, which the server takes for a cancelled request.
    upstream.shutdown(Shutdown::Both)
}

/// Reads a request's head and puts the header after its first line. A connection carries one request: a server that refuses
/// one may close it right after, and a client that was about to send the next would call that a failure.
fn read_head(client: &mut impl io::BufRead, header: &str) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    loop {
        let mut line = Vec::new();
        if client.read_until(b'\n', &mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let is_first = head.is_empty();
        if !line.to_ascii_lowercase().starts_with(b"connection:") {
            head.extend_from_slice(&line);
        }
        if is_first {
            head.extend_from_slice(header.as_bytes());
            head.extend_from_slice(b"connection: close\r\n");
        }
        if line == b"\r\n" {
            return Ok(head);
        }
    }
}

#[test]
fn the_token_is_the_only_difference_that_a_server_can_see() {
    let mut client =
        &b"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}"
            [..];
    let head = read_head(&mut client, "authorization: Bearer t\r\n").unwrap();
    let expected = "POST /mcp HTTP/1.1\r\nauthorization: Bearer t\r\nconnection: close\r\nHost: evil.example\r\n\
                    Content-Length: 2\r\n\r\n";
    assert_eq!(String::from_utf8(head).unwrap(), expected);
    assert_eq!(client, b"{}");
    assert!(read_head(&mut &b"GET / HTTP/1.1\r\n"[..], "").is_err());
}
