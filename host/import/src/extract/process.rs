//! The host's side of one `stepwell text-host`: it keeps the time, and leaves nobody behind.

use super::{Format, NoText};
use crate::limits::{TEXT_DEADLINE, TEXT_MAX};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A running process. Dropping it ends it, and all that it started.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // The number stands for the group until the process is waited for, and for nobody else's.
        if let Some(group) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

/// Hands a file over and waits for its text.
pub(super) fn ask(program: &Path, format: Format, file: &[u8]) -> Result<String, NoText> {
    let until = Instant::now() + TEXT_DEADLINE;
    let (mut line, far_end) = UnixStream::pair().map_err(|_| NoText::NotStarted)?;
    let child = Command::new(program)
        .args(["text-host", format.as_str()])
        .env_clear()
        .envs(stepwell_room::ENVIRONMENT)
        .current_dir("/")
        .process_group(0)
        .stdin(OwnedFd::from(far_end))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut process = Process(child.map_err(|_| NoText::NotStarted)?);
    let text = exchange(&mut line, file, until).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => NoText::Late,
        _ => NoText::Broken,
    })?;
    // It hung up. Only if it says that all went well is the text whole.
    let ended = wait(&mut process.0, until).ok_or(NoText::Late)?;
    match String::from_utf8(text) {
        Ok(_) if ended.code() == Some(NoText::Locked.code().into()) => Err(NoText::Locked),
        Ok(_) if !ended.success() => Err(NoText::Broken),
        Ok(text) if text.trim().is_empty() || text.len() > TEXT_MAX => Err(NoText::Empty),
        Ok(text) => Ok(text),
        Err(_) => Err(NoText::Broken),
    }
}

fn exchange(line: &mut UnixStream, file: &[u8], until: Instant) -> io::Result<Vec<u8>> {
    let mut rest = file;
    while !rest.is_empty() {
        line.set_write_timeout(Some(left(until)?))?;
        match line.write(rest) {
            Ok(sent) => rest = &rest[sent..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    line.shutdown(Shutdown::Write)?;
    let mut text = Vec::new();
    let mut piece = [0; 16 * 1024];
    // One byte more than it may have shows that it has too much.
    while text.len() <= TEXT_MAX {
        line.set_read_timeout(Some(left(until)?))?;
        match line.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => text.extend_from_slice(&piece[..read]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(text)
}

/// How it ended; none if it does not end.
fn wait(child: &mut Child, until: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
            _ => return None,
        }
    }
}

fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}
