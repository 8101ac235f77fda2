//! A Rust project: built by cargo.

use crate::exit::UsageError;
use crate::output::Output;
use anyhow::Context as _;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds the project, and gives its name and the module that came of it.
pub(super) fn build(folder: &Path, output: &Output) -> anyhow::Result<(String, PathBuf)> {
    let manifest = folder.join("Cargo.toml");
    let name = name(&manifest)?;
    need_target(folder, output)?;
    let mut cargo = Command::new("cargo");
    cargo.current_dir(folder).args(["build", "--release", "--target", TARGET]);
    cargo.arg("--message-format=json-render-diagnostics").stdin(Stdio::null()).stderr(Stdio::inherit());
    let built = cargo.output().context("cannot run cargo; install Rust from https://rustup.rs")?;
    anyhow::ensure!(built.status.success(), "cargo build failed; what it said stands above");
    let manifest = manifest.canonicalize()?;
    let messages = String::from_utf8_lossy(&built.stdout);
    let mut modules =
        messages.lines().filter_map(|line| module_of(&serde_json::from_str(line).ok()?, &manifest));
    let module = modules.next_back().with_context(|| {
        format!("{name} is no cdylib: write crate-type = [\"cdylib\"] under [lib] in Cargo.toml")
    })?;
    Ok((name, module))
}

fn name(manifest: &Path) -> anyhow::Result<String> {
    let text =
        std::fs::read_to_string(manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
    let document: toml_edit::DocumentMut =
        text.parse().with_context(|| format!("{} is no TOML", manifest.display()))?;
    let name = document.get("package").and_then(|package| package.get("name")).and_then(|name| name.as_str());
    let missing = || UsageError(format!("{} is of no package: name the folder of one", manifest.display()));
    Ok(name.ok_or_else(missing)?.to_owned())
}

/// The module that one of cargo's messages reports, if it is this project's.
fn module_of(message: &Value, manifest: &Path) -> Option<PathBuf> {
    let own = Path::new(message["manifest_path"].as_str()?).canonicalize().ok()?;
    let files = message["filenames"].as_array()?.iter().filter_map(Value::as_str);
    let module = files.map(PathBuf::from).find(|file| file.extension().is_some_and(|end| end == "wasm"));
    module.filter(|_| own == manifest)
}

/// Installs the target where rustup can, else says what to type.
fn need_target(folder: &Path, output: &Output) -> anyhow::Result<()> {
    if has_target(folder)? {
        return Ok(());
    }
    output.note(format_args!("adding the target: rustup target add {TARGET}"));
    let mut rustup = Command::new("rustup");
    rustup.current_dir(folder).args(["target", "add", TARGET]).stdout(std::io::stderr());
    if rustup.status().is_ok_and(|status| status.success()) && has_target(folder)? {
        return Ok(());
    }
    let message = format!("this Rust cannot build for WebAssembly yet; run: rustup target add {TARGET}");
    Err(UsageError(message).into())
}

/// Asks the compiler: its folder for the target exists only where the standard library is installed.
fn has_target(folder: &Path) -> anyhow::Result<bool> {
    let mut rustc = Command::new("rustc");
    rustc.current_dir(folder).args(["--print", "target-libdir", "--target", TARGET]);
    let said = rustc.output().context("cannot run rustc; install Rust from https://rustup.rs")?;
    let folder = String::from_utf8_lossy(&said.stdout);
    let files = std::fs::read_dir(folder.trim()).into_iter().flatten().flatten();
    Ok(files.into_iter().any(|file| file.file_name().to_string_lossy().starts_with("libcore-")))
}
