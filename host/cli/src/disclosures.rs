//! `stepwell disclosures`: the owner's ledger.

mod erase;
mod show;

use crate::grant::moment;
use crate::output::Output;
use crate::store_args::StoreArguments;
use clap::{Args, Subcommand};
use std::io::Write;
use stepwell_contract::ResultId;
use stepwell_source::Embedded;
use stepwell_source::ledger::{LedgerFilter, Tombstone};
use stepwell_source::time::Millis;

/// How many entries are held at a time, however long the ledger is.
const PAGE: usize = 500;

/// Shows what was read, by whom, and how much
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Every read is written down before its answer leaves: when, under which grant, by which tool,
which part of which record, and how many bytes. The text that was shown is not kept, nor the
phrase that was looked for. Spans count Unicode code points, or bytes for binary fields.

The newest entries come first. Where entries were removed, a line says how many. With --json
each entry is a line of JSON, and the last line is the total.

  stepwell disclosures --since 2026-01-01
  stepwell disclosures --record cin_home/messages:m1
  stepwell disclosures --grant grt_0123456789abcdef --json | jq .bytes
  stepwell disclosures erase --before 2025-01-01 --yes"
)]
pub(crate) struct Disclosures {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    store: StoreArguments,
    /// Only what was read under this grant, as `grant list` names it
    #[arg(long, value_name = "ID")]
    grant: Option<String>,
    /// Only this record: connection/stream:record, or stream:record for all connections
    #[arg(long, value_name = "ID", value_parser = record)]
    record: Option<ResultId>,
    /// Only from this moment on (RFC 3339, or a date)
    #[arg(long, value_name = "T", value_parser = moment)]
    since: Option<Millis>,
    /// Only before this moment
    #[arg(long, value_name = "T", value_parser = moment)]
    until: Option<Millis>,
    /// How many entries at most [default: all]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Erase(erase::Erase),
}

impl Disclosures {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        if let Some(Verb::Erase(erase)) = self.verb {
            return erase.run(output).await;
        }
        let store = self.store.open_ledger().await?;
        let filter = LedgerFilter {
            grant: self.grant,
            record: self.record.map(Into::into),
            since: self.since,
            until: self.until,
        };
        let mut list = show::List::new(output.is_json());
        print(&store, &filter, self.limit.unwrap_or(u64::MAX), &mut list).await
    }
}

/// Prints page after page. Tombstones stand where the newest of the entries that they count would.
async fn print(
    store: &Embedded,
    filter: &LedgerFilter,
    limit: u64,
    list: &mut show::List,
) -> anyhow::Result<()> {
    let mut tombstones = store.tombstones(filter).await?.into_iter().peekable();
    let (mut after, mut left) = (None, limit);
    loop {
        // One more than is wanted says whether there is more.
        let wanted = usize::try_from(left).unwrap_or(PAGE).min(PAGE);
        let mut page = store.ledger_page(filter, after, wanted.saturating_add(1)).await?;
        let more = page.len() > wanted;
        page.truncate(wanted);
        let mut out = anstream::stdout().lock();
        for entry in &page {
            let newer = |stone: &Tombstone| stone.last_at >= entry.at;
            while let Some(stone) = tombstones.next_if(newer) {
                list.tombstone(&mut out, &stone)?;
            }
            list.entry(&mut out, entry)?;
        }
        left -= page.len() as u64;
        if !more || left == 0 {
            if !more {
                tombstones.try_for_each(|stone| list.tombstone(&mut out, &stone))?;
            }
            list.total(&mut out, more)?;
            return Ok(out.flush()?);
        }
        out.flush()?;
        after = page.last().map(Into::into);
    }
}

/// A record's id.
fn record(text: &str) -> Result<ResultId, String> {
    ResultId::parse(text).map_err(|refusal| refusal.message)
}
