//! How much memory a process holds, as the kernel counts it.

/// The resident memory of a process in KiB; `None` where there is no `/proc`, or no such process.
#[must_use]
pub fn rss_kb(pid: u32) -> Option<u64> {
    status_line(pid, "VmRSS:")
}

/// The most resident memory that a process ever held, in KiB; `None` where there is no `/proc`, or no such process.
#[must_use]
pub fn peak_rss_kb(pid: u32) -> Option<u64> {
    status_line(pid, "VmHWM:")
}

fn status_line(pid: u32, label: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let rest = status.lines().find_map(|line| line.strip_prefix(label))?;
    rest.split_whitespace().next()?.parse().ok()
}
