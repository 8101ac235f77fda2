//! `stepwell export`: whole streams, for their owner. Nothing is held but a page of records and a window of a field.

mod archive;
mod entry;
mod lines;
mod names;
mod owner;
mod shelf;

use crate::exit::UsageError;
use crate::output::{GOOD, Output};
use crate::store_args::StoreArguments;
use anyhow::{Context as _, bail};
use archive::Written;
use clap::{Args, ValueEnum};
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use lines::Files;
use owner::Owner;
use serde_json::json;
use std::io::{BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_source::sqlite::Missing;
use tempfile::NamedTempFile;

/// Writes all records of streams to a file, with their files
#[derive(Debug, Args)]
#[command(after_help = "\
This is for the owner of the store: it makes a grant of its own that ends with it, and the
ledger says what was exported.

ndjson has a line for each record, as `stepwell ingest` reads it, with files in it as base64.
zip has records/CONNECTION/STREAM.ndjson with its manifest, each file once under files/, named
with a part of its SHA-256, and contents.json. A line says where its file is. The same records
give the same bytes.

  stepwell export --out everything.zip
  stepwell export messages attachments --connection cin_mbox_all_mail --out mail.zip
  stepwell export messages --out messages.ndjson")]
pub(crate) struct Export {
    #[command(flatten)]
    store: StoreArguments,
    /// The streams [default for zip: all of them]
    #[arg(value_name = "STREAM")]
    streams: Vec<StreamName>,
    /// Only this connection
    #[arg(long, value_name = "ID")]
    connection: Option<ConnectionId>,
    /// The file to write, which must not be there yet; - for standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// What to write [default: zip if the file's name ends in .zip, else ndjson]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Ndjson,
    Zip,
}

impl Export {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let (format, to_stdout) = (self.format(), self.out == Path::new("-"));
        if format == Format::Ndjson && self.streams.is_empty() {
            let message =
                "name the streams: a line does not say which one it is of; a ZIP does (--format zip)";
            return Err(UsageError(message.to_owned()).into());
        }
        if format == Format::Zip && to_stdout && std::io::stdout().is_terminal() {
            let message = "a ZIP is nothing for a terminal: name a file with --out";
            return Err(UsageError(message.to_owned()).into());
        }
        let store = self.store.open(Missing::Refuse).await?;
        let file = if to_stdout { None } else { Some(Draft::open(&self.out)?) };
        let owner = Owner::open(&store, &self.streams, self.connection.as_ref()).await?;
        let written = match &file {
            Some(draft) => write(&owner, format, &mut BufWriter::new(draft.file.as_file()), output).await,
            None => write(&owner, format, &mut BufWriter::new(std::io::stdout()), output).await,
        };
        // The grant ends whatever came of it.
        let closed = owner.close().await;
        let written = written?;
        closed?;
        match file {
            Some(draft) => draft.keep()?,
            None => {
                output.note(in_words(written));
                return Ok(());
            }
        }
        if output.is_json() {
            let Written { records, files, file_bytes } = written;
            let mut event = json!({ "event": "done", "records": records });
            if format == Format::Zip {
                (event["files"], event["file_bytes"]) = (files.into(), file_bytes.into());
            }
            return output.json(&event);
        }
        let file = self.out.display();
        output.line(format_args!("{GOOD}done{GOOD:#}: {} in {file}", in_words(written)))
    }

    fn format(&self) -> Format {
        let is_zip = self.out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"));
        self.format.unwrap_or(if is_zip { Format::Zip } else { Format::Ndjson })
    }
}

fn in_words(Written { records, files, file_bytes }: Written) -> String {
    let mut text = format!("{} records", HumanCount(records));
    if files > 0 {
        text.push_str(&format!(" and {} files with {}", HumanCount(files), HumanBytes(file_bytes)));
    }
    text
}

async fn write(
    owner: &Owner<'_>,
    format: Format,
    out: &mut (impl Write + Send),
    output: &Output,
) -> anyhow::Result<Written> {
    let written = match format {
        Format::Ndjson => all_lines(owner, out, output).await?,
        Format::Zip => archive::write(owner, &mut *out, output).await?,
    };
    out.flush()?;
    Ok(written)
}

/// Writes every stream, one after the other.
async fn all_lines(
    owner: &Owner<'_>,
    out: &mut (impl Write + Send),
    output: &Output,
) -> anyhow::Result<Written> {
    let mut written = Written::default();
    let bar = records_bar(output);
    for scope in owner.scopes() {
        written.records += lines::write(owner, scope, Files::Inline, out, &bar).await?;
    }
    bar.finish_and_clear();
    Ok(written)
}

/// A count on a terminal; nothing elsewhere.
fn records_bar(output: &Output) -> ProgressBar {
    if output.is_json() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::no_length();
    bar.set_draw_target(ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} records, {per_sec}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// A file that has its name once it is whole. Only its owner can read it: what will be in it is personal.
struct Draft {
    file: NamedTempFile,
    path: PathBuf,
}

impl Draft {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let cannot = || format!("cannot make {}", path.display());
        if path.symlink_metadata().is_ok() {
            bail!("{}: it is there already; name another file", cannot());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut draft = tempfile::Builder::new();
        draft.prefix(".stepwell-export-").suffix(".part");
        let file = draft.tempfile_in(folder.unwrap_or(Path::new("."))).with_context(cannot)?;
        Ok(Self { file, path: path.to_owned() })
    }

    fn keep(self) -> anyhow::Result<()> {
        let Self { file, path } = self;
        file.as_file().sync_all().with_context(|| format!("cannot write {}", path.display()))?;
        file.persist_noclobber(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(())
    }
}
