//! Builds guests for wasm and wraps them as components. Shared by the build scripts of `bundle` and `fixtures`.
//!
//! It must work from a clean clone with one `cargo run`, and never hang: the inner cargo has a target directory of its
//! own, because two cargos that wait for one directory's lock wait for ever without a message.

#[path = "inner_cargo.rs"]
mod inner_cargo;

use inner_cargo::inner_cargo;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const TARGET: &str = "wasm32-unknown-unknown";

/// A build that cannot go on, with what to do next.
pub(crate) type Failure = String;

/// What to build.
pub(crate) struct Guests<'a> {
    /// The workspace of the guests.
    pub(crate) workspace: &'a Path,
    /// What cargo is asked for: packages and profile.
    pub(crate) args: &'a [&'a str],
    /// The folder of the modules, below the target's own.
    pub(crate) folder: &'a str,
    /// The modules, each of which becomes `OUT_DIR/<name>.wasm`.
    pub(crate) modules: &'a [&'a str],
}

/// Builds guests and wraps each module as a component.
pub(crate) fn build(guests: &Guests<'_>) -> Result<(), Failure> {
    let out = PathBuf::from(var("OUT_DIR")?);
    ensure_target()?;
    let target_dir = guest_target_dir(&out);
    compile(guests, &target_dir)?;
    for name in guests.modules {
        let module = target_dir.join(TARGET).join(guests.folder).join(format!("{name}.wasm"));
        let module =
            fs::read(&module).map_err(|error| format!("cannot read {}: {error}", module.display()))?;
        let component = encode(&module).map_err(|error| format!("{name} is no component: {error}"))?;
        fs::write(out.join(format!("{name}.wasm")), component)
            .map_err(|error| format!("cannot write the component {name}: {error}"))?;
    }
    Ok(())
}

/// Ends a build script, with the failure as cargo shows it.
pub(crate) fn finish(outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            println!("cargo::error={}", failure.replace('\n', "\ncargo::error="));
            ExitCode::FAILURE
        }
    }
}

/// Tells cargo to run the build script again when one of these files or folders changes.
pub(crate) fn rerun_if_changed(paths: &[PathBuf]) {
    for path in paths {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// Installs the wasm target where rustup can, else says what to type.
fn ensure_target() -> Result<(), Failure> {
    if has_target()? {
        return Ok(());
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", TARGET]);
    // rustup tells its children which toolchain this build uses.
    if let Some(toolchain) = env::var_os("RUSTUP_TOOLCHAIN") {
        rustup.arg("--toolchain").arg(toolchain);
    }
    let added = rustup.status().is_ok_and(|status| status.success());
    if added && has_target()? {
        return Ok(());
    }
    Err(format!(
        "the tiers are WebAssembly components, and this toolchain cannot build them yet; run: rustup target add {TARGET}"
    ))
}

/// Asks the compiler itself: its folder for the target exists only where the standard library is installed.
fn has_target() -> Result<bool, Failure> {
    let rustc = var("RUSTC")?;
    let output = Command::new(&rustc)
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .map_err(|error| format!("cannot run {rustc}: {error}"))?;
    let dir = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    Ok(entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-")))
}

/// Where guests are built: beside the host's profiles, so that all of them share the result, and never inside the
/// directory that the outer cargo has locked.
fn guest_target_dir(out: &Path) -> PathBuf {
    // OUT_DIR is <target>/<profile>/build/<package>/out.
    out.ancestors().nth(4).unwrap_or(out).join("guests")
}

fn compile(guests: &Guests<'_>, target_dir: &Path) -> Result<(), Failure> {
    let mut cargo = inner_cargo(var("CARGO")?);
    cargo.current_dir(guests.workspace).args(["build", "--locked", "--target", TARGET, "--target-dir"]);
    cargo.arg(target_dir).args(guests.args);
    let output = cargo.output().map_err(|error| format!("cannot run the inner cargo: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "the guests in {} do not build:\n{}",
        guests.workspace.display(),
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// Wraps a core module, which carries its WIT in custom sections, as a component.
fn encode(module: &[u8]) -> Result<Vec<u8>, Failure> {
    let encode = || wit_component::ComponentEncoder::default().validate(true).module(module)?.encode();
    encode().map_err(|error| format!("{error:#}"))
}

fn var(name: &str) -> Result<String, Failure> {
    env::var(name).map_err(|_| format!("{name} is not set; this script is run by cargo"))
}
