//! `stepwell store copy`: moves a store to another file or database.

use super::backup::existing;
use super::check::{in_words, refuse_problems, to_json};
use super::progress::Progress;
use crate::output::Output;
use crate::store_args::Address;
use anyhow::Context as _;
use clap::Args;
use indicatif::HumanCount;
use serde_json::json;
use stepwell_source::SourceUrl;
use stepwell_source::care::{self, Share};

/// Copies a store to another file or database, from either engine to either
#[derive(Debug, Args)]
#[command(after_help = "\
Everything is copied as of one moment: records, grants, the digests of tokens, the ledger and
the keys that seal cursors, so clients go on at the copy with the tokens and cursors that they
have. With --records-only nobody may read the copy until you make grants there.

The copy is made beside its place and takes it when it is whole: both sides are compared by
their digests, and the copy is checked. A copy that was interrupted goes on where it was if you
run it again; if the records changed meanwhile, it begins anew.

  stepwell store copy sqlite:mail.sqlite postgres://me@host/mail
  stepwell store copy --records-only postgres://me@host/mail sqlite:records.sqlite")]
pub(crate) struct Copy {
    /// Leaves out grants, tokens, the ledger and the keys
    #[arg(long)]
    records_only: bool,
    /// Replaces the store that is there
    #[arg(long)]
    force: bool,
    /// The store to copy: sqlite:PATH, or postgres://user@host/database
    #[arg(value_name = "FROM", value_parser = Address::<SourceUrl>::new())]
    from: SourceUrl,
    /// The place of the copy
    #[arg(value_name = "TO", value_parser = Address::<SourceUrl>::new())]
    to: SourceUrl,
}

impl Copy {
    pub(super) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let Self { from, to, .. } = &self;
        let share = if self.records_only { Share::Records } else { Share::Everything };
        let mut progress = Progress::new(output);
        let copied = care::copy(from, to, share, existing(self.force), &mut progress).await;
        progress.finish();
        let copied = copied.with_context(|| format!("cannot copy {from} to {to}"))?;
        if output.is_json() {
            output.json(&to_json(&copied.checked))?;
            output.json(&json!({ "event": "copied", "rows": copied.rows, "resumed": copied.resumed }))?;
        } else {
            output.line(in_words(&copied.checked))?;
            let (rows, resumed) = (HumanCount(copied.rows), HumanCount(copied.resumed));
            output.line(match copied.resumed {
                0 => format!("copied {rows} rows to {to}"),
                _ => format!(
                    "copied {rows} rows to {to}; {resumed} of them were there from an interrupted copy"
                ),
            })?;
        }
        refuse_problems(&copied.checked)
    }
}
