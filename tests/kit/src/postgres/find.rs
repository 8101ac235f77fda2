//! Where the binaries of a Postgres server are.

use super::account::Account;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Names a folder with `initdb` and `postgres`; goes before every other place.
pub(super) const BIN_VARIABLE: &str = "STEPWELL_TEST_POSTGRES";

/// The oldest release that the Postgres project still mended when this was written.
const OLDEST: u32 = 14;

/// The programs of one installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Binaries {
    pub(super) bin: PathBuf,
    pub(super) major: u32,
    /// The installation lies where the server's account cannot reach it and has to be copied; its root.
    pub(super) copy: Option<PathBuf>,
}

/// Looks through all places; `Ok(None)` when none of them has a server.
pub(super) fn find(account: Account) -> Result<Option<Binaries>, String> {
    if let Some(dir) = std::env::var_os(BIN_VARIABLE).filter(|dir| !dir.is_empty()) {
        let dir = PathBuf::from(dir);
        return probe(&dir, account).map(Some).ok_or_else(|| {
            format!(
                "{BIN_VARIABLE} is {}, but initdb and postgres {OLDEST} or newer do not run from there: set it to \
                 the bin folder of a Postgres server, or unset it",
                dir.display()
            )
        });
    }
    Ok(on_path(account).or_else(|| installed(account)).or_else(|| unpacked(account)))
}

fn on_path(account: Account) -> Option<Binaries> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).find_map(|dir| probe(&dir, account))
}

/// The newest server in the places where package managers put one. Debian keeps it off the PATH.
pub(super) fn installed(account: Account) -> Option<Binaries> {
    const PLACES: &[&str] = &[
        "/usr/lib/postgresql/*/bin",                          // Debian, Ubuntu
        "/usr/lib/postgresql*/bin",                           // openSUSE
        "/usr/libexec/postgresql*",                           // Alpine
        "/usr/pgsql-*/bin",                                   // the project's own RPMs
        "/usr/bin",                                           // Fedora, Arch
        "/usr/local/pgsql/bin",                               // built from source
        "/usr/local/bin",                                     // the BSDs, Homebrew on Intel
        "/opt/homebrew/opt/postgresql*/bin",                  // Homebrew on Apple silicon
        "/usr/local/opt/postgresql*/bin",                     // Homebrew on Intel
        "/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",     // Homebrew on Linux
        "/Applications/Postgres.app/Contents/Versions/*/bin", // Postgres.app
        "/opt/local/lib/postgresql*/bin",                     // MacPorts
        "/run/current-system/sw/bin",                         // NixOS
    ];
    PLACES
        .iter()
        .flat_map(|pattern| expand(pattern))
        .filter_map(|dir| probe(&dir, account))
        .max_by_key(|found| found.major)
}

/// The copy that an earlier run unpacked into the target directory.
pub(super) fn unpacked(account: Account) -> Option<Binaries> {
    let root = unpacked_root();
    let bin = root.join("bin");
    probe(&bin, account).or_else(|| {
        // Root can read its own home; the account that root steps down to may not.
        let found = probe(&bin, Account::SELF)?;
        Some(Binaries { copy: Some(root), ..found })
    })
}

/// The installation that [`unpacked`] looks for.
pub(super) fn unpacked_root() -> PathBuf {
    target_dir().join("test-postgres").join("unpacked")
}

/// The target directory that the running test was built into.
pub fn target_dir() -> PathBuf {
    // Cargo marks the directory for backup programs; the mark tells it from `debug`, `deps` and a custom profile.
    std::env::current_exe()
        .ok()
        .and_then(|exe| exe.ancestors().find(|dir| dir.join("CACHEDIR.TAG").is_file()).map(Path::to_path_buf))
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"))
}

/// Runs `postgres --version` from a folder, as the account that will run the server.
fn probe(bin: &Path, account: Account) -> Option<Binaries> {
    if !bin.join("initdb").is_file() || !bin.join("postgres").is_file() {
        return None;
    }
    let bin = bin.canonicalize().ok()?;
    let mut command = account.command(bin.join("postgres"));
    let output = command.arg("--version").current_dir("/").stderr(Stdio::null()).output().ok()?;
    let major = major_version(&String::from_utf8_lossy(&output.stdout))?;
    (output.status.success() && major >= OLDEST).then_some(Binaries { bin, major, copy: None })
}

/// Reads `postgres (PostgreSQL) 17.5 (Debian 17.5-1)`, and `18beta1` in place of the number.
fn major_version(line: &str) -> Option<u32> {
    let number = line.split_once("(PostgreSQL) ")?.1;
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse().ok()
}

/// Replaces the one `*` of a pattern by what the directory has.
fn expand(pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once('*') else { return vec![PathBuf::from(pattern)] };
    let (parent, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let Ok(entries) = std::fs::read_dir(parent) else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path().join(after.trim_start_matches('/')))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_version() {
        assert_eq!(major_version("postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)\n"), Some(15));
        assert_eq!(major_version("postgres (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(major_version("postgres, the band"), None);
    }

    #[test]
    fn expands_the_star() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["pg-15/bin", "pg-16/bin", "other/bin"] {
            std::fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        let base = dir.path().to_str().unwrap();
        let mut found = expand(&format!("{base}/pg-*/bin"));
        found.sort();
        assert_eq!(found, [dir.path().join("pg-15/bin"), dir.path().join("pg-16/bin")]);
        assert!(expand("/does/not/exist/*/bin").is_empty());
    }
}
