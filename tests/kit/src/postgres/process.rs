//! Processes and files of a server: its signals, its family, its word that it is ready.

use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Sends a signal to a child that has not been waited for.
pub(super) fn signal(child: &Child, signal: Signal) {
    // It may have ended already, and then there is nobody to tell.
    let _ = kill_process(Pid::from_child(child), signal);
}

/// Kills a server and all processes that it started, and returns when they are gone.
pub(super) fn kill_family(server: &mut Child) -> Result<(), String> {
    // Stopped first, so that the list of its children is complete.
    signal(server, Signal::STOP);
    let family = children(server.id());
    signal(server, Signal::KILL);
    for &child in &family {
        let _ = kill_process(child, Signal::KILL);
    }
    server.wait().map_err(|error| error.to_string())?;
    let until = Instant::now() + Duration::from_secs(10);
    while family.iter().any(|&child| lives(child)) {
        if Instant::now() > until {
            return Err("a process of the Postgres server survives SIGKILL".to_owned());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

/// Says whether the server with this id wrote that it takes connections.
pub(super) fn is_ready(pid_file: &Path, pid: u32) -> bool {
    let Ok(text) = std::fs::read_to_string(pid_file) else { return false };
    let mut lines = text.lines();
    // The first line is the process id, the eighth the state.
    lines.next() == Some(&pid.to_string()) && lines.nth(6).is_some_and(|state| state.trim() == "ready")
}

fn children(parent: u32) -> Vec<Pid> {
    let listed = if cfg!(target_os = "linux") { from_proc() } else { from_ps() };
    let mine = listed.into_iter().filter(|&(_, of)| of == parent);
    mine.filter_map(|(pid, _)| Pid::from_raw(pid.try_into().ok()?)).collect()
}

/// Pairs of a process and its parent. Slim images have no `ps`, so Linux reads `/proc`.
fn from_proc() -> Vec<(u32, u32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| Some((pid, stat(pid)?.1))).collect()
}

fn from_ps() -> Vec<(u32, u32)> {
    let Ok(output) = Command::new("ps").args(["-A", "-o", "pid=,ppid="]).output() else { return Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout);
    let pairs = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace().map(str::parse);
        Some((words.next()?.ok()?, words.next()?.ok()?))
    });
    pairs.collect()
}

/// A process that nobody has waited for is dead all the same.
fn lives(pid: Pid) -> bool {
    if cfg!(target_os = "linux") {
        return u32::try_from(pid.as_raw_nonzero().get())
            .ok()
            .and_then(stat)
            .is_some_and(|(state, _)| state != 'Z');
    }
    rustix::process::test_kill_process(pid).is_ok()
}

/// State and parent of a process on Linux. The command before them may hold spaces and brackets.
fn stat(pid: u32) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut words = stat.rsplit_once(')')?.1.split_whitespace();
    Some((words.next()?.chars().next()?, words.next()?.parse().ok()?))
}
