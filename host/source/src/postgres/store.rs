//! Writes prepared records, many rows a statement.
//!
//! Rows travel as arrays that the server unnests: as few round trips as COPY into a temporary table, and no catalogue rows
//! made and dropped for each batch.

use crate::embedded::engine::StoredBatch;
use crate::error::Failure;
use crate::postgres::filter;
use crate::prepare::blob::PART as BLOB_PART;
use crate::prepare::{Body, PreparedBlob, PreparedField, PreparedRecord, PreparedUnit};
use deadpool_postgres::Transaction;
use std::collections::HashMap;

/// How many bytes of text one statement carries; a longer field is sent in several.
const MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// Stores a batch. Each record is compared by its digest first: what is there already is not written again.
pub(super) async fn store(
    transaction: &Transaction<'_>,
    scope: i64,
    records: &[PreparedRecord],
    now: i64,
) -> Result<StoredBatch, Failure> {
    // The update locks the stream's row, so that two writers of one stream queue here.
    let bump = transaction
        .prepare_cached("UPDATE scope SET revision = revision + 1 WHERE id = $1 RETURNING revision")
        .await?;
    let revision: i64 = transaction.query_one(&bump, &[&scope]).await?.get(0);
    let earlier = earlier(transaction, scope, records).await?;
    let (mut fresh, mut replaced, mut outcome) = (Vec::new(), Vec::new(), StoredBatch::default());
    for record in records {
        match earlier.get(record.key.as_str()) {
            Some((_, digest)) if *digest == record.digest.0 => outcome.unchanged += 1,
            Some((id, _)) => replaced.push((*id, record)),
            None => fresh.push(record),
        }
    }
    (outcome.added, outcome.changed) = (fresh.len() as u64, replaced.len() as u64);
    replace(transaction, &replaced, revision).await?;
    let mut written = add(transaction, scope, &fresh, revision, now).await?;
    written.append(&mut replaced);
    add_fields(transaction, scope, &written).await?;
    filter::add(transaction, scope, &written).await?;
    for blob in written.iter().flat_map(|(_, record)| &record.blobs) {
        add_blob(transaction, blob).await?;
    }
    Ok(outcome)
}

async fn earlier(
    transaction: &Transaction<'_>,
    scope: i64,
    records: &[PreparedRecord],
) -> Result<HashMap<String, (i64, Vec<u8>)>, Failure> {
    let keys: Vec<&str> = records.iter().map(|record| record.key.as_str()).collect();
    let select = transaction
        .prepare_cached("SELECT rid, id, sha256 FROM record WHERE scope = $1 AND rid = ANY($2)")
        .await?;
    let rows = transaction.query(&select, &[&scope, &keys]).await?;
    Ok(rows.iter().map(|row| (row.get(0), (row.get(1), row.get(2)))).collect())
}

async fn add<'a>(
    transaction: &Transaction<'_>,
    scope: i64,
    records: &[&'a PreparedRecord],
    revision: i64,
    now: i64,
) -> Result<Vec<(i64, &'a PreparedRecord)>, Failure> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<&str> = records.iter().map(|record| record.key.as_str()).collect();
    let times: Vec<i64> = records.iter().map(|record| record.time.unwrap_or(now)).collect();
    let consents: Vec<Option<i64>> = records.iter().map(|record| record.consent_time).collect();
    let digests: Vec<&[u8]> = records.iter().map(|record| &record.digest.0[..]).collect();
    let insert = transaction
        .prepare_cached(
            "INSERT INTO record (scope, rid, time, consent_time, sha256, revision)
             SELECT $1, k, t, c, d, $2 FROM unnest($3::text[], $4::bigint[], $5::bigint[], $6::bytea[]) AS n (k, t, c, d)
             RETURNING rid, id",
        )
        .await?;
    let rows = transaction.query(&insert, &[&scope, &revision, &keys, &times, &consents, &digests]).await?;
    let ids: HashMap<&str, i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let id_of = |record: &&'a PreparedRecord| ids.get(record.key.as_str()).map(|id| (*id, *record));
    records
        .iter()
        .map(id_of)
        .collect::<Option<_>>()
        .ok_or_else(|| Failure::Store("an inserted record is missing".into()))
}

