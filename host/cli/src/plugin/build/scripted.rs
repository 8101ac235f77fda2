//! Python and JavaScript projects: built by the tools that they name, which are installed inside of them.

use crate::exit::UsageError;
use crate::plugin::language::Language;
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Builds a Python project with componentize-py: the one of the project, else the one on the path.
pub(super) fn python(folder: &Path) -> anyhow::Result<PathBuf> {
    const TOOL: &str = "componentize-py";
    let text = std::fs::read_to_string(folder.join("pyproject.toml"))?;
    let project: toml_edit::DocumentMut = text.parse().context("pyproject.toml is no TOML")?;
    let name = project.get("project").and_then(|table| table.get("name")).and_then(|name| name.as_str());
    let name = name.context("pyproject.toml says no name under [project]")?;
    let own = if cfg!(windows) { ".venv/Scripts/componentize-py.exe" } else { ".venv/bin/componentize-py" };
    let program = match folder.join(own) {
        file if file.is_file() => file.canonicalize()?,
        _ => PathBuf::from(TOOL),
    };
    let file = format!("{name}.wasm");
    let mut tool = Command::new(program);
    tool.args(["--wit-path", "wit", "--world", "preview-tier", "componentize", "app", "--stub-wasi"]);
    run(tool.args(["--output", &file]), folder, TOOL, Language::Python)?;
    Ok(folder.join(file))
}

/// Builds a JavaScript project by its own script.
pub(super) fn js(folder: &Path) -> anyhow::Result<PathBuf> {
    let text = std::fs::read_to_string(folder.join("package.json"))?;
    let project: serde_json::Value = serde_json::from_str(&text).context("package.json is no JSON")?;
    let name = project["name"].as_str().context("package.json says no name")?;
    if !folder.join("node_modules").is_dir() {
        return Err(missing("componentize-qjs", folder, Language::Js));
    }
    run(Command::new("npm").args(["run", "--silent", "build"]), folder, "npm", Language::Js)?;
    Ok(folder.join(format!("{name}.wasm")))
}

/// Runs a tool in a project. What it says goes to standard error, so that scripts find nothing but JSON on the other.
fn run(tool: &mut Command, folder: &Path, name: &str, language: Language) -> anyhow::Result<()> {
    match tool.current_dir(folder).stdin(Stdio::null()).stdout(std::io::stderr()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => anyhow::bail!("{name} failed with {status}; what it said stands above"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(missing(name, folder, language)),
        Err(error) => Err(error).with_context(|| format!("cannot run {name}")),
    }
}

fn missing(name: &str, folder: &Path, language: Language) -> anyhow::Error {
    let install = language.before_build().unwrap_or_default();
    let folder = folder.display();
    UsageError(format!("{name} is not installed; run, in {folder}: {install}")).into()
}
