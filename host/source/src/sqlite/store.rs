//! Writes prepared records.

use crate::embedded::engine::StoredBatch;
use crate::error::Failure;
use crate::prepare::blob::PART as BLOB_PART;
use crate::prepare::{Body, PreparedBlob, PreparedField, PreparedRecord};
use crate::sqlite::filter;
use rusqlite::{OptionalExtension as _, Transaction, params};

/// Stores a batch. Each record is compared by its digest first: what is there already is not written again.
pub(super) fn store(
    transaction: &Transaction<'_>,
    scope: i64,
    records: &[PreparedRecord],
    now: i64,
) -> Result<StoredBatch, Failure> {
    let revision: i64 = transaction
        .prepare_cached("UPDATE scope SET revision = revision + 1 WHERE id = ?1 RETURNING revision")?
        .query_row([scope], |row| row.get(0))?;
    let mut outcome = StoredBatch::default();
    for record in records {
        let earlier = transaction
            .prepare_cached("SELECT id, sha256 FROM record WHERE scope = ?1 AND rid = ?2")?
            .query_row(params![scope, record.key.as_str()], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, [u8; 32]>(1)?))
            })
            .optional()?;
        let id = match earlier {
            Some((_, digest)) if digest == record.digest.0 => {
                outcome.unchanged += 1;
                continue;
            }
            Some((id, _)) => {
                outcome.changed += 1;
                replace(transaction, id, record, revision)?;
                id
            }
            None => {
                outcome.added += 1;
                add(transaction, scope, record, revision, now)?
            }
        };
        for field in &record.fields {
            add_field(transaction, scope, id, field)?;
        }
        filter::add(transaction, scope, id, &record.fields)?;
        for blob in &record.blobs {
            add_blob(transaction, blob)?;
        }
    }
    Ok(outcome)
}

fn add(
    transaction: &Transaction<'_>,
    scope: i64,
    record: &PreparedRecord,
    revision: i64,
    now: i64,
) -> Result<i64, Failure> {
    transaction
        .prepare_cached(
            "INSERT INTO record (scope, rid, time, consent_time, sha256, revision) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            scope,
            record.key.as_str(),
            record.time.unwrap_or(now),
            record.consent_time,
            record.digest.0,
            revision
        ])?;
    Ok(transaction.last_insert_rowid())
}

/// Takes the old rows away and keeps the record's own; a record without a time keeps the one that it had.
fn replace(
    transaction: &Transaction<'_>,
    id: i64,
    record: &PreparedRecord,
    revision: i64,
) -> Result<(), Failure> {
    transaction
        .prepare_cached("DELETE FROM unit_words WHERE rowid IN (SELECT id FROM unit WHERE rec = ?1)")?
        .execute([id])?;
    transaction.prepare_cached("DELETE FROM unit WHERE rec = ?1")?.execute([id])?;
    transaction
        .prepare_cached("DELETE FROM seg WHERE field IN (SELECT id FROM field WHERE rec = ?1)")?
        .execute([id])?;
    transaction.prepare_cached("DELETE FROM field WHERE rec = ?1")?.execute([id])?;
    filter::remove(transaction, id)?;
    transaction
        .prepare_cached(
            "UPDATE record SET time = COALESCE(?2, time), consent_time = ?3, sha256 = ?4, revision = ?5 WHERE id = ?1",
        )?
        .execute(params![id, record.time, record.consent_time, record.digest.0, revision])?;
    Ok(())
}

fn add_field(
    transaction: &Transaction<'_>,
    scope: i64,
    record: i64,
    field: &PreparedField,
) -> Result<(), Failure> {
    let (inline, part_start) = match &field.body {
        Body::Inline(text) => (Some(text.as_str()), None),
        Body::Part(start) => (None, Some(start.get() as i64)),
        Body::Chunks { .. } | Body::Blob => (None, None),
    };
    transaction
        .prepare_cached(
            "INSERT INTO field (rec, top, pointer, nested, kind, chars, bytes, sha256, mime, file_name, nul_as, part_start, inline)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(params![
            record,
            field.top,
            field.pointer,
            i64::from(field.nested),
            field.kind.code(),
            field.chars.map(|chars| chars.get() as i64),
            field.bytes.get() as i64,
            field.digest.0,
            field.mime,
            field.file_name,
            field.nul_as.map(u32::from),
            part_start,
            inline,
        ])?;
    let row = transaction.last_insert_rowid();
    if let Body::Chunks { text, cuts } = &field.body {
        let mut insert = transaction
            .prepare_cached("INSERT INTO seg (field, char_start, chars, text) VALUES (?1, ?2, ?3, ?4)")?;
        for cut in cuts {
            insert.execute(params![
                row,
                cut.start.get() as i64,
                cut.chars.get() as i64,
                &text[cut.bytes.clone()]
            ])?;
        }
    }
    for unit in &field.units {
        transaction
            .prepare_cached("INSERT INTO unit (scope, rec, field, char_start) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![scope, record, row, unit.start.get() as i64])?;
        transaction
            .prepare_cached("INSERT INTO unit_words (rowid, words) VALUES (?1, ?2)")?
            .execute(params![transaction.last_insert_rowid(), unit.words])?;
    }
    Ok(())
}

fn add_blob(transaction: &Transaction<'_>, blob: &PreparedBlob) -> Result<(), Failure> {
    let added = transaction
        .prepare_cached("INSERT INTO blob (sha256, bytes) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute(params![blob.digest.0, blob.bytes.len() as i64])?;
    if added == 1 {
        let mut insert = transaction
            .prepare_cached("INSERT INTO blob_part (sha256, byte_start, data) VALUES (?1, ?2, ?3)")?;
        for (index, part) in blob.bytes.chunks(BLOB_PART).enumerate() {
            insert.execute(params![blob.digest.0, (index * BLOB_PART) as i64, part])?;
        }
    }
    Ok(())
}
