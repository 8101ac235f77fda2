//! `stepwell plugin new`: writes a project to start from.

mod files;

use super::language::Language;
use super::name::PluginName;
use crate::exit::UsageError;
use crate::output::{BOLD, DIM, Output};
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Writes a small project for a plugin of your own, with a test and a README
#[derive(Debug, Args)]
#[command(after_help = "\
The project holds all that it needs, so it builds anywhere: the contract with the host (wit/), and for Rust the SDK.
Its README says how to build, check and try it.

  stepwell plugin new preview reading-time
  stepwell plugin new preview reading-time --lang python --dir plugins/reading-time")]
pub(crate) struct New {
    /// What it is
    #[arg(value_enum)]
    kind: Kind,
    /// Its name: letters a-z, digits, - and _
    name: PluginName,
    /// The language that it is written in
    #[arg(long, value_enum, default_value = "rust")]
    lang: Language,
    /// The folder to write [default: one of its name, here]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// What a plugin is.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// Decides what of a record is worth a first glance
    Preview,
}

impl New {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let Kind::Preview = self.kind;
        let folder = self.dir.unwrap_or_else(|| PathBuf::from(self.name.as_str()));
        refuse_used(&folder)?;
        let files = files::of(self.lang);
        for (path, template) in &files {
            let path = folder.join(path);
            write(&path, &template.replace("{{name}}", self.name.as_str()))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        if output.is_json() {
            let paths: Vec<_> = files.iter().map(|(path, _)| path).collect();
            return output.json(&json!({ "folder": folder, "files": paths }));
        }
        let folder = folder.display();
        output.line(format_args!("{BOLD}{folder}{BOLD:#} holds a preview in {}", self.lang))?;
        let next = self.lang.before_build().map_or_else(String::new, |command| format!("  {command}\n"));
        output.line(format_args!(
            "{DIM}next:\n  cd {folder}\n{next}  stepwell plugin build\n  stepwell plugin check {}.wasm{DIM:#}",
            self.name
        ))
    }
}

/// Nothing that is there already is written over.
fn refuse_used(folder: &Path) -> anyhow::Result<()> {
    let is_empty = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
        Err(error) => return Err(error).with_context(|| format!("cannot look into {}", folder.display())),
    };
    if is_empty {
        return Ok(());
    }
    let message = format!("{} is not empty: choose another name, or a folder with --dir", folder.display());
    Err(UsageError(message).into())
}

fn write(path: &Path, content: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, content)
}
