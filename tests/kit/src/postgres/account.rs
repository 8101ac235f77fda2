//! Who the server runs as. Postgres refuses root, so root steps down to an ordinary account.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The account of the server: the one that runs the tests, or a lesser one when that is root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Account(Option<Ids>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ids {
    uid: u32,
    gid: u32,
}

impl Account {
    /// Whoever runs the tests.
    pub(super) const SELF: Self = Self(None);

    pub(super) fn choose() -> Result<Self, String> {
        if !is_root() {
            return Ok(Self::SELF);
        }
        let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let ids = ids_of(&passwd, "postgres").or_else(|| ids_of(&passwd, "nobody"));
        ids.map(|ids| Self(Some(ids))).ok_or_else(|| {
            "Postgres does not run as root, and /etc/passwd has neither postgres nor nobody: add one of them, or run \
             the tests as another user"
                .to_owned()
        })
    }

    /// A command that runs as this account, free of the settings that the caller keeps for a Postgres of their own.
    pub(super) fn command(self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PG") {
                command.env_remove(name);
            }
        }
        command.env("LC_ALL", "C").env("TZ", "UTC").stdin(Stdio::null());
        if let Some(Ids { uid, gid }) = self.0 {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// Hands a directory over.
    pub(super) fn own(self, dir: &Path) -> Result<(), String> {
        let Some(Ids { uid, gid }) = self.0 else { return Ok(()) };
        chown(dir, Some(uid), Some(gid))
            .map_err(|error| format!("cannot hand {} over: {error}", dir.display()))
    }

    /// Copies an installation that this account cannot reach to where it can, and hands the copy over.
    pub(super) fn copy_tree(self, from: &Path, to: &Path) -> Result<PathBuf, String> {
        // Owned by the account, because the guard removes the copy in its name.
        let mut script = "cp -R \"$1\" \"$2\"".to_owned();
        if let Some(Ids { uid, gid }) = self.0 {
            script.push_str(&format!(" && chown -R {uid}:{gid} \"$2\""));
        }
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]).arg(from).arg(to).stdin(Stdio::null());
        match command.status() {
            Ok(status) if status.success() => Ok(to.to_path_buf()),
            _ => Err(format!("cannot copy {} to {}", from.display(), to.display())),
        }
    }

    /// Says whether this account can make and remove entries in a directory.
    pub(super) fn can_write(self, dir: &Path) -> bool {
        let mut test = self.command("sh");
        test.args(["-c", "test -w \"$1\" && test -x \"$1\"", "sh"]).arg(dir).current_dir("/");
        test.status().is_ok_and(|status| status.success())
    }
}

pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn ids_of(passwd: &str, name: &str) -> Option<Ids> {
    let line = passwd.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut fields = line.split(':').skip(2);
    let ids = Ids { uid: fields.next()?.parse().ok()?, gid: fields.next()?.parse().ok()? };
    // An account that is root by another name would be refused as well.
    (ids.uid != 0).then_some(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_ids_from_passwd() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\npostgres2:x:7:7::/:/bin/sh\npostgres:x:101:104:,,,:/var:/bin/sh\n";
        assert_eq!(ids_of(passwd, "postgres"), Some(Ids { uid: 101, gid: 104 }));
        assert_eq!(ids_of(passwd, "nobody"), None);
        assert_eq!(ids_of(passwd, "root"), None);
    }
}
