//! The kit for authors: from a new project to a preview that a server shows.

mod checking;
mod docs;
mod editing;
mod locking;
mod projects;
mod setup;

pub(crate) use setup::installed;

use crate::mcp::world::bare;
use crate::program::Ran;
use std::path::Path;

/// Runs `stepwell plugin` in a folder.
fn plugin(folder: &Path, arguments: &[&str]) -> Ran {
    Ran::of(bare(folder, &[&["plugin"], arguments].concat()).current_dir(folder))
}

/// Copies a fixture into a folder.
fn copy(fixture: &Path, folder: &Path, name: &str) {
    std::fs::copy(fixture, folder.join(name)).unwrap();
}
