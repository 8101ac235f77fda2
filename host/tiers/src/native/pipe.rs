//! The library's side of the line to the host: plain blocking reads and writes, because the host keeps the time.

use super::frame::{self, HEADER, Kind};
use rustix::process::{Signal, kill_current_process_group};
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};

/// The line to the host.
pub(super) struct Pipe {
    to_host: UnixStream,
    from_host: Mutex<Receiver<(Kind, Vec<u8>)>>,
}

impl Pipe {
    /// Starts to listen. When the host hangs up, however it ended, this process ends with all that it started: a library
    /// that is busy would not notice by itself.
    pub(super) fn open(line: UnixStream) -> io::Result<Self> {
        let mut incoming = line.try_clone()?;
        let (sender, from_host) = channel();
        let (started, is_started) = channel();
        std::thread::Builder::new().name("from-host".to_owned()).spawn(move || {
            // The first allocation of a thread maps a heap for it.
            let _ = started.send(vec![0_u8]);
            while let Ok(frame) = read(&mut incoming) {
                if sender.send(frame).is_err() {
                    break;
                }
            }
            let _ = kill_current_process_group(Signal::KILL);
        })?;
        // That heap is no part of what the library may have, so it is there before anything is measured and limited.
        is_started.recv().map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(Self { to_host: line, from_host: Mutex::new(from_host) })
    }

    pub(super) fn send(&self, kind: Kind, payload: &[u8]) -> io::Result<()> {
        let frame = frame::encode(kind, payload).ok_or(io::ErrorKind::InvalidInput)?;
        (&self.to_host).write_all(&frame)
    }

    /// Waits for a frame.
    pub(super) fn receive(&self) -> io::Result<(Kind, Vec<u8>)> {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.from_host.lock().map_err(|_| gone())?.recv().map_err(|_| gone())
    }
}

/// Reads one frame. The host is trusted, so its length is.
fn read(line: &mut UnixStream) -> io::Result<(Kind, Vec<u8>)> {
    let mut header = [0; HEADER];
    line.read_exact(&mut header)?;
    let (kind, length) = frame::decode(header).ok_or(io::ErrorKind::InvalidData)?;
    let mut payload = vec![0; length];
    line.read_exact(&mut payload)?;
    Ok((kind, payload))
}
