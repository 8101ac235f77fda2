//! Streams as a ZIP: lines of records, and each of their files once.
//!
//! It is written from front to back, so it can go to a pipe. Nothing in it depends on when it was made: the same records give
//! the same bytes. Of a file no more is held than a part; of all files, where they are.

use super::entry::{Entry, Packing};
use super::lines::{self, Files};
use super::names::Names;
use super::owner::{Owner, Scope};
use super::records_bar;
use super::shelf::{Shelf, Shelved, hex};
use crate::ingest::progress_bar;
use crate::output::Output;
use anyhow::{Context as _, bail};
use indicatif::ProgressBar;
use rawzip::ZipArchiveWriter;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::Write;
use stepwell_contract::Bytes;

/// What was written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    pub(super) records: u64,
    pub(super) files: u64,
    pub(super) file_bytes: u64,
}

/// Writes all streams of an owner.
pub(super) async fn write(
    owner: &Owner<'_>,
    out: impl Write + Send,
    output: &Output,
) -> anyhow::Result<Written> {
    let mut archive = ZipArchiveWriter::new(out);
    let (mut names, mut shelf, mut contents) = (Names::default(), Shelf::default(), Vec::new());
    let (mut records, mut folders) = (0, BTreeMap::new());
    let bar = records_bar(output);
    for scope in owner.scopes() {
        let folder = folders.entry(scope.connection.as_str()).or_insert_with(|| {
            let id = scope.connection.as_str();
            names.plain("records/", id, "/", &hash(id))
        });
        let stream = scope.stream.as_str();
        let path = names.plain(folder, stream, ".ndjson", &hash(stream));
        let mut lines = Entry::open(&mut archive, &path, Packing::Deflated)?;
        let count = lines::write(owner, scope, Files::Aside(&mut shelf), &mut lines, &bar).await?;
        lines.close()?;
        records += count;
        contents.push(said(scope, &path, count));
        if let Some(manifest) = &scope.manifest {
            let path = names.plain(folder, stream, ".manifest.json", &hash(stream));
            one_entry(&mut archive, &path, &format!("{manifest:#}\n"))?;
        }
    }
    bar.finish_and_clear();
    let bar = progress_bar(Some(shelf.bytes()), output);
    for file in shelf.files() {
        copy(owner, file, &mut archive, &bar)
            .await
            .with_context(|| format!("cannot export {}", file.path))?;
    }
    bar.finish_and_clear();
    let files = shelf.files().len() as u64;
    let written = Written { records, files, file_bytes: shelf.bytes() };
    let contents =
        json!({ "records": records, "files": files, "file_bytes": written.file_bytes, "streams": contents });
    one_entry(&mut archive, "contents.json", &format!("{contents:#}\n"))?;
    archive.finish()?;
    Ok(written)
}

/// What the table of contents says of a stream. Its names are as they are, which a path may not be.
fn said(scope: &Scope, path: &str, records: u64) -> Value {
    json!({
        "connection_id": scope.connection.as_str(), "display_name": scope.label, "stream": scope.stream.as_str(),
        "records": records, "path": path,
    })
}

/// Copies a file, and looks whether it is the one that its digest says.
async fn copy<W: Write + Send>(
    owner: &Owner<'_>,
    file: &Shelved,
    archive: &mut ZipArchiveWriter<W>,
    bar: &ProgressBar,
) -> anyhow::Result<()> {
    const CHANGED: &str = "the store was changed meanwhile; export again";
    let field = owner.field(&file.record, &file.field).await.context(CHANGED)?;
    if field.shape.digest != Some(file.digest) {
        bail!(CHANGED);
    }
    let (mut entry, mut hash, mut at) =
        (Entry::open(archive, &file.path, Packing::of(file.mime.as_deref()))?, Sha256::new(), Bytes::ZERO);
    loop {
        let part = owner.bytes(&field, at).await?;
        if part.is_empty() {
            break;
        }
        at = Bytes(at.get() + part.len() as u64);
        hash.update(&part);
        entry.write_all(&part)?;
        bar.inc(part.len() as u64);
    }
    entry.close()?;
    if hash.finalize()[..] != file.digest.0 {
        bail!("its bytes are not those of {}: stepwell store check", hex(&file.digest));
    }
    Ok(())
}

fn hash(name: &str) -> String {
    Sha256::digest(name).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn one_entry<W: Write + Send>(
    archive: &mut ZipArchiveWriter<W>,
    path: &str,
    content: &str,
) -> anyhow::Result<()> {
    let mut entry = Entry::open(archive, path, Packing::Deflated)?;
    entry.write_all(content.as_bytes())?;
    entry.close()
}
