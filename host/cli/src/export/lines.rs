//! Records as lines that `stepwell ingest` reads. A long field is written window by window.

use super::owner::{Owner, Scope};
use super::shelf::Shelf;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use indicatif::ProgressBar;
use serde_json::json;
use std::io::Write;
use stepwell_contract::{Bytes, Chars};
use stepwell_source::shape::FieldView;
use stepwell_source::{FieldKind, RecordView, time};

/// What becomes of the files of records.
#[derive(Debug)]
pub(super) enum Files<'a> {
    /// They stand in the lines.
    Inline,
    /// They are put aside, and the lines say where.
    Aside(&'a mut Shelf),
}

/// Writes the records of a stream; gives how many.
pub(super) async fn write(
    owner: &Owner<'_>,
    scope: &Scope,
    mut files: Files<'_>,
    out: &mut (impl Write + Send),
    bar: &ProgressBar,
) -> anyhow::Result<u64> {
    let (mut cursor, mut records) = (None, 0);
    loop {
        let page = owner.page(scope, cursor).await?;
        for view in &page.records {
            line(owner, view, &mut files, out).await?;
            records += 1;
            bar.inc(1);
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(records);
        }
    }
}

async fn line(
    owner: &Owner<'_>,
    view: &RecordView,
    files: &mut Files<'_>,
    out: &mut (impl Write + Send),
) -> anyhow::Result<()> {
    write!(out, "{{\"key\":{},\"data\":{{", json!(view.identity.record.as_str()))?;
    for (index, field) in view.fields.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write!(out, "{comma}{}:", json!(field.name))?;
        match (field.shape.kind, field.head.as_deref().filter(|_| field.is_whole())) {
            (FieldKind::Text, Some(text)) => write!(out, "{}", json!(text))?,
            (FieldKind::Binary, _) => match files {
                Files::Inline => blob(owner, view, field, out).await?,
                Files::Aside(shelf) => write!(out, "{}", json!({ "$blob": shelf.put(view, field)? }))?,
            },
            // Everything else is JSON as it stands.
            (_, Some(json)) => out.write_all(json.as_bytes())?,
            (kind, None) => long(owner, view, field, kind, out).await?,
        }
    }
    writeln!(out, "}},\"emitted_at\":{}}}", json!(time::print(view.emitted_at)))?;
    Ok(())
}

/// A text or JSON value that is longer than what a page shows of it.
async fn long(
    owner: &Owner<'_>,
    view: &RecordView,
    field: &FieldView,
    kind: FieldKind,
    out: &mut (impl Write + Send),
) -> anyhow::Result<()> {
    let found = owner.field(&view.identity, &field.name).await?;
    let quote = if kind == FieldKind::Text { "\"" } else { "" };
    write!(out, "{quote}")?;
    let mut at = Chars::ZERO;
    loop {
        let window = owner.text(&found, at).await?;
        if window.is_empty() {
            break;
        }
        at = Chars(at.get() + Chars::of(&window).get());
        if kind == FieldKind::Text {
            let literal = serde_json::to_string(&window)?;
            out.write_all(&literal.as_bytes()[1..literal.len() - 1])?;
        } else {
            out.write_all(window.as_bytes())?;
        }
    }
    write!(out, "{quote}")?;
    Ok(())
}

async fn blob(
    owner: &Owner<'_>,
    view: &RecordView,
    field: &FieldView,
    out: &mut (impl Write + Send),
) -> anyhow::Result<()> {
    let mime = field.shape.mime.as_deref().unwrap_or("application/octet-stream");
    write!(out, "{{\"$blob\":{{\"mime_type\":{}", json!(mime))?;
    if let Some(name) = &field.shape.file_name {
        write!(out, ",\"file_name\":{}", json!(name))?;
    }
    write!(out, ",\"base64\":\"")?;
    let found = owner.field(&view.identity, &field.name).await?;
    let mut at = Bytes::ZERO;
    loop {
        // Every part but the last is a multiple of three bytes, so that the parts join to one spelling.
        let part = owner.bytes(&found, at).await?;
        if part.is_empty() {
            break;
        }
        at = Bytes(at.get() + part.len() as u64);
        out.write_all(STANDARD.encode(&part).as_bytes())?;
    }
    write!(out, "\"}}}}")?;
    Ok(())
}
