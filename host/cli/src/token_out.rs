//! Where a new token goes: to the terminal, once, or to a file that only its owner can read.

use crate::output::Output;
use anyhow::Context as _;
use clap::Args;
use serde_json::Value;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use stepwell_source::Token;

/// Says where the token goes.
#[derive(Debug, Args)]
pub(crate) struct TokenOut {
    /// Writes the token to a new file that only you can read, instead of printing it
    #[arg(long, value_name = "FILE")]
    token_out: Option<PathBuf>,
}

/// The place that waits for a token.
pub(crate) struct Waiting<'a>(Option<(&'a Path, File)>);

impl TokenOut {
    /// Makes the file. It comes before the token: one that cannot be kept should never have existed.
    pub(crate) fn prepare(&self) -> anyhow::Result<Waiting<'_>> {
        let Some(path) = self.token_out.as_deref() else { return Ok(Waiting(None)) };
        Ok(Waiting(Some((path, new_private_file(path)?))))
    }
}

impl Waiting<'_> {
    /// Hands the token over. For scripts it becomes a member of what they are told, for people it is printed.
    pub(crate) fn hand_over(self, output: &Output, mut told: Value, token: &Token) -> anyhow::Result<()> {
        if let Some((path, mut file)) = self.0 {
            writeln!(file, "{}", token.reveal())
                .context("the token was made, but could not be written to its file: revoke it")?;
            output.line(format_args!("the token is in {}", path.display()))?;
        } else {
            told["token"] = token.reveal().into();
            output.line(format_args!("the token, shown only this once:\n{}", token.reveal()))?;
        }
        if output.is_json() { output.json(&told) } else { Ok(()) }
    }
}

fn new_private_file(path: &Path) -> anyhow::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path).with_context(|| format!("cannot make the token file {}", path.display()))
}
