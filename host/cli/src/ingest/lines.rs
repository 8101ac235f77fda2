//! Reads lines and prepares them, on a thread of its own: while a batch is being written, the next one is being parsed.

use anyhow::Context as _;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;
use stepwell_source::prepare::line::LINE_MAX;
use stepwell_source::prepare::{Manifest, PreparedRecord, Rejection, prepare};
use tokio::sync::mpsc::Sender;

/// Where lines come from.
pub(super) struct Input {
    reader: Box<dyn BufRead + Send>,
    /// The size of the file, where it is one.
    pub(super) size: Option<u64>,
}

/// One line, prepared or left out.
pub(super) struct Item {
    pub(super) line: u64,
    pub(super) bytes: u64,
    pub(super) record: Result<Box<PreparedRecord>, Rejection>,
}

/// Opens a file, or standard input for `-`.
pub(super) fn open(file: &Path) -> anyhow::Result<Input> {
    if file == Path::new("-") {
        return Ok(Input {
            reader: Box::new(BufReader::with_capacity(1 << 20, std::io::stdin())),
            size: None,
        });
    }
    let open = std::fs::File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    let size = open.metadata().ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
    Ok(Input { reader: Box::new(BufReader::with_capacity(1 << 20, open)), size })
}

/// Sends every line that is not blank, until the input or the receiver ends.
pub(super) fn read_lines(mut input: Input, manifest: &Manifest, sender: &Sender<Item>) -> anyhow::Result<()> {
    let mut buffer = Vec::new();
    for line in 1.. {
        buffer.clear();
        let mut bytes =
            input.reader.by_ref().take(LINE_MAX as u64 + 2).read_until(b'\n', &mut buffer)? as u64;
        if bytes == 0 {
            break;
        }
        if buffer.len() > LINE_MAX && buffer.last() != Some(&b'\n') {
            bytes += input.reader.skip_until(b'\n')? as u64;
        }
        let text = buffer.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let record = prepare(text, manifest).map(Box::new);
        if sender.blocking_send(Item { line, bytes, record }).is_err() {
            break;
        }
    }
    Ok(())
}
