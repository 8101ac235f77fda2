//! A proxy on loopback that breaks connections: after so many bytes, or by saying nothing more.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How often a pump that is held looks whether it may go on.
const LOOK: Duration = Duration::from_millis(10);

/// Puts a proxy before the server that listens on this port of 127.0.0.1. At first it passes everything on.
///
/// # Panics
/// When loopback has no free port.
#[must_use]
pub fn wire_cut(upstream_port: u16) -> WireCut {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    let port = listener.local_addr().expect("a bound socket has an address").port();
    let shared = Arc::new(Shared::default());
    shared.left.store(i64::MAX, Ordering::SeqCst);
    let accepting = Arc::clone(&shared);
    thread::spawn(move || accept(&listener, upstream_port, &accepting));
    WireCut { port, shared }
}

/// Breaks the connections between a server and its clients. Dropping it closes them.
#[derive(Debug)]
pub struct WireCut {
    port: u16,
    shared: Arc<Shared>,
}

impl WireCut {
    /// The same database, reached through the proxy.
    ///
    /// # Panics
    /// When the text has no authority with a port.
    #[must_use]
    pub fn url(&self, original_url: &str) -> String {
        let (head, rest) = original_url.rsplit_once(':').expect("a URL has a port");
        let path = rest.find('/').map(|at| &rest[at..]).unwrap_or_default();
        format!("{head}:{}{path}", self.port)
    }

    /// Passes on so many more bytes of the server, over all connections, and then breaks every connection that the server
    /// says more over.
    pub fn cut_after(&self, bytes: u64) {
        self.shared.left.store(i64::try_from(bytes).unwrap_or(i64::MAX), Ordering::SeqCst);
    }

    /// Passes everything on from now on. Connections that were broken stay so.
    pub fn heal(&self) {
        self.shared.left.store(i64::MAX, Ordering::SeqCst);
        self.shared.silent.store(false, Ordering::SeqCst);
    }

    /// Passes nothing on and breaks nothing, as a network does that lost its way.
    pub fn fall_silent(&self) {
        self.shared.silent.store(true, Ordering::SeqCst);
    }

    /// How many bytes of the server have been passed on since [`cut_after`](Self::cut_after) was called with this number.
    #[must_use]
    pub fn passed_of(&self, bytes: u64) -> u64 {
        let left = self.shared.left.load(Ordering::SeqCst).max(0);
        bytes.saturating_sub(left.unsigned_abs())
    }
}

impl Drop for WireCut {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        for stream in self.shared.streams().iter() {
            // The other side may have closed it long ago.
            let _ = stream.shutdown(Shutdown::Both);
        }
        // Wakes the thread that accepts, so that it sees the flag and frees the port.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

#[derive(Debug, Default)]
struct Shared {
    /// How many bytes of the server are still passed on.
    left: AtomicI64,
    silent: AtomicBool,
    closing: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

impl Shared {
    fn streams(&self) -> MutexGuard<'_, Vec<TcpStream>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }
}

fn accept(listener: &TcpListener, upstream_port: u16, shared: &Arc<Shared>) {
    for client in listener.incoming() {
        if shared.is_closing() {
            return;
        }
        let Ok(client) = client else { continue };
        let _ = connect(client, upstream_port, shared);
    }
}

fn connect(client: TcpStream, upstream_port: u16, shared: &Arc<Shared>) -> io::Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, upstream_port))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let there = (client.try_clone()?, server.try_clone()?, Arc::clone(shared));
    let back = (server.try_clone()?, client.try_clone()?, Arc::clone(shared));
    shared.streams().extend([client, server]);
    thread::spawn(move || pump(there.0, there.1, &there.2, false));
    thread::spawn(move || pump(back.0, back.1, &back.2, true));
    Ok(())
}

fn pump(mut from: TcpStream, mut to: TcpStream, shared: &Shared, from_server: bool) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = match from.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => break,
            Ok(read) => read,
        };
        while shared.silent.load(Ordering::SeqCst) && !shared.is_closing() {
            thread::sleep(LOOK);
        }
        let allowed = if from_server { take(&shared.left, read) } else { read };
        if to.write_all(&buffer[..allowed]).is_err() {
            break;
        }
        if allowed < read {
            // In the middle of what the server was saying.
            let _ = to.shutdown(Shutdown::Both);
            let _ = from.shutdown(Shutdown::Both);
            return;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
    let _ = from.shutdown(Shutdown::Read);
}

/// Takes as many of the wanted bytes as are left.
fn take(left: &AtomicI64, wanted: usize) -> usize {
    let wanted = i64::try_from(wanted).unwrap_or(i64::MAX);
    let before = left.fetch_sub(wanted, Ordering::SeqCst);
    usize::try_from(before.clamp(0, wanted)).unwrap_or_default()
}
