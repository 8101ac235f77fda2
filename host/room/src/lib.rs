//! The room that a process lives in which nobody trusts: nothing inherited, and little allowed. Native tiers run in one, and so
//! does what takes the text out of files that came with mail.
#![cfg(unix)]
#![allow(unsafe_code)]

use rustix::io::{close, fcntl_getfd};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;

/// Descriptors that such a process may have open at once.
const OPEN_FILES: u64 = 64;

/// What such a process is started with, and nothing else; [`clear`] takes it away. The limit of memory counts addresses, and the
/// program's allocator, which looks here before `main`, would take a gigabyte of them before it needs any.
pub const ENVIRONMENT: [(&str, &str); 1] = [("MIMALLOC_ARENA_RESERVE", "0")];

/// How much such a process may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// Memory beyond what the process has at its start, in MB.
    pub memory_mb: u64,
    /// Processor time in seconds: the host's deadline ends it long before, unless the host cannot.
    pub cpu_s: u64,
}

/// Clears the room. The line to the host came as standard input and moves to a place that no code there looks at; nothing
/// else stays open. Standard output and error lead nowhere from the start.
pub fn clear() -> io::Result<UnixStream> {
    close_inherited();
    for (name, _) in ENVIRONMENT {
        // SAFETY: this is the first thing that the process does, so it has one thread.
        unsafe { std::env::remove_var(name) };
    }
    let stdin = io::stdin();
    let line = UnixStream::from(stdin.as_fd().try_clone_to_owned()?);
    // SAFETY: nobody reads standard input in this process, and the next line fills its place.
    unsafe { close(stdin.as_raw_fd()) };
    // The lowest free number is taken, which is the one that was closed. It stays open for good.
    std::mem::forget(File::open("/dev/null")?);
    Ok(line)
}

/// Closes what the host's own parent may have left open in it, and so in this process.
fn close_inherited() {
    let open = std::fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let numbers = open.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    for number in numbers.filter(|number| *number > 2).collect::<Vec<_>>() {
        // SAFETY: this is the first thing that the process does, so nothing in it owns a descriptor but the standard
        // ones. Only one that is still open is closed: that which listed the folder is not.
        unsafe {
            if fcntl_getfd(BorrowedFd::borrow_raw(number)).is_ok() {
                close(number);
            }
        }
    }
}

/// Limits this process for good.
pub fn limit(allowed: Allowed) -> io::Result<()> {
    let most = |n: u64| Rlimit { current: Some(n), maximum: Some(n) };
    setrlimit(Resource::Core, most(0))?;
    setrlimit(Resource::Nofile, most(OPEN_FILES))?;
    setrlimit(Resource::Fsize, most(0))?;
    setrlimit(Resource::Cpu, most(allowed.cpu_s))?;
    if let Some(now) = address_space() {
        setrlimit(Resource::As, most(now.saturating_add(allowed.memory_mb.saturating_mul(1 << 20))))?;
    }
    Ok(())
}

/// The addresses that this process uses now, in bytes, where the kernel says so. Elsewhere they are not limited: macOS
/// takes such a limit and ignores it.
fn address_space() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').next()?.parse().ok()?;
    Some(pages.saturating_mul(rustix::param::page_size() as u64))
}
