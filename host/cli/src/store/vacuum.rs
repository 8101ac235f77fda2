//! `stepwell store vacuum`: gives back the room that nothing uses.

use super::HELD_UP;
use super::progress::Progress;
use crate::output::Output;
use crate::store_args::StoreArguments;
use anyhow::Context as _;
use clap::Args;
use indicatif::{HumanBytes, HumanCount};
use serde_json::json;
use stepwell_source::SourceUrl;
use stepwell_source::care::{self, Thoroughness};

/// Removes files that nothing refers to, and gives back the room
#[derive(Debug, Args)]
#[command(after_help = "\
A file stays in the store when the record that referred to it changes; this removes it if no
other record does. Then the store is compacted. Servers may go on reading meanwhile, and what
they write waits.

SQLite writes the file anew, so for a while there must be room for a second one. Postgres by
itself only makes the room free for its own use; with --full it gives it back to the machine,
and closes each table to everyone meanwhile.

  stepwell store vacuum")]
pub(crate) struct Vacuum {
    #[command(flatten)]
    store: StoreArguments,
    /// On Postgres: rewrites the tables (VACUUM FULL), each closed to readers meanwhile
    #[arg(long)]
    full: bool,
}

impl Vacuum {
    pub(super) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let url = self.store.url()?;
        let mut progress = Progress::new(output);
        let how = if self.full { Thoroughness::Return } else { Thoroughness::Reuse };
        let done = care::vacuum(&url, how, &mut progress).await;
        progress.finish();
        let done = done.with_context(|| format!("cannot vacuum the store {url}"))?;
        let gained = done.before.saturating_sub(done.after);
        if output.is_json() {
            return output.json(&json!({
                "event": "vacuumed", "blobs": done.blobs, "blob_bytes": done.blob_bytes, "before": done.before, "after": done.after,
                "gained": gained, "held_up": done.held_up,
            }));
        }
        output.line(format_args!(
            "removed {} files with {}; the store takes {}, {} less than before",
            HumanCount(done.blobs),
            HumanBytes(done.blob_bytes),
            HumanBytes(done.after),
            HumanBytes(gained)
        ))?;
        if matches!(url, SourceUrl::Postgres(_)) && !self.full {
            output.note("Postgres keeps the room for itself and uses it again; --full gives it back");
        }
        if done.held_up {
            output.warn(HELD_UP);
        }
        Ok(())
    }
}
