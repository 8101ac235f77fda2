//! Files of which half would be worse than none.

use crate::config_args::folder;
use anyhow::Context as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Who may read a file that was not there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fresh {
    /// Everyone, as any other file.
    Shared,
    /// Its owner, because it may come to hold a secret.
    Private,
}

/// Writes a file that is there whole or not at all, where a link leads and with the permissions that it had.
pub(crate) fn replace(path: &Path, text: &str, fresh: Fresh) -> anyhow::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = folder(&path);
    let written = || -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let mut draft = tempfile::Builder::new().prefix(".stepwell-").tempfile_in(folder)?;
        draft.write_all(text.as_bytes())?;
        match std::fs::metadata(&path) {
            Ok(data) => draft.as_file().set_permissions(data.permissions())?,
            Err(_) if fresh == Fresh::Shared => readable(draft.as_file())?,
            // A draft is its owner's alone.
            Err(_) => {}
        }
        draft.as_file().sync_all()?;
        draft.persist(&path)?;
        Ok(())
    };
    written().with_context(|| format!("cannot write {}", path.display()))
}

/// Keeps what a file says under a name beside it that is not taken yet, with the same permissions.
pub(crate) fn keep_copy(path: &Path, text: &str) -> anyhow::Result<PathBuf> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut number = 1_u32;
    loop {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".bak{number}"));
        let copy = path.with_file_name(name);
        let kept = private(&copy).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.set_permissions(std::fs::metadata(&path)?.permissions())
        });
        match kept {
            Ok(()) => return Ok(copy),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => {
                return Err(error).with_context(|| format!("cannot write the copy {}", copy.display()));
            }
        }
    }
}

/// Whether anyone but the owner can read a file; on systems that do not tell, no.
#[cfg(unix)]
pub(crate) fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_open_to_others(_: &Path) -> bool {
    false
}

#[cfg(unix)]
fn private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(unix)]
fn readable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &File) -> io::Result<()> {
    Ok(())
}
