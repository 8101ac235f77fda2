//! A cargo that is started by another cargo. Shared by the build scripts and by the test of the guests.

use std::env;
use std::ffi::OsStr;
use std::process::Command;

/// Variables that were set for the host's build and must not reach the guests': flags, wrappers, directories.
const FOR_THE_HOST: [&str; 13] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_BUILD_BUILD_DIR",
    "CARGO_BUILD_RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC",
    "RUSTDOC",
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
];

/// The same by how they begin: profiles, and what the outer cargo tells its own scripts and tests.
const FOR_THE_HOST_BEGIN: [&str; 6] =
    ["CARGO_CFG_", "CARGO_FEATURE_", "CARGO_PROFILE_", "CARGO_PKG_", "CARGO_TARGET_", "DEP_"];

/// Starts to write a command for a cargo that knows nothing of the outer one.
pub(crate) fn inner_cargo(program: impl AsRef<OsStr>) -> Command {
    let mut cargo = Command::new(program);
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let begins = |prefix: &&str| text.starts_with(*prefix);
        if FOR_THE_HOST.contains(&&*text) || FOR_THE_HOST_BEGIN.iter().any(begins) {
            cargo.env_remove(&name);
        }
    }
    cargo
}
