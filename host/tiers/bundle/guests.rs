//! Builds guests for wasm and wraps them as components. Shared by the build scripts of `bundle` and `fixtures`.
//!
//! It must work from a clean clone with one `cargo run`, and never hang: the inner cargo has a target directory of its
//! own, because two cargos that wait for one directory's lock wait for ever without a message.

#[path = "inner_cargo.rs"]
mod inner_cargo;

use inner_cargo::inner_cargo;
use std::env;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The target without a system underneath: its guests import nothing but what they ask for.
pub(crate) const BARE: Option<&str> = Some("wasm32-unknown-unknown");

/// A build that cannot go on, with what to do next.
pub(crate) type Failure = String;

/// What to build.
pub(crate) struct Guests<'a> {
    /// The workspace of the guests.
    pub(crate) workspace: &'a Path,
    /// The target that they are built for; none for shared libraries of this machine.
    pub(crate) target: Option<&'a str>,
    /// What cargo is asked for: packages and profile.
    pub(crate) args: &'a [&'a str],
    /// The folder of the modules, below the target's own.
    pub(crate) folder: &'a str,
    /// The modules, each of which becomes `OUT_DIR/<name>.wasm`, or the libraries, which keep their names.
    pub(crate) modules: &'a [&'a str],
}

/// Builds guests, and wraps each module as a component.
pub(crate) fn build(guests: &Guests<'_>) -> Result<(), Failure> {
    let out = PathBuf::from(var("OUT_DIR")?);
    guests.target.map_or(Ok(()), ensure_target)?;
    let target_dir = guest_target_dir(&out);
    compile(guests, &target_dir)?;
    let folder = target_dir.join(guests.target.unwrap_or_default()).join(guests.folder);
    for name in guests.modules {
        let file = match guests.target {
            Some(_) => format!("{name}.wasm"),
            None => format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"),
        };
        let built = folder.join(&file);
        let mut bytes =
            fs::read(&built).map_err(|error| format!("cannot read {}: {error}", built.display()))?;
        if guests.target.is_some() {
            bytes = wrapped(bytes).map_err(|error| format!("{name} is no component: {error}"))?;
        }
        fs::write(out.join(&file), bytes).map_err(|error| format!("cannot write {file}: {error}"))?;
    }
    Ok(())
}

/// The module of a guest that was built, before it was wrapped.
#[allow(dead_code, reason = "only one of the two build scripts asks for it")]
pub(crate) fn built(target: Option<&str>, folder: &str, name: &str) -> Result<Vec<u8>, Failure> {
    let out = PathBuf::from(var("OUT_DIR")?);
    let module =
        guest_target_dir(&out).join(target.unwrap_or_default()).join(folder).join(format!("{name}.wasm"));
    fs::read(&module).map_err(|error| format!("cannot read {}: {error}", module.display()))
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
fn ensure_target(target: &str) -> Result<(), Failure> {
    if has_target(target)? {
        return Ok(());
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", target]);
    // rustup tells its children which toolchain this build uses.
    if let Some(toolchain) = env::var_os("RUSTUP_TOOLCHAIN") {
        rustup.arg("--toolchain").arg(toolchain);
    }
    let added = rustup.status().is_ok_and(|status| status.success());
    if added && has_target(target)? {
        return Ok(());
    }
    Err(format!(
        "the tiers are WebAssembly components, and this toolchain cannot build them yet; run: rustup target add {target}"
    ))
}

/// Asks the compiler itself: its folder for the target exists only where the standard library is installed.
fn has_target(target: &str) -> Result<bool, Failure> {
    let rustc = var("RUSTC")?;
    let output = Command::new(&rustc)
        .args(["--print", "target-libdir", "--target", target])
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
    cargo.current_dir(guests.workspace).args(["build", "--locked", "--target-dir"]).arg(target_dir);
    cargo.args(guests.target.into_iter().flat_map(|target| ["--target", target])).args(guests.args);
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

/// Wraps a core module, which carries its WIT in custom sections, as a component. Some targets' linkers have done so.
fn wrapped(module: Vec<u8>) -> Result<Vec<u8>, Failure> {
    // After the magic bytes come a version and a layer, which is 0 for a core module.
    if module.get(6).is_some_and(|layer| *layer != 0) {
        return Ok(module);
    }
    let encode = || wit_component::ComponentEncoder::default().validate(true).module(&module)?.encode();
    encode().map_err(|error| format!("{error:#}"))
}

fn var(name: &str) -> Result<String, Failure> {
    env::var(name).map_err(|_| format!("{name} is not set; this script is run by cargo"))
}
