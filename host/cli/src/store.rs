//! `stepwell store`: takes care of a store.

mod backup;
mod check;
mod copy;
pub(crate) mod progress;
mod restore;
mod stats;
mod vacuum;

use crate::output::Output;
use crate::store_args::StoreArguments;
use clap::{Args, Subcommand};
use serde_json::json;
use stepwell_source::sqlite::Missing;

/// What is said where a vacuum could not do all of its work.
pub(crate) const HELD_UP: &str = "somebody else was in a transaction all the while, so some of what was removed may still lie in the \
    files of the database; when that has ended: stepwell store vacuum --full";

/// Takes care of a store
#[derive(Debug, Subcommand)]
pub(crate) enum StoreVerb {
    Check(check::Check),
    Stats(stats::Stats),
    Vacuum(vacuum::Vacuum),
    Backup(backup::Backup),
    Restore(restore::Restore),
    Copy(copy::Copy),
    RotateKey(RotateKey),
}

/// Makes a new key to seal cursors with
#[derive(Debug, Args)]
#[command(after_help = "\
Cursors that clients hold under the key before keep working; older ones become invalid. Servers that are running take the
new key up within a minute.")]
pub(crate) struct RotateKey {
    #[command(flatten)]
    store: StoreArguments,
}

impl StoreVerb {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::Check(check) => check.run(output).await,
            Self::Stats(stats) => stats.run(output).await,
            Self::Vacuum(vacuum) => vacuum.run(output).await,
            Self::Backup(backup) => backup.run(output).await,
            Self::Restore(restore) => restore.run(output).await,
            Self::Copy(copy) => copy.run(output).await,
            Self::RotateKey(rotate) => rotate.run(output).await,
        }
    }
}

impl RotateKey {
    async fn run(self, output: &Output) -> anyhow::Result<()> {
        self.store.open(Missing::Refuse).await?.rotate_sealing_key().await?;
        if output.is_json() {
            return output.json(&json!({ "rotated": true }));
        }
        output.line(format_args!("cursors are sealed under a new key from now on"))
    }
}
