//! `stepwell export`: whole streams, for their owner. Nothing is held but a page of records and a window of a field.

mod lines;
mod owner;
mod packed;

use crate::output::{GOOD, Output};
use crate::store_args::StoreArguments;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use indicatif::HumanCount;
use lines::Blobs;
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
ndjson is what `stepwell ingest` reads, with files in the lines; zip has a file of lines for each connection and stream, and
files beside them, each once.

  stepwell export messages --out messages.ndjson
  stepwell export messages attachments --connection cin_mbox_all_mail --format zip --out mail.zip")]
pub(crate) struct Export {
    #[command(flatten)]
    store: StoreArguments,
    /// The streams
    #[arg(required = true, value_name = "STREAM")]
    streams: Vec<StreamName>,
    /// Only this connection
    #[arg(long, value_name = "ID")]
    connection: Option<ConnectionId>,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Ndjson)]
    format: Format,
    /// The file to write, which must not be there yet; - for standard output, with ndjson
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One record a line
    Ndjson,
    /// An archive
    Zip,
}

impl Export {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let store = self.store.open(Missing::Refuse).await?;
        let to_stdout = self.out == Path::new("-");
        if to_stdout && self.format == Format::Zip {
            return Err(crate::exit::UsageError("a zip needs --out FILE".into()).into());
        }
        let owner = Owner::open(&store, &self.streams, self.connection.as_ref()).await?;
        let written = match self.format {
            _ if to_stdout => all_lines(&owner, &mut BufWriter::new(std::io::stdout())).await,
            Format::Ndjson => all_lines(&owner, &mut BufWriter::new(private(&self.out)?)).await,
            Format::Zip => packed::write(&owner, private(&self.out)?).await,
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
        records += lines::write(owner, scope, Blobs::Inside, out).await?;
    }
    out.flush()?;
    Ok(records)
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
