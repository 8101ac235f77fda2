//! `stepwell store backup`: writes a store to one file.

use super::check::{in_words, refuse_problems, to_json};
use super::progress::Progress;
use crate::output::Output;
use crate::store_args::StoreArguments;
use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use stepwell_source::care::{self, Existing};

/// Writes the whole store to one file
#[derive(Debug, Args)]
#[command(after_help = "\
The backup is a SQLite file whichever engine the store is on, and holds everything: records,
grants, the digests of tokens, the ledger and the keys that seal cursors. Keep it as carefully
as the store. It shows the store as of one moment, while servers and imports go on. It takes
its name only when it is whole and has been checked.

A store on SQLite is not upgraded by this, so a newer program can back it up before anything
else.

  stepwell store backup /backups/mail.sqlite
  stepwell store backup --source postgres://me@host/mail --force /backups/mail.sqlite")]
pub(crate) struct Backup {
    #[command(flatten)]
    store: StoreArguments,
    /// Replaces an earlier backup of that name
    #[arg(long)]
    force: bool,
    /// The file to write
    file: PathBuf,
}

impl Backup {
    pub(super) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let url = self.store.url()?;
        let mut progress = Progress::new(output);
        let checked = care::backup(&url, &self.file, existing(self.force), &mut progress).await;
        progress.finish();
        let checked = checked.with_context(|| format!("cannot back up the store {url}"))?;
        if let Some(checked) = &checked {
            if output.is_json() {
                output.json(&to_json(checked))?;
            }
            output.line(in_words(checked))?;
        } else {
            output.note(
                "the store is of an earlier version: of its backup the pages were checked and nothing else",
            );
        }
        if output.is_json() {
            output.json(&json!({ "event": "backed_up", "file": self.file, "checked": checked.is_some() }))?;
        }
        output.line(format_args!("the backup is {}", self.file.display()))?;
        checked.as_ref().map_or(Ok(()), refuse_problems)
    }
}

/// What `--force` means.
pub(super) fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Keep }
}
