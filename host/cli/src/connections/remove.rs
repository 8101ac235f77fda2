//! `stepwell connections remove`: an account or export, and everything that came from it.

use super::connections;
use crate::grant::confirmed;
use crate::output::Output;
use crate::store::HELD_UP;
use crate::store::progress::Progress;
use crate::store_args::StoreArguments;
use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::HumanCount;
use serde_json::json;
use stepwell_contract::ConnectionId;
use stepwell_contract::quote::excerpt;
use stepwell_source::care::{self, Thoroughness};
use stepwell_source::sqlite::Missing;

/// Removes a connection: its records, their text, their words and files, and what grants say of it
#[derive(Debug, Args)]
#[command(after_help = "\
A file that another connection refers to stays. Entries of the ledger stay too: they say who read
what, and never what stood there (stepwell disclosures erase). Afterwards the store is compacted,
so that nothing of what was removed is left in its file, or in the tables of its database; on
Postgres each table is closed to others while that is done. Copies such as backups are not touched,
nor is the log that Postgres writes ahead, which it reuses in time.

  stepwell connections remove cin_mbox_all_mail")]
pub(crate) struct Remove {
    #[command(flatten)]
    store: StoreArguments,
    /// The connection
    #[arg(value_name = "ID")]
    connection: ConnectionId,
    /// Does not ask
    #[arg(long, short)]
    yes: bool,
}

impl Remove {
    pub(super) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let (url, id) = (self.store.url()?, self.connection.as_str());
        let store = self.store.open(Missing::Refuse).await?;
        let Some(found) = connections(&store).await?.into_iter().find(|connection| connection.id == id)
        else {
            bail!("there is no connection {}", excerpt(id));
        };
        drop(store);
        let streams: Vec<&str> = found.streams.iter().map(|(stream, _)| stream.as_str()).collect();
        let records = HumanCount(found.records());
        output.line(format_args!("{}: {records} records in {}", excerpt(id), streams.join(", ")))?;
        if !self.yes && !confirmed("Remove all of it for good?", "pass --yes to remove it")? {
            bail!("nothing was removed");
        }
        let erased = care::erase_connection(&url, &self.connection).await;
        let erased = erased.with_context(|| format!("cannot remove from the store {url}"))?;
        let mut progress = Progress::new(output);
        let compacted = care::vacuum(&url, Thoroughness::Return, &mut progress).await;
        progress.finish();
        let compacted = compacted.context(
            "the connection is removed, but the store could not be compacted: stepwell store vacuum --full",
        )?;
        if output.is_json() {
            return output.json(&json!({
                "event": "removed", "streams": erased.streams, "records": erased.records,
                "held_up": compacted.held_up,
            }));
        }
        if compacted.held_up {
            output.warn(HELD_UP);
        }
        output.line(format_args!("removed {} records", HumanCount(erased.records)))
    }
}
