//! The clock and the disk.

use super::finding::Finding;
use crate::settings::compiled;
use crate::store_args::StoreArguments;
use std::path::{Path, PathBuf};
use stepwell_source::SourceUrl;
use stepwell_source::time::{self, Millis};

/// Nothing that this program made is older.
const FIRST: &str = "2026-01-01";
/// Below this a store may fail to grow, and with it the ledger.
const LITTLE: u64 = 200 * 1024 * 1024;
/// Below this it fails soon.
const TOO_LITTLE: u64 = 10 * 1024 * 1024;

pub(super) fn look(store: &StoreArguments) -> Vec<Finding> {
    let mut findings = vec![clock(time::now())];
    let mut folders = Vec::new();
    if let Ok(SourceUrl::Sqlite(path)) = store.url() {
        folders.extend(path.parent().map(Path::to_owned));
    }
    folders.extend(compiled().cache);
    findings.extend(folders.into_iter().filter_map(existing).filter_map(|folder| disk(&folder)));
    findings
}

/// Grants end by this clock, so one that is wrong ends them too early or too late.
fn clock(now: Millis) -> Finding {
    let said = time::print(now);
    if time::parse(FIRST).is_some_and(|first| now < first) {
        let fix = "set it, or let it be set: timedatectl set-ntp true";
        return Finding::broken("clock", format!("it says {said}, which is long ago"), fix);
    }
    Finding::good("clock", format!("it says {said}"))
}

/// The folder itself, or the one that it will be made in.
fn existing(folder: PathBuf) -> Option<PathBuf> {
    folder.ancestors().find(|folder| folder.is_dir()).map(Path::to_owned)
}

#[cfg(unix)]
fn disk(folder: &Path) -> Option<Finding> {
    let data = rustix::fs::statvfs(folder).ok()?;
    Some(room(folder, data.f_bavail.saturating_mul(data.f_frsize)))
}

#[cfg(not(unix))]
fn disk(_: &Path) -> Option<Finding> {
    None
}

fn room(folder: &Path, free: u64) -> Finding {
    let message = format!("{} has {} MB left", folder.display(), free / (1024 * 1024));
    let fix =
        "make room; `stepwell store stats` says where it goes, and `stepwell store vacuum` gives some back";
    match free {
        _ if free < TOO_LITTLE => Finding::broken("disk", message, fix),
        _ if free < LITTLE => Finding::warning("disk", message, fix),
        _ => Finding::good("disk", message),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::State;
    use super::*;

    #[test]
    fn a_clock_that_was_never_set_and_a_full_disk_are_told() {
        assert_eq!(clock(0).state, State::Broken);
        assert_eq!(clock(time::parse("2026-11-18").unwrap()).state, State::Good);
        let state = |free| room(Path::new("/"), free).state;
        assert_eq!([0, LITTLE - 1, LITTLE].map(state), [State::Broken, State::Warning, State::Good]);
        assert_eq!(existing("/no/such/folder".into()), Some("/".into()));
    }
}
