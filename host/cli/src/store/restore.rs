//! `stepwell store restore`: makes a store from a backup.

use super::backup::existing;
use super::check::{in_words, refuse_problems, to_json};
use super::progress::Progress;
use crate::output::Output;
use crate::store_args::Address;
use anyhow::Context as _;
use clap::Args;
use std::path::PathBuf;
use stepwell_source::SourceUrl;
use stepwell_source::care;

/// Makes a store from a backup
#[derive(Debug, Args)]
#[command(after_help = "\
The store comes back with everything that the backup holds: records, grants, tokens, ledger and
keys. So a grant that was revoked after the backup counts again; look at `stepwell grant list`
afterwards. A backup of an earlier version is upgraded on the way, and stays as it is itself.

The store takes its place only when it is whole and has been checked. --force replaces a store
that is there; stop the programs that have it open first.

  stepwell store restore /backups/mail.sqlite sqlite:mail.sqlite
  stepwell store restore --force /backups/mail.sqlite postgres://me@host/mail")]
pub(crate) struct Restore {
    /// Replaces the store that is there
    #[arg(long)]
    force: bool,
    /// The backup
    file: PathBuf,
    /// The store to make: sqlite:PATH, or postgres://user@host/database
    #[arg(value_name = "URL", value_parser = Address::<SourceUrl>::new())]
    store: SourceUrl,
}

impl Restore {
    pub(super) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let mut progress = Progress::new(output);
        let checked = care::restore(&self.file, &self.store, existing(self.force), &mut progress).await;
        progress.finish();
        let checked = checked.with_context(|| format!("cannot restore {}", self.file.display()))?;
        if output.is_json() {
            output.json(&to_json(&checked))?;
        } else {
            output.line(in_words(&checked))?;
            output.line(format_args!("the store is {}", self.store))?;
        }
        refuse_problems(&checked)
    }
}