/// Takes the old rows away and keeps the records' own; a record without a time keeps the one that it had.
async fn replace(
    transaction: &Transaction<'_>,
    replaced: &[(i64, &PreparedRecord)],
    revision: i64,
) -> Result<(), Failure> {
    if replaced.is_empty() {
        return Ok(());
    }
    let ids: Vec<i64> = replaced.iter().map(|(id, _)| *id).collect();
    let units = transaction.prepare_cached("DELETE FROM unit WHERE rec = ANY($1)").await?;
    transaction.execute(&units, &[&ids]).await?;
    let segs = transaction
        .prepare_cached("DELETE FROM seg WHERE field IN (SELECT id FROM field WHERE rec = ANY($1))")
        .await?;
    transaction.execute(&segs, &[&ids]).await?;
    let fields = transaction.prepare_cached("DELETE FROM field WHERE rec = ANY($1)").await?;
    transaction.execute(&fields, &[&ids]).await?;
    filter::remove(transaction, &ids).await?;
    let times: Vec<Option<i64>> = replaced.iter().map(|(_, record)| record.time).collect();
    let consents: Vec<Option<i64>> = replaced.iter().map(|(_, record)| record.consent_time).collect();
    let digests: Vec<&[u8]> = replaced.iter().map(|(_, record)| &record.digest.0[..]).collect();
    let update = transaction
        .prepare_cached(
            "UPDATE record r SET time = COALESCE(n.t, r.time), consent_time = n.c, sha256 = n.d, revision = $1
             FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[]) AS n (id, t, c, d) WHERE r.id = n.id",
        )
        .await?;
    transaction.execute(&update, &[&revision, &ids, &times, &consents, &digests]).await?;
    Ok(())
}

async fn add_fields(
    transaction: &Transaction<'_>,
    scope: i64,
    written: &[(i64, &PreparedRecord)],
) -> Result<(), Failure> {
    let fields: Vec<(i64, &PreparedField)> =
        written.iter().flat_map(|(id, record)| record.fields.iter().map(|field| (*id, field))).collect();
    if fields.is_empty() {
        return Ok(());
    }
    let reserve =
        transaction.prepare_cached("SELECT nextval('field_id') FROM generate_series(1, $1::bigint)").await?;
    let rows = transaction.query(&reserve, &[&(fields.len() as i64)]).await?;
    let ids: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    for (ids, fields) in by_weight(&ids, &fields) {
        insert_fields(transaction, ids, fields).await?;
    }
    let mut segs = Segs::default();
    for (id, (_, field)) in ids.iter().zip(&fields) {
        let Body::Chunks { text, cuts } = &field.body else { continue };
        for cut in cuts {
            segs.push(*id, cut.start.get(), cut.chars.get(), &text[cut.bytes.clone()]);
            if segs.bytes > MESSAGE_BYTES {
                segs.insert(transaction).await?;
            }
        }
    }
    segs.insert(transaction).await?;
    let mut units = Units::default();
    for (id, (record, field)) in ids.iter().zip(&fields) {
        for unit in &field.units {
            units.push(*record, *id, unit);
            if units.bytes > MESSAGE_BYTES {
                units.insert(transaction, scope).await?;
            }
        }
    }
    units.insert(transaction, scope).await
}

