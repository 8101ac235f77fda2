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

/// The place that waits for a token. A file that waits in vain goes again.
pub(crate) struct Waiting<'a>(Option<(&'a Path, File)>);

impl TokenOut {
    /// Makes the file. It comes before the token: one that cannot be kept should never have existed.
    pub(crate) fn prepare(&self) -> anyhow::Result<Waiting<'_>> {
        let Some(path) = self.token_out.as_deref() else { return Ok(Waiting(None)) };
        Ok(Waiting(Some((path, new_private_file(path)?))))
    }
}

impl Waiting<'_> {
    /// Hands the token over. For scripts it becomes a member of what they are told, for people it is printed below the
    /// news that it was made.
    pub(crate) fn hand_over(
        mut self,
        output: &Output,
        made: &str,
        mut told: Value,
        token: &Token,
    ) -> anyhow::Result<()> {
        // Before anything is printed, which may fail: the token cannot be had again.
        let place = match self.0.take() {
            Some((path, mut file)) => {
                writeln!(file, "{}", token.reveal())
                    .context("the token was made, but could not be written to its file: revoke it")?;
                format!("the token is in {}", path.display())
            }
            None => {
                told["token"] = token.reveal().into();
                format!("the token, shown only this once:\n{}", token.reveal())
            }
        };
        if output.is_json() {
            return output.json(&told);
        }
        output.line(format_args!("{made}\n{place}"))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some((path, _)) = self.0.take() {
            let _ = std::fs::remove_file(path);
        }
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
