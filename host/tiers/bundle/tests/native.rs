//! The guests' own tests, natively. They are a workspace of their own, and this makes `cargo test --workspace` run them too.

#![allow(clippy::expect_used, reason = "these are tests")]

#[path = "../inner_cargo.rs"]
mod inner_cargo;

use std::path::Path;

#[test]
fn the_guests_pass_their_own_tests() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../plugins/Cargo.toml");
    // A directory of its own: the outer cargo may hold the lock of the other.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guests");
    let mut cargo = inner_cargo::inner_cargo(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["test", "--locked", "--manifest-path"]).arg(manifest).arg("--target-dir").arg(target);
    let output = cargo.output().expect("cargo runs");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}\n{errors}");
    // An empty run succeeds too.
    let passed: u32 = said
        .lines()
        .filter_map(|line| line.strip_prefix("test result: ok. ")?.split(' ').next()?.parse::<u32>().ok())
        .sum();
    assert!(passed > 0, "no test ran: {said}\n{errors}");
}
