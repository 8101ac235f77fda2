//! Records in a ZIP: a file of lines for each connection and stream, and every file once.

use super::lines::{self, Blobs, beside};
use super::owner::{Owner, Scope};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use stepwell_contract::Bytes;
use stepwell_source::FieldKind;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

type Packed = ZipWriter<BufWriter<File>>;

/// Writes the archive; gives how many records are in it.
pub(super) async fn write(owner: &Owner<'_>, file: File) -> anyhow::Result<u64> {
    let mut zip = ZipWriter::new(BufWriter::new(file));
    let mut records = 0;
    for scope in owner.scopes() {
        // Neither name has a slash or leads up, as every part of an id.
        zip.start_file(format!("{}/{}.ndjson", scope.connection, scope.stream), large())?;
        records += lines::write(owner, scope, Blobs::Beside, &mut zip).await?;
    }
    let mut written = HashSet::new();
    for scope in owner.scopes() {
        files(owner, scope, &mut zip, &mut written).await?;
    }
    zip.finish()?.flush()?;
    Ok(records)
}

/// Writes the files of a stream that are not there yet.
async fn files(
    owner: &Owner<'_>,
    scope: &Scope,
    zip: &mut Packed,
    written: &mut HashSet<[u8; 32]>,
) -> anyhow::Result<()> {
    let mut cursor = None;
    loop {
        let page = owner.page(scope, cursor).await?;
        for view in &page.records {
            for field in view.fields.iter().filter(|field| field.shape.kind == FieldKind::Binary) {
                if !written.insert(field.shape.digest.0) {
                    continue;
                }
                zip.start_file(beside(field), large())?;
                let found = owner.field(view, field).await?;
                let mut at = Bytes::ZERO;
                loop {
                    let part = owner.bytes(&found, at).await?;
                    if part.is_empty() {
                        break;
                    }
                    at = Bytes(at.get() + part.len() as u64);
                    zip.write_all(&part)?;
                }
            }
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(());
        }
    }
}

/// How large an entry gets is not known when it begins.
fn large() -> SimpleFileOptions {
    SimpleFileOptions::default().large_file(true)
}
