//! The guard that outlives the test process by a moment, to stop the server and remove its directory.

use super::account::Account;
use rustix::process::Pid;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running guard. Dropping it makes it finish, and waits for that.
#[derive(Debug)]
pub(super) struct Guard(Child);

impl Guard {
    pub(super) fn start(account: Account, dir: &Path, limit: Duration) -> Result<Self, String> {
        // Standard library pipes are close-on-exec, so no other child of this process can hold the pipe open. Its
        // output goes nowhere: a guard that held the terminal would keep `cargo test | less` waiting.
        account
            .command("sh")
            .args(["-c", include_str!("guard.sh"), "guard"])
            .arg(dir)
            .arg(limit.as_secs().to_string())
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map(Self)
            .map_err(|error| format!("the guard of the Postgres server does not start: {error}"))
    }

    /// Lets a command run in the guard's process group, where the guard reaches it.
    pub(super) fn adopt<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        command.process_group(Pid::from_child(&self.0).as_raw_nonzero().get())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // It ends by killing its own group; there is no status to look at.
        let _ = self.0.wait();
    }
}
