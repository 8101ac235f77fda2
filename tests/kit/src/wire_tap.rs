//! A proxy on loopback that remembers every byte of both directions.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Puts a tap before the server that listens on this port of 127.0.0.1.
///
/// # Panics
/// When loopback has no free port.
#[must_use]
pub fn wire_tap(upstream_port: u16) -> WireTap {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    let port = listener.local_addr().expect("a bound socket has an address").port();
    let shared = Arc::new(Shared::default());
    let accepting = Arc::clone(&shared);
    thread::spawn(move || accept(&listener, upstream_port, &accepting));
    WireTap { port, shared }
}

/// Records what a server and its clients say to each other.
///
/// A byte is recorded before it is passed on. So whatever a client has received is in the record, and no test has to
/// wait for it. Dropping the tap closes its connections.
#[derive(Debug)]
pub struct WireTap {
    port: u16,
    shared: Arc<Shared>,
}

impl WireTap {
    /// The same database, reached through the tap.
    ///
    /// # Panics
    /// When the text is not of the form `scheme://user@host:port/…`.
    #[must_use]
    pub fn url(&self, original_url: &str) -> String {
        let (scheme, rest) = original_url.split_once("://").expect("a URL has a scheme");
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let user = authority.rsplit_once('@').map(|(user, _)| format!("{user}@")).unwrap_or_default();
        format!("{scheme}://{user}127.0.0.1:{}{path}", self.port)
    }

    /// The port that the tap listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// How many bytes the server has sent since the last [`reset`](Self::reset), over all connections.
    #[must_use]
    pub fn bytes_from_server(&self) -> u64 {
        self.shared.lock().iter().map(|talk| talk.from_server.len() as u64).sum()
    }

    /// How many bytes the clients have sent since the last [`reset`](Self::reset), over all connections.
    #[must_use]
    pub fn bytes_from_client(&self) -> u64 {
        self.shared.lock().iter().map(|talk| talk.from_client.len() as u64).sum()
    }

    /// Says whether the server has sent these bytes in a row to any client.
    #[must_use]
    pub fn server_bytes_contain(&self, needle: &[u8]) -> bool {
        self.shared.lock().iter().any(|talk| contains(&talk.from_server, needle))
    }

    /// Says whether any client has sent these bytes in a row to the server.
    #[must_use]
    pub fn client_bytes_contain(&self, needle: &[u8]) -> bool {
        self.shared.lock().iter().any(|talk| contains(&talk.from_client, needle))
    }

    /// Forgets what was recorded; open connections stay open.
    pub fn reset(&self) {
        for talk in self.shared.lock().iter_mut() {
            talk.from_server = Vec::new();
            talk.from_client = Vec::new();
        }
    }
}

impl Drop for WireTap {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        for talk in self.shared.lock().iter() {
            // The other side may have closed it long ago.
            let _ = talk.client.shutdown(Shutdown::Both);
            let _ = talk.server.shutdown(Shutdown::Both);
        }
        // Wakes the thread that accepts, so that it sees the flag and frees the port.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

#[derive(Debug, Default)]
struct Shared {
    talks: Mutex<Vec<Talk>>,
    closing: AtomicBool,
}

impl Shared {
    /// A failed assertion in one test must not hide the record from its clean-up.
    fn lock(&self) -> MutexGuard<'_, Vec<Talk>> {
        self.talks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection. The directions of different connections are kept apart: a needle must be found even when two
/// servers answer at once.
#[derive(Debug)]
struct Talk {
    client: TcpStream,
    server: TcpStream,
    from_server: Vec<u8>,
    from_client: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Direction {
    FromServer,
    FromClient,
}

fn accept(listener: &TcpListener, upstream_port: u16, shared: &Arc<Shared>) {
    for client in listener.incoming() {
        if shared.closing.load(Ordering::SeqCst) {
            return;
        }
        // A client that is gone, or a server that is down, shows as a closed connection, as it would without the tap.
        let Ok(client) = client else { continue };
        let _ = connect(client, upstream_port, shared);
    }
}

fn connect(client: TcpStream, upstream_port: u16, shared: &Arc<Shared>) -> io::Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, upstream_port))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (client_in, client_out) = (client.try_clone()?, client.try_clone()?);
    let (server_in, server_out) = (server.try_clone()?, server.try_clone()?);
    let index = {
        let mut talks = shared.lock();
        talks.push(Talk { client, server, from_server: Vec::new(), from_client: Vec::new() });
        talks.len() - 1
    };
    let there = Arc::clone(shared);
    thread::spawn(move || pump(client_in, server_out, &there, index, Direction::FromClient));
    let back = Arc::clone(shared);
    thread::spawn(move || pump(server_in, client_out, &back, index, Direction::FromServer));
    Ok(())
}

fn pump(mut from: TcpStream, mut to: TcpStream, shared: &Shared, index: usize, direction: Direction) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = match from.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => break,
            Ok(read) => read,
        };
        if let Some(talk) = shared.lock().get_mut(index) {
            match direction {
                Direction::FromServer => talk.from_server.extend_from_slice(&buffer[..read]),
                Direction::FromClient => talk.from_client.extend_from_slice(&buffer[..read]),
            }
        }
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    // The reader may still have an answer to send, so only this direction ends.
    let _ = to.shutdown(Shutdown::Write);
    let _ = from.shutdown(Shutdown::Read);
}

fn contains(hay: &[u8], needle: &[u8]) -> bool {
    let Some((first, rest)) = needle.split_first() else { return true };
    let mut from = 0;
    while let Some(at) = hay[from..].iter().position(|byte| byte == first) {
        from += at + 1;
        if hay[from..].starts_with(rest) {
            return true;
        }
    }
    false
}
