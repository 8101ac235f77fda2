//! Writes the fields of records, many rows a statement.

use crate::error::Failure;
use crate::postgres::store::Written;
use crate::prepare::blob::PART as BLOB_PART;
use crate::prepare::{Body, PreparedBlob, PreparedField, PreparedUnit};
use deadpool_postgres::Transaction;

/// How many bytes of text one statement carries; a longer field is sent in several.
const MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// Writes the rows of records' fields.
pub(super) async fn add_fields(
    transaction: &Transaction<'_>,
    scope: i64,
    written: &[Written<'_>],
    revision: i64,
) -> Result<(), Failure> {
    let mut fields: Vec<NewField<'_>> = Vec::new();
    for Written { id, record, difference } in written {
        for field in &record.fields {
            fields.push((*id, field, difference.revision_of(&field.top, revision)));
        }
    }
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
    for (id, (_, field, _)) in ids.iter().zip(&fields) {
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
    for (id, (record, field, _)) in ids.iter().zip(&fields) {
        for unit in &field.units {
            units.push(*record, *id, &field.top, unit);
            if units.bytes > MESSAGE_BYTES {
                units.insert(transaction, scope).await?;
            }
        }
    }
    units.insert(transaction, scope).await
}

/// A field of a record, and since which revision it has been as it is.
type NewField<'f> = (i64, &'f PreparedField, i64);

type Rows<'a, 'f> = (&'a [i64], &'a [NewField<'f>]);

/// Splits rows so that no statement carries much more than [`MESSAGE_BYTES`] of inline text.
fn by_weight<'a, 'f>(ids: &'a [i64], fields: &'a [NewField<'f>]) -> Vec<Rows<'a, 'f>> {
    let (mut parts, mut from, mut weight) = (Vec::new(), 0, 0);
    for (index, (_, field, _)) in fields.iter().enumerate() {
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
    fields: &[NewField<'_>],
) -> Result<(), Failure> {
    let insert = transaction
        .prepare_cached(
            "INSERT INTO field (id, rec, top, pointer, nested, kind, chars, bytes, sha256, mime, file_name, nul_as, part_start, inline, revision)
             SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[],
                                  $8::bigint[], $9::bytea[], $10::text[], $11::text[], $12::bigint[], $13::bigint[], $14::text[],
                                  $15::bigint[])",
        )
        .await?;
    let column = |of: fn(&PreparedField) -> i64| -> Vec<i64> {
        fields.iter().map(|(_, field, _)| of(field)).collect()
    };
    let maybe = |of: fn(&PreparedField) -> Option<i64>| -> Vec<Option<i64>> {
        fields.iter().map(|(_, field, _)| of(field)).collect()
    };
    let text = |of: fn(&PreparedField) -> Option<&str>| -> Vec<Option<&str>> {
        fields.iter().map(|(_, field, _)| of(field)).collect()
    };
    let records: Vec<i64> = fields.iter().map(|(record, ..)| *record).collect();
    let revisions: Vec<i64> = fields.iter().map(|(.., revision)| *revision).collect();
    let digests: Vec<&[u8]> = fields.iter().map(|(_, field, _)| &field.digest.0[..]).collect();
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
                &revisions,
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
    tops: Vec<&'a str>,
    starts: Vec<i64>,
    words: Vec<&'a str>,
    bytes: usize,
}

impl<'a> Units<'a> {
    fn push(&mut self, record: i64, field: i64, top: &'a str, unit: &'a PreparedUnit) {
        self.records.push(record);
        self.fields.push(field);
        self.tops.push(top);
        self.starts.push(unit.start.get() as i64);
        self.words.push(&unit.words);
        self.bytes += unit.words.len();
    }

    async fn insert(&mut self, transaction: &Transaction<'_>, scope: i64) -> Result<(), Failure> {
        let Units { records, fields, tops, starts, words, .. } = std::mem::take(self);
        if records.is_empty() {
            return Ok(());
        }
        let insert = transaction
            .prepare_cached(
                "INSERT INTO unit (scope, rec, field, top, char_start, words)
                 SELECT $1, r, f, t, c, array_to_tsvector(string_to_array(w, ' '))
                 FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[]) AS n (r, f, t, c, w)",
            )
            .await?;
        transaction.execute(&insert, &[&scope, &records, &fields, &tops, &starts, &words]).await?;
        Ok(())
    }
}

/// Writes a blob that is not there yet.
pub(super) async fn add_blob(transaction: &Transaction<'_>, blob: &PreparedBlob) -> Result<(), Failure> {
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
