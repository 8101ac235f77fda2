//! `stepwell disclosures erase`: removes entries and leaves a tombstone that counts them.

use super::record;
use crate::exit::UsageError;
use crate::grant::{confirmed, moment};
use crate::output::Output;
use crate::store_args::StoreArguments;
use anyhow::bail;
use clap::Args;
use serde_json::json;
use stepwell_contract::ResultId;
use stepwell_source::ledger::LedgerFilter;
use stepwell_source::time::{self, Millis};

/// Removes entries of the ledger and leaves a line that says how many
#[derive(Debug, Args)]
#[command(after_help = "\
Entries go if they meet all the conditions that you give. What stays is a tombstone: how many
there were, how many bytes they counted, from when to when, and when they were removed. It does
not say which grant or record they were about, and it cannot be removed. Entries that are too
old go by themselves, as [ledger] keep_days in plugins.toml says.

  stepwell disclosures erase --before 2025-01-01
  stepwell disclosures erase --grant grt_0123456789abcdef --yes
  stepwell disclosures erase --record cin_home/messages:m1 --yes")]
pub(super) struct Erase {
    #[command(flatten)]
    store: StoreArguments,
    /// What was read under this grant
    #[arg(long, value_name = "ID")]
    grant: Option<String>,
    /// What was read of this record: connection/stream:record, or stream:record for all connections
    #[arg(long, value_name = "ID", value_parser = record)]
    record: Option<ResultId>,
    /// What was read before this moment (RFC 3339, or a date)
    #[arg(long, value_name = "T", value_parser = moment)]
    before: Option<Millis>,
    /// The whole ledger
    #[arg(long, conflicts_with_all = ["grant", "record", "before"])]
    all: bool,
    /// Does not ask
    #[arg(long, short)]
    yes: bool,
}

impl Erase {
    pub(super) async fn run(self, output: &Output) -> anyhow::Result<()> {
        if !self.all && self.grant.is_none() && self.record.is_none() && self.before.is_none() {
            let message = "say what to erase: --grant ID, --record ID, --before T, or --all";
            return Err(UsageError(message.into()).into());
        }
        let store = self.store.open_ledger().await?;
        let filter = LedgerFilter {
            grant: self.grant,
            record: self.record.map(Into::into),
            since: None,
            until: self.before,
        };
        let sum = store.ledger_sum(&filter).await?;
        if let Some((first, last)) = sum.span {
            let [first, last] = [first, last].map(time::print);
            output.line(format_args!("{} entries, from {first} to {last}", sum.entries))?;
        }
        if sum.entries > 0 && !self.yes && !confirmed("Erase these entries?", "pass --yes to erase them")? {
            bail!("nothing was erased");
        }
        let erased = if sum.entries > 0 { store.erase_disclosures(&filter).await? } else { 0 };
        if output.is_json() {
            return output.json(&json!({ "erased": erased }));
        }
        output.line(format_args!("erased {erased} entries"))
    }
}