type Rows<'a, 'f> = (&'a [i64], &'a [(i64, &'f PreparedField)]);

/// Splits rows so that no statement carries much more than [`MESSAGE_BYTES`] of inline text.
fn by_weight<'a, 'f>(ids: &'a [i64], fields: &'a [(i64, &'f PreparedField)]) -> Vec<Rows<'a, 'f>> {
    let (mut parts, mut from, mut weight) = (Vec::new(), 0, 0);
    for (index, (_, field)) in fields.iter().enumerate() {
        weight += if let Body::Inline(text) = &field.body { text.len() } else { 0 };
        if weight > MESSAGE_BYTES {
            parts.push((&ids[from..=index], &fields[from..=index]));
            (from, weight) = (index + 1, 0);
        }
    }
    parts.push((&ids[from..], &fields[from..]));
    parts
}

async fn insert_fields(
    transaction: &Transaction<'_>,
    ids: &[i64],
    fields: &[(i64, &PreparedField)],
) -> Result<(), Failure> {
    let insert = transaction
        .prepare_cached(
            "INSERT INTO field (id, rec, top, pointer, nested, kind, chars, bytes, sha256, mime, file_name, nul_as, part_start, inline)
             SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[],
                                  $8::bigint[], $9::bytea[], $10::text[], $11::text[], $12::bigint[], $13::bigint[], $14::text[])",
        )
        .await?;
    let column =
        |of: fn(&PreparedField) -> i64| -> Vec<i64> { fields.iter().map(|(_, field)| of(field)).collect() };
    let maybe = |of: fn(&PreparedField) -> Option<i64>| -> Vec<Option<i64>> {
        fields.iter().map(|(_, field)| of(field)).collect()
    };
    let text = |of: fn(&PreparedField) -> Option<&str>| -> Vec<Option<&str>> {
        fields.iter().map(|(_, field)| of(field)).collect()
    };
    let records: Vec<i64> = fields.iter().map(|(record, _)| *record).collect();
    let digests: Vec<&[u8]> = fields.iter().map(|(_, field)| &field.digest.0[..]).collect();
    let part_start = |field: &PreparedField| match field.body {
        Body::Part(start) => Some(start.get() as i64),
        _ => None,
    };
    let inline = text(|field| match &field.body {
        Body::Inline(text) => Some(text),
        _ => None,
    });
    transaction
        .execute(
            &insert,
            &[
                &ids,
                &records,
                &text(|field| Some(&field.top)),
                &text(|field| Some(&field.pointer)),
                &column(|field| i64::from(field.nested)),
                &column(|field| field.kind.code()),
                &maybe(|field| field.chars.map(|chars| chars.get() as i64)),
                &column(|field| field.bytes.get() as i64),
                &digests,
                &text(|field| field.mime.as_deref()),
                &text(|field| field.file_name.as_deref()),
                &maybe(|field| field.nul_as.map(|c| i64::from(u32::from(c)))),
                &maybe(part_start),
                &inline,
            ],
        )
        .await?;
    Ok(())
}

/// Chunks that wait for the next statement.
#[derive(Default)]
struct Segs<'a> {
    fields: Vec<i64>,
    starts: Vec<i64>,
    chars: Vec<i64>,
    texts: Vec<&'a str>,
    bytes: usize,
}

impl<'a> Segs<'a> {
    fn push(&mut self, field: i64, start: u64, chars: u64, text: &'a str) {
        self.fields.push(field);
        self.starts.push(start as i64);
        self.chars.push(chars as i64);
        self.texts.push(text);
        self.bytes += text.len();
    }

    async fn insert(&mut self, transaction: &Transaction<'_>) -> Result<(), Failure> {
        let Segs { fields, starts, chars, texts, .. } = std::mem::take(self);
        if fields.is_empty() {
            return Ok(());
        }
        let insert = transaction
            .prepare_cached(
                "INSERT INTO seg (field, char_start, chars, text)
                 SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[])",
            )
            .await?;
        transaction.execute(&insert, &[&fields, &starts, &chars, &texts]).await?;
        Ok(())
    }
}

/// Words that wait for the next statement.
#[derive(Default)]
struct Units<'a> {
    records: Vec<i64>,
    fields: Vec<i64>,
    starts: Vec<i64>,
    words: Vec<&'a str>,
    bytes: usize,
}

impl<'a> Units<'a> {
    fn push(&mut self, record: i64, field: i64, unit: &'a PreparedUnit) {
        self.records.push(record);
        self.fields.push(field);
        self.starts.push(unit.start.get() as i64);
        self.words.push(&unit.words);
        self.bytes += unit.words.len();
    }

    async fn insert(&mut self, transaction: &Transaction<'_>, scope: i64) -> Result<(), Failure> {
        let Units { records, fields, starts, words, .. } = std::mem::take(self);
        if records.is_empty() {
            return Ok(());
        }
        let insert = transaction
            .prepare_cached(
                "INSERT INTO unit (scope, rec, field, char_start, words)
                 SELECT $1, r, f, c, array_to_tsvector(string_to_array(w, ' '))
                 FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) AS n (r, f, c, w)",
            )
            .await?;
        transaction.execute(&insert, &[&scope, &records, &fields, &starts, &words]).await?;
        Ok(())
    }
}

async fn add_blob(transaction: &Transaction<'_>, blob: &PreparedBlob) -> Result<(), Failure> {
    let digest = &blob.digest.0[..];
    let add = transaction
        .prepare_cached("INSERT INTO blob (sha256, bytes) VALUES ($1, $2) ON CONFLICT DO NOTHING")
        .await?;
    if transaction.execute(&add, &[&digest, &(blob.bytes.len() as i64)]).await? == 0 {
        return Ok(());
    }
    let part = transaction
        .prepare_cached("INSERT INTO blob_part (sha256, byte_start, data) VALUES ($1, $2, $3)")
        .await?;
    for (index, data) in blob.bytes.chunks(BLOB_PART).enumerate() {
        transaction.execute(&part, &[&digest, &((index * BLOB_PART) as i64), &data]).await?;
    }
    Ok(())
}
