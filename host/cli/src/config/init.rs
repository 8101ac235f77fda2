//! `stepwell config init`: writes the configuration, with every setting explained.

use crate::config_args::{NAME, folder, usual};
use crate::output::Output;
use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The file that ships: every setting with its default and what it means.
const TEXT: &str = include_str!("../../../../plugins.toml");

/// Writes the configuration, with every setting explained and at its default
#[derive(Debug, Args)]
#[command(after_help = "\
A new file changes nothing: it states the defaults. Change what you like, and see what a
server would say with `stepwell config check`. One that is running takes the change up by itself.

  stepwell config init                 in your configuration directory, where every command finds it
  stepwell config init plugins.toml    here; name it with --config or STEPWELL_CONFIG")]
pub(crate) struct Init {
    /// The file to write, or the folder to write it to [default: your configuration directory]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Writes over a file that is already there
    #[arg(long)]
    force: bool,
}

impl Init {
    pub(super) fn run(self, output: &Output) -> anyhow::Result<()> {
        let path = match self.path {
            Some(folder) if folder.is_dir() => folder.join(NAME),
            Some(file) => file,
            None => {
                let usual = usual().context("there is no configuration directory: name a file to write")?;
                std::fs::create_dir_all(folder(&usual))
                    .with_context(|| format!("cannot make {}", folder(&usual).display()))?;
                usual
            }
        };
        match write(&path, self.force) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                anyhow::bail!("{} is already there; --force writes over it", path.display())
            }
            written => written.with_context(|| format!("cannot write {}", path.display()))?,
        }
        if output.is_json() {
            return output.json(&json!({ "written": path }));
        }
        output.line(format_args!("wrote {}", path.display()))
    }
}

/// Writes the file whole or not at all. Its owner alone can read it, because it may come to hold a password.
fn write(path: &Path, over: bool) -> io::Result<()> {
    let mut draft = NamedTempFile::new_in(folder(path))?;
    draft.write_all(TEXT.as_bytes())?;
    let kept = if over { draft.persist(path) } else { draft.persist_noclobber(path) };
    kept.map(drop).map_err(|error| error.error)
}
