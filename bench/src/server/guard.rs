//! Sees to it that no server outlives this program, however it ends.

use rustix::process::{Signal, kill_current_process_group};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// No run keeps its servers for longer. A server that hangs is killed then, and whoever waits for it sees it end.
const LIMIT: Duration = Duration::from_secs(15 * 60);

/// A process that ends all servers when this one is gone: it leads the process group that they are started in, and
/// its input is a pipe that closes with this process.
#[derive(Debug)]
pub(crate) struct Guard(Child);

impl Guard {
    pub(crate) fn start() -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--end-servers").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self(command.process_group(0).spawn()?))
    }

    /// Starts a server within the guard's reach, with pipes to talk to it. What it logs is shown.
    pub(crate) fn spawn(&self, command: &mut Command) -> anyhow::Result<Running> {
        let group = i32::try_from(self.0.id())?;
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(group);
        Ok(Running(command.spawn()?))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // It ends by killing its own group; there is no status to look at.
        let _ = self.0.wait();
    }
}

/// What the other process does: it waits for its input to close, or for the limit, and ends its group, itself included.
pub(crate) fn end_servers() -> anyhow::Result<()> {
    let (sender, closed) = channel();
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        let _ = sender.send(());
    });
    let _ = closed.recv_timeout(LIMIT);
    Ok(kill_current_process_group(Signal::KILL)?)
}

/// A server that ends when this value goes.
#[derive(Debug)]
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
