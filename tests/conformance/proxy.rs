//! Puts the bearer token before every request of a client that cannot send one, and passes on everything else as it is.

use std::io::{self, BufReader, Read as _, Write as _};
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
    let upstream = TcpStream::connect(server)?;
    client.set_nodelay(true)?;
    upstream.set_nodelay(true)?;
    let (mut answers, mut back) = (upstream.try_clone()?, client.try_clone()?);
    thread::spawn(move || {
        let _ = io::copy(&mut answers, &mut back);
        let _ = back.shutdown(Shutdown::Both);
    });
    let (mut requests, mut upstream) = (BufReader::new(client), upstream);
    while let Some((head, length)) = read_head(&mut requests, header)? {
        upstream.write_all(&head)?;
        io::copy(&mut (&mut requests).take(length), &mut upstream)?;
    }
    // The client is gone, which the server takes for a cancelled request.
    upstream.shutdown(Shutdown::Both)
}

/// Reads a request's head and puts the header after its first line. Gives the length of the body too; the suite sends no
/// other kind of body.
fn read_head(client: &mut impl io::BufRead, header: &str) -> io::Result<Option<(Vec<u8>, u64)>> {
    let (mut head, mut length) = (Vec::new(), 0);
    loop {
        let start = head.len();
        if client.read_until(b'\n', &mut head)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&head[start..]).to_ascii_lowercase();
        if start == 0 {
            head.extend_from_slice(header.as_bytes());
        } else if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(io::Error::other)?;
        } else if line.starts_with("transfer-encoding:") {
            return Err(io::Error::other("a body of unknown length"));
        } else if line.trim_end().is_empty() {
            return Ok(Some((head, length)));
        }
    }
}

#[test]
fn the_token_is_the_only_difference() {
    let request =
        b"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}GET / HTTP/1.1\r\n\r\n";
    let mut client = &request[..];
    let (head, length) = read_head(&mut client, "authorization: Bearer t\r\n").unwrap().unwrap();
    let expected =
        "POST /mcp HTTP/1.1\r\nauthorization: Bearer t\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n";
    assert_eq!((String::from_utf8(head).unwrap().as_str(), length), (expected, 2));
    client = &client[2..];
    assert!(read_head(&mut client, "").unwrap().unwrap().0.starts_with(b"GET / "));
    assert!(read_head(&mut client, "").unwrap().is_none());
}
