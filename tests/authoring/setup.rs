//! Gets the tools of scripted languages, and says so where a registry cannot be reached.

use crate::clients::need_node;
use crate::mcp::world::scratch;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The folder whose `node_modules` has componentize-qjs, in the version that a new project names.
pub(super) fn componentize_qjs() -> Option<PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let install = || {
        need_node();
        let list = include_str!("../../host/cli/templates/js/package.json").replace("{{name}}", "tools");
        let folder = scratch("componentize-qjs");
        // Installed once for each list of versions.
        if std::fs::read_to_string(folder.join("ready")).is_ok_and(|done| done == list) {
            return Some(folder);
        }
        std::fs::write(folder.join("package.json"), &list).unwrap();
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&folder);
        installed(&mut npm)?;
        std::fs::write(folder.join("ready"), list).unwrap();
        Some(folder)
    };
    FOLDER.get_or_init(install).clone()
}

/// Runs a command that needs a registry. Where CI is not set, a machine without a network goes on without it.
pub(crate) fn installed(command: &mut Command) -> Option<()> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    if output.status.success() {
        return Some(());
    }
    let said =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(is_offline(&said) && std::env::var_os("CI").is_none(), "{command:?}: {said}");
    skipped(&format!("{command:?}"), &said);
    None
}

/// Says that something was not tested, past the harness, which would keep it to itself.
pub(super) fn skipped(what: &str, said: &str) {
    let text = format!("SKIPPED, for want of a registry: {what}\n{said}\n");
    std::io::stderr().write_all(text.as_bytes()).unwrap();
}

/// Whether a tool failed because it could not reach its registry.
pub(super) fn is_offline(said: &str) -> bool {
    ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "NewConnectionError", "Name or service not known"]
        .iter()
        .any(|sign| said.contains(sign))
}

pub(super) fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&said));
}
