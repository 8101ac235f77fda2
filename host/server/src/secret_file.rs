//! Files with secrets in them.

use std::path::Path;

/// Reads one that only its owner can read. The reason of a failure does not repeat what the file says.
pub fn read(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    if is_open_to_others(path) {
        return Err("others can read it; allow only its owner to".to_owned());
    }
    Ok(text)
}

#[cfg(unix)]
fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> bool {
    false
}
