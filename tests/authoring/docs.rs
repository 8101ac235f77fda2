//! Every command of docs/writing-a-preview.md, as a reader would type it.

use super::setup::{is_offline, skipped};
use crate::clients::find_python;
use crate::mcp::world::with_cache;
use crate::pages::{Step, holds, steps};
use crate::program::stepwell;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = include_str!("../../docs/writing-a-preview.md");

/// Runs the steps one after the other, each where the last one ended, and looks for what the page shows.
fn follow(heading: &str) {
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join("where");
    let mut folder = home.path().canonicalize().unwrap();
    for Step { command, shown } in steps(PAGE, heading) {
        let script = format!("set -eo pipefail\n{command}\npwd > \"$STEPWELL_TEST_STATE\"");
        let output =
            shell(home.path(), &script).env("STEPWELL_TEST_STATE", &state).current_dir(&folder).output();
        let output = output.expect("bash runs");
        let said = String::from_utf8([output.stdout, output.stderr].concat()).expect("text");
        if !output.status.success() && is_offline(&said) && std::env::var_os("CI").is_none() {
            skipped(&format!("{command}, and all that follows"), &said);
            return;
        }
        assert!(output.status.success(), "{command}: {said}");
        for line in shown {
            assert!(holds(&said, &line), "{command} does not show {line:?}: {said}");
        }
        folder = PathBuf::from(std::fs::read_to_string(&state).unwrap().trim_end());
    }
}

/// A shell with the built program on its path. What the default tiers depend on is compiled already, and shared.
fn shell(home: &Path, script: &str) -> Command {
    let ours = stepwell(home, &[]);
    let program = Path::new(ours.get_program()).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut bash = Command::new("bash");
    bash.args(["-c", script]).env("PATH", format!("{}:{path}", program.display()));
    let guests = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("guests");
    bash.env("CARGO_TARGET_DIR", guests).env("CARGO_TERM_COLOR", "never");
    with_cache(&mut bash);
    bash
}

#[test]
fn every_command_for_rust_does_what_the_page_says() {
    assert!(steps(PAGE, "In Rust").len() >= 8);
    follow("In Rust");
}

#[test]
fn every_command_for_python_does_what_the_page_says() {
    let _ = find_python();
    assert!(steps(PAGE, "In Python").len() >= 5);
    follow("In Python");
}
