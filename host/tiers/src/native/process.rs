//! The host's side of one `stepwell tier-host`: it keeps the time, trusts nothing that arrives, and leaves nobody behind.

use super::child::Order;
use super::frame::{self, HEADER, Kind};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Why nothing came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gone {
    /// The time is over.
    Late,
    /// The process is gone, or hung up.
    Closed,
    /// What arrived is no frame.
    Malformed,
    /// A frame is larger than allowed.
    TooLarge,
}

impl From<io::Error> for Gone {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Self::Late,
            _ => Self::Closed,
        }
    }
}

/// A running `stepwell tier-host`. Dropping it ends it, and all that it started in its process group.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    line: UnixStream,
    has_ended: bool,
}

impl Process {
    /// Starts one, with nothing of this process but a line to it.
    pub(super) fn start(program: &Path, order: &Order) -> io::Result<Self> {
        let (line, far_end) = UnixStream::pair()?;
        let child = Command::new(program)
            .arg("tier-host")
            .args(order.to_arguments())
            .env_clear()
            .envs(stepwell_room::ENVIRONMENT)
            .current_dir("/")
            .process_group(0)
            .stdin(OwnedFd::from(far_end))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { child, line, has_ended: false })
    }

    pub(super) fn send(&mut self, kind: Kind, payload: &[u8], until: Instant) -> Result<(), Gone> {
        let frame = frame::encode(kind, payload).ok_or(Gone::TooLarge)?;
        let mut rest = frame.as_slice();
        while !rest.is_empty() {
            // A library that does not listen must not hold the host for longer than its deadline.
            self.line.set_write_timeout(Some(left(until)?))?;
            match self.line.write(rest) {
                Ok(0) => return Err(Gone::Closed),
                Ok(sent) => rest = &rest[sent..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Waits for a frame of at most `cap` bytes.
    pub(super) fn receive(&mut self, cap: usize, until: Instant) -> Result<(Kind, Vec<u8>), Gone> {
        let mut header = [0; HEADER];
        self.fill(&mut header, until)?;
        let (kind, length) = frame::decode(header).ok_or(Gone::Malformed)?;
        if length > cap {
            return Err(Gone::TooLarge);
        }
        let mut payload = vec![0; length];
        self.fill(&mut payload, until)?;
        Ok((kind, payload))
    }

    fn fill(&mut self, mut room: &mut [u8], until: Instant) -> Result<(), Gone> {
        while !room.is_empty() {
            self.line.set_read_timeout(Some(left(until)?))?;
            match self.line.read(room) {
                Ok(0) => return Err(Gone::Closed),
                Ok(read) => room = &mut room[read..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Ends it, and says by which signal it had ended before, if it had.
    pub(super) fn end(mut self) -> Option<i32> {
        self.kill().filter(|signal| *signal != Signal::KILL.as_raw())
    }

    fn kill(&mut self) -> Option<i32> {
        self.has_ended = true;
        // The number stands for the group until the process is waited for, and for nobody else's.
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        self.child.wait().ok().and_then(|status| status.signal())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.has_ended {
            let _ = self.kill();
        }
    }
}

/// What is left of the time.
fn left(until: Instant) -> Result<Duration, Gone> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(Gone::Late) } else { Ok(left) }
}
