//! `stepwell export`: whole streams, for their owner. Nothing is held but a page of records and a window of a field.

mod lines;
mod owner;

use crate::output::{GOOD, Output};
use crate::store_args::StoreArguments;
use anyhow::Context as _;
use clap::Args;
use indicatif::HumanCount;
use owner::Owner;
use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_source::sqlite::Missing;

/// Writes all records of streams to a file, with their files
#[derive(Debug, Args)]
#[command(after_help = "\
This is for the owner of the store: it makes a grant of its own that ends with it, and the ledger says what was exported.
The lines are what `stepwell ingest` reads, with files in them.

  stepwell export messages --out messages.ndjson
  stepwell export messages attachments --connection cin_mbox_all_mail --out mail.ndjson")]
pub(crate) struct Export {
    #[command(flatten)]
    store: StoreArguments,
    /// The streams
    #[arg(required = true, value_name = "STREAM")]
    streams: Vec<StreamName>,
    /// Only this connection
    #[arg(long, value_name = "ID")]
    connection: Option<ConnectionId>,
    /// The file to write, which must not be there yet; - for standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
}

impl Export {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let store = self.store.open(Missing::Refuse).await?;
        let to_stdout = self.out == Path::new("-");
        let owner = Owner::open(&store, &self.streams, self.connection.as_ref()).await?;
        let written = if to_stdout {
            all_lines(&owner, &mut BufWriter::new(std::io::stdout())).await
        } else {
            to_file(&owner, &self.out).await
        };
        // The grant ends whatever came of it.
        let closed = owner.close().await;
        let records = written?;
        closed?;
        if to_stdout {
            output.note(format_args!("{} records", HumanCount(records)));
            return Ok(());
        }
        if output.is_json() {
            return output.json(&json!({ "event": "done", "records": records }));
        }
        let file = self.out.display();
        output.line(format_args!("{GOOD}done{GOOD:#}: {} records in {file}", HumanCount(records)))
    }
}

/// Writes every stream, one after the other.
async fn all_lines(owner: &Owner<'_>, out: &mut (impl Write + Send)) -> anyhow::Result<u64> {
    let mut records = 0;
    for scope in owner.scopes() {
        records += lines::write(owner, scope, out).await?;
    }
    out.flush()?;
    Ok(records)
}

/// Writes them to a new file.
async fn to_file(owner: &Owner<'_>, path: &Path) -> anyhow::Result<u64> {
    all_lines(owner, &mut BufWriter::new(private(path)?)).await
}

/// Makes a file that only its owner can read: what will be in it is personal.
fn private(path: &Path) -> anyhow::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path).with_context(|| format!("cannot make {}", path.display()))
}
