//! `stepwell plugin build`: from a project, or from a core module, to a component.

mod cargo;
mod scripted;
mod wrap;

use super::language::Language;
use crate::exit::UsageError;
use crate::output::{BOLD, Output};
use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use stepwell_tiers::examine;

/// Builds a plugin with its language's own tools and makes a component of it
#[derive(Debug, Args)]
#[command(after_help = "\
A Rust project is built by cargo for wasm32-unknown-unknown, and the module is wrapped as a component. A Python project is
built by componentize-py, a JavaScript one by its script \"build\". A module that something else built is only wrapped.

  stepwell plugin build
  stepwell plugin build plugins/reading-time
  stepwell plugin build target/wasm32-unknown-unknown/release/reading_time.wasm --out reading-time.wasm")]
pub(crate) struct Build {
    /// The folder of a project, or the file of a core module
    #[arg(default_value = ".")]
    project: PathBuf,
    /// The file to write [default: NAME.wasm in the project's folder; in this one for a module]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Build {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let file = if self.project.is_dir() { self.of_project(output)? } else { self.of_module()? };
        let found = examine(&file)?;
        if output.is_json() {
            return output.json(&json!({
                "file": file, "bytes": found.bytes, "sha256": found.sha256,
                "tier": found.tier, "wit_version": found.wit, "imports": found.imports,
            }));
        }
        let tier = match (found.tier, &found.wit) {
            (Some(tier), Some(version)) => format!("a {tier} tier for stepwell:ladder@{version}"),
            _ => "a component, but of no tier".to_owned(),
        };
        output.line(format_args!("{BOLD}{}{BOLD:#}: {} bytes, {tier}", file.display(), found.bytes))
    }

    fn of_project(&self, output: &Output) -> anyhow::Result<PathBuf> {
        let folder = &self.project;
        let Some(language) = Language::of(folder) else {
            let message = format!(
                "{} holds no Cargo.toml, pyproject.toml or package.json; start with: stepwell plugin new preview NAME",
                folder.display()
            );
            return Err(UsageError(message).into());
        };
        let made = match language {
            Language::Rust => {
                let (name, module) = cargo::build(folder, output)?;
                let file = folder.join(format!("{name}.wasm"));
                return self.write(&file, &wrap::component(&read(&module)?)?);
            }
            Language::Python => scripted::python(folder)?,
            Language::Js => scripted::js(folder)?,
        };
        match &self.out {
            Some(out) if *out != made => self.write(&made, &read(&made)?),
            _ => Ok(made),
        }
    }

    fn of_module(&self) -> anyhow::Result<PathBuf> {
        let module = read(&self.project)?;
        let component = wrap::component(&module)?;
        let here = PathBuf::from(self.project.file_name().unwrap_or_default());
        if self.out.is_none() && here.canonicalize().ok() == self.project.canonicalize().ok() {
            let message = "the component would take the module's place: name another file with --out";
            return Err(UsageError(message.into()).into());
        }
        self.write(&here, &component)
    }

    /// Writes a component where the user wants it, or else to its usual place.
    fn write(&self, usual: &Path, component: &[u8]) -> anyhow::Result<PathBuf> {
        let file = self.out.as_deref().unwrap_or(usual);
        std::fs::write(file, component).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(file.to_owned())
    }
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}
