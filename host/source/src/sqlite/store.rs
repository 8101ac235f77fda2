//! Writes prepared records.

use crate::embedded::engine::{Batch, StoredBatch};
use crate::embedded::merge::{Difference, EarlierField, new_mark};
use crate::error::Failure;
use crate::prepare::blob::PART as BLOB_PART;
use crate::prepare::{Body, PreparedBlob, PreparedField, PreparedRecord, Semantics};
use crate::shape::Digest;
use crate::sqlite::filter;
use rusqlite::{OptionalExtension as _, Transaction, params};

/// What is there of a record already.
struct Earlier {
    id: i64,
    digest: [u8; 32],
    period: i64,
    consent_time: Option<i64>,
    emitted: i64,
}

/// Stores a batch. Each record is compared by its digest first: what is there already is not written again.
pub(super) fn store(transaction: &Transaction<'_>, batch: &Batch) -> Result<StoredBatch, Failure> {
    let scope = batch.scope;
    let revision: i64 = transaction
        .prepare_cached("UPDATE scope SET revision = revision + 1 WHERE id = ?1 RETURNING revision")?
        .query_row([scope], |row| row.get(0))?;
    let mut outcome = StoredBatch::default();
    let mut values = filter::Rows::default();
    for (place, record) in batch.records.iter().enumerate() {
        let (id, difference) = match earlier(transaction, scope, record)? {
            None if record.deleted => {
                outcome.unchanged += 1;
                continue;
            }
            None => {
                outcome.added += 1;
                (add(transaction, scope, record, revision, batch.now)?, Difference::default())
            }
            Some(there) if record.deleted => {
                outcome.deleted += 1;
                bury(transaction, scope, record, &there, revision)?;
                clear(transaction, there.id)?;
                transaction.prepare_cached("DELETE FROM former_field WHERE rec = ?1")?.execute([there.id])?;
                transaction.prepare_cached("DELETE FROM record WHERE id = ?1")?.execute([there.id])?;
                continue;
            }
            Some(there) if record.is_stored(&there.digest, there.consent_time) => {
                outcome.unchanged += 1;
                continue;
            }
            Some(there) => {
                let difference = Difference::of(fields_of(transaction, there.id)?, record);
                if difference.any && batch.semantics == Semantics::AppendOnly {
                    outcome.refused.push(place);
                    continue;
                }
                outcome.changed += 1;
                replace(transaction, scope, record, &there, revision)?;
                if !difference.any {
                    continue;
                }
                clear(transaction, there.id)?;
                (there.id, difference)
            }
        };
        for field in &record.fields {
            add_field(transaction, scope, id, field, difference.revision_of(&field.top, revision))?;
        }
        values.push(id, &record.fields);
        note_gone(transaction, id, &difference, revision)?;
        for blob in &record.blobs {
            add_blob(transaction, blob)?;
        }
    }
    values.insert(transaction, scope)?;
    if outcome.added + outcome.changed + outcome.deleted > 0 {
        transaction
            .prepare_cached("INSERT INTO mark (scope, revision, at, mark) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![scope, revision, batch.now, new_mark()?])?;
    }
    Ok(outcome)
}

fn earlier(
    transaction: &Transaction<'_>,
    scope: i64,
    record: &PreparedRecord,
) -> Result<Option<Earlier>, Failure> {
    let found = transaction
        .prepare_cached(
            "SELECT id, sha256, period, consent_time, emitted FROM record WHERE scope = ?1 AND rid = ?2",
        )?
        .query_row(params![scope, record.key.as_str()], |row| {
            let (id, digest) = (row.get(0)?, row.get(1)?);
            let (period, consent_time, emitted) = (row.get(2)?, row.get(3)?, row.get(4)?);
            Ok(Earlier { id, digest, period, consent_time, emitted })
        });
    Ok(found.optional()?)
}

fn fields_of(transaction: &Transaction<'_>, id: i64) -> Result<Vec<EarlierField>, Failure> {
    let mut select = transaction.prepare_cached(
        "SELECT top, kind, sha256, mime, file_name, revision FROM field WHERE rec = ?1 AND nested = 0",
    )?;
    let rows = select.query_map([id], |row| {
        Ok(EarlierField {
            top: row.get(0)?,
            kind: row.get(1)?,
            digest: Digest(row.get(2)?),
            mime: row.get(3)?,
            file_name: row.get(4)?,
            revision: row.get(5)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn add(
    transaction: &Transaction<'_>,
    scope: i64,
    record: &PreparedRecord,
    revision: i64,
    now: i64,
) -> Result<i64, Failure> {
    let emitted = record.emitted.unwrap_or(now);
    transaction
        .prepare_cached(
            "INSERT INTO record (scope, rid, time, emitted, consent_time, sha256, revision, period)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)",
        )?
        .execute(params![
            scope,
            record.key.as_str(),
            record.cursor.unwrap_or(emitted),
            emitted,
            record.consent_time,
            record.digest.0,
            revision
        ])?;
    Ok(transaction.last_insert_rowid())
}

/// Notes that a record was in some grants' sight until now.
fn bury(
    transaction: &Transaction<'_>,
    scope: i64,
    record: &PreparedRecord,
    there: &Earlier,
    revision: i64,
) -> Result<(), Failure> {
    transaction
        .prepare_cached(
            "INSERT INTO former_record (scope, rid, began, ended, consent_time) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![scope, record.key.as_str(), there.period, revision, there.consent_time])?;
    Ok(())
}

/// Takes the rows of a record's fields away.
fn clear(transaction: &Transaction<'_>, id: i64) -> Result<(), Failure> {
    for delete in [
        "DELETE FROM unit_words WHERE rowid IN (SELECT id FROM unit WHERE rec = ?1)",
        "DELETE FROM unit WHERE rec = ?1",
        "DELETE FROM seg WHERE field IN (SELECT id FROM field WHERE rec = ?1)",
        "DELETE FROM field WHERE rec = ?1",
    ] {
        transaction.prepare_cached(delete)?.execute([id])?;
    }
    filter::remove(transaction, id)
}

/// Brings a record's own row up to date. It keeps the moment at which it was first emitted: a later one would tell that
/// something changed, whatever it was.
fn replace(
    transaction: &Transaction<'_>,
    scope: i64,
    record: &PreparedRecord,
    there: &Earlier,
    revision: i64,
) -> Result<(), Failure> {
    let mut period = there.period;
    let consent_time = record.consent_time_after(there.emitted, there.consent_time);
    if there.consent_time != consent_time {
        bury(transaction, scope, record, there, revision)?;
        period = revision;
    }
    transaction
        .prepare_cached(
            "UPDATE record SET time = COALESCE(?2, emitted), consent_time = ?3, sha256 = ?4, revision = ?5, period = ?6
             WHERE id = ?1",
        )?
        .execute(params![there.id, record.cursor, consent_time, record.digest.0, revision, period])?;
    Ok(())
}

/// Notes the fields that a record lost, and forgets that of those that it has again.
fn note_gone(
    transaction: &Transaction<'_>,
    id: i64,
    difference: &Difference,
    revision: i64,
) -> Result<(), Failure> {
    if !difference.any {
        return Ok(());
    }
    for top in &difference.gone {
        transaction
            .prepare_cached(
                "INSERT INTO former_field (rec, top, revision) VALUES (?1, ?2, ?3)
                 ON CONFLICT (rec, top) DO UPDATE SET revision = excluded.revision",
            )?
            .execute(params![id, top, revision])?;
    }
    transaction
        .prepare_cached(
            "DELETE FROM former_field WHERE rec = ?1 AND top IN (SELECT top FROM field WHERE rec = ?1)",
        )?
        .execute([id])?;
    Ok(())
}

fn add_field(
    transaction: &Transaction<'_>,
    scope: i64,
    record: i64,
    field: &PreparedField,
    revision: i64,
) -> Result<(), Failure> {
    let (inline, part_start) = match &field.body {
        Body::Inline(text) => (Some(text.as_str()), None),
        Body::Part(start) => (None, Some(start.get() as i64)),
        Body::Chunks { .. } | Body::Blob => (None, None),
    };
    transaction
        .prepare_cached(
            "INSERT INTO field (rec, top, pointer, nested, kind, chars, bytes, sha256, mime, file_name, nul_as, part_start, inline, revision)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
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
            revision,
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
            .prepare_cached(
                "INSERT INTO unit (scope, rec, field, char_start, top) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![scope, record, row, unit.start.get() as i64, field.top])?;
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
