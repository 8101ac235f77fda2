//! Files and folders to read from.

use crate::error::ImportError;
use crate::limits::FOLDER_DEPTH;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many bytes there are to read, if all paths are files.
pub(crate) fn size(paths: &[PathBuf]) -> Option<u64> {
    let of = |path: &PathBuf| path.metadata().ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
    paths.iter().map(of).sum()
}

/// Opens a file. A pipe is none: nobody may ever write to it, and it cannot be read twice.
pub(crate) fn open(path: &Path) -> Result<File, ImportError> {
    let data = path.metadata().map_err(ImportError::io(path))?;
    if data.is_dir() {
        return Err(ImportError::io(path)(std::io::ErrorKind::IsADirectory.into()));
    }
    if !data.is_file() {
        let why = "it is no regular file; write what it gives into one first";
        return Err(ImportError::io(path)(std::io::Error::new(std::io::ErrorKind::InvalidInput, why)));
    }
    File::open(path).map_err(ImportError::io(path))
}

/// Reads a file whole; nothing if it has more than so many bytes. What it had when it was looked at counts for nothing: it may
/// be written to meanwhile.
pub(crate) fn read(path: &Path, most: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

/// What reports call a file.
pub(crate) fn name(path: &Path) -> Arc<str> {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into()
}

/// The name without its ending.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// What a folder holds, in the order of names, so that every run sees the same. Hidden things are left away.
#[derive(Debug)]
pub(crate) struct Folder {
    waiting: Vec<(PathBuf, usize)>,
}

/// Something in a folder.
#[derive(Debug)]
pub(crate) enum Found {
    File(PathBuf),
    /// A symbolic link. What it leads to may lie anywhere, so nobody follows it.
    Link(PathBuf),
    /// A folder that cannot be listed, or that lies too deep.
    Closed(PathBuf),
}

impl Folder {
    pub(crate) fn new(root: &Path) -> Self {
        Self { waiting: vec![(root.to_owned(), 0)] }
    }
}

impl Iterator for Folder {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        while let Some((path, depth)) = self.waiting.pop() {
            let Ok(data) = path.symlink_metadata() else { return Some(Found::Closed(path)) };
            // The root may be a link: the owner named it.
            if depth > 0 && data.is_symlink() {
                return Some(Found::Link(path));
            }
            if data.is_file() {
                return Some(Found::File(path));
            }
            if !path.is_dir() {
                continue; // A socket or a device holds nobody's data.
            }
            if depth == FOLDER_DEPTH {
                return Some(Found::Closed(path));
            }
            let Ok(entries) = std::fs::read_dir(&path) else { return Some(Found::Closed(path)) };
            let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            entries.retain(|entry| !name(entry).starts_with('.'));
            entries.sort_unstable_by(|a, b| b.cmp(a));
            self.waiting.extend(entries.into_iter().map(|entry| (entry, depth + 1)));
        }
        None
    }
}
