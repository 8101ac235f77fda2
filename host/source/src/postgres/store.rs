//! Writes prepared records: finds out what is new, and brings the records' own rows up to date.
//!
//! Rows travel as arrays that the server unnests: as few round trips as COPY into a temporary table, and no catalogue rows
//! made and dropped for each batch.

use crate::embedded::engine::{Batch, StoredBatch};
use crate::embedded::merge::{Difference, EarlierField, new_mark};
use crate::error::Failure;
use crate::postgres::fields::{add_blob, add_fields};
use crate::postgres::filter;
use crate::prepare::{PreparedRecord, Semantics};
use crate::shape::Digest;
use deadpool_postgres::Transaction;
use std::collections::HashMap;
use tokio_postgres::Row;

/// What is there of a record already.
struct Earlier {
    id: i64,
    digest: Vec<u8>,
    period: i64,
    consent_time: Option<i64>,
    emitted: i64,
}

/// A record that replaces another, and what that changes.
struct Replaced<'a> {
    there: Earlier,
    record: &'a PreparedRecord,
    difference: Difference,
}

impl Replaced<'_> {
    fn consent_time(&self) -> Option<i64> {
        self.record.consent_time_after(self.there.emitted, self.there.consent_time)
    }
}

/// A record whose fields are to be written.
pub(super) struct Written<'a> {
    pub(super) id: i64,
    pub(super) record: &'a PreparedRecord,
    pub(super) difference: Difference,
}

/// Stores a batch. Each record is compared by its digest first: what is there already is not written again.
pub(super) async fn store(transaction: &Transaction<'_>, batch: &Batch) -> Result<StoredBatch, Failure> {
    let scope = batch.scope;
    // The update locks the stream's row, so that two writers of one stream queue here.
    let bump = transaction
        .prepare_cached("UPDATE scope SET revision = revision + 1 WHERE id = $1 RETURNING revision")
        .await?;
    let revision: i64 = transaction.query_one(&bump, &[&scope]).await?.get(0);
    let mut earlier = earlier(transaction, scope, &batch.records).await?;
    let (mut fresh, mut newer, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    let mut outcome = StoredBatch::default();
    for (place, record) in batch.records.iter().enumerate() {
        match earlier.remove(record.key.as_str()) {
            None if record.deleted => outcome.unchanged += 1,
            None => fresh.push(record),
            Some(there) if record.deleted => gone.push((there, record)),
            Some(there) if record.is_stored(&there.digest, there.consent_time) => outcome.unchanged += 1,
            Some(there) => newer.push((place, there, record)),
        }
    }
    let ids: Vec<i64> = newer.iter().map(|(_, there, _)| there.id).collect();
    let mut fields = fields_of(transaction, &ids).await?;
    let mut replaced = Vec::new();
    for (place, there, record) in newer {
        let difference = Difference::of(fields.remove(&there.id).unwrap_or_default(), record);
        if difference.any && batch.semantics == Semantics::AppendOnly {
            outcome.refused.push(place);
        } else {
            replaced.push(Replaced { there, record, difference });
        }
    }
    (outcome.added, outcome.changed) = (fresh.len() as u64, replaced.len() as u64);
    outcome.deleted = gone.len() as u64;
    remove(transaction, scope, &gone, revision).await?;
    replace(transaction, scope, &replaced, revision).await?;
    let mut written = add(transaction, scope, &fresh, revision, batch.now).await?;
    let rewritten = replaced.into_iter().filter(|replaced| replaced.difference.any);
    written.extend(rewritten.map(|Replaced { there, record, difference }| Written {
        id: there.id,
        record,
        difference,
    }));
    add_fields(transaction, scope, &written, revision).await?;
    filter::add(transaction, scope, &written).await?;
    note_gone(transaction, &written, revision).await?;
    for blob in written.iter().flat_map(|written| &written.record.blobs) {
        add_blob(transaction, blob).await?;
    }
    if outcome.added + outcome.changed + outcome.deleted > 0 {
        let add = "INSERT INTO mark (scope, revision, at, mark) VALUES ($1, $2, $3, $4)";
        let add = transaction.prepare_cached(add).await?;
        transaction.execute(&add, &[&scope, &revision, &batch.now, &&new_mark()?[..]]).await?;
    }
    Ok(outcome)
}

async fn earlier(
    transaction: &Transaction<'_>,
    scope: i64,
    records: &[PreparedRecord],
) -> Result<HashMap<String, Earlier>, Failure> {
    let keys: Vec<&str> = records.iter().map(|record| record.key.as_str()).collect();
    let select = transaction
        .prepare_cached(
            "SELECT rid, id, sha256, period, consent_time, emitted FROM record WHERE scope = $1 AND rid = ANY($2)",
        )
        .await?;
    let rows = transaction.query(&select, &[&scope, &keys]).await?;
    let of = |row: &Row| {
        let (id, digest) = (row.get(1), row.get(2));
        let (period, consent_time, emitted) = (row.get(3), row.get(4), row.get(5));
        (row.get(0), Earlier { id, digest, period, consent_time, emitted })
    };
    Ok(rows.iter().map(of).collect())
}

async fn fields_of(
    transaction: &Transaction<'_>,
    ids: &[i64],
) -> Result<HashMap<i64, Vec<EarlierField>>, Failure> {
    let mut fields: HashMap<i64, Vec<EarlierField>> = HashMap::new();
    if ids.is_empty() {
        return Ok(fields);
    }
    let select = transaction
        .prepare_cached(
            "SELECT rec, top, kind, sha256, mime, file_name, revision FROM field WHERE rec = ANY($1) AND nested = 0",
        )
        .await?;
    for row in transaction.query(&select, &[&ids]).await? {
        let digest: Vec<u8> = row.get(3);
        let digest =
            digest.try_into().map_err(|_| Failure::Store("a stored digest has another length".into()))?;
        fields.entry(row.get(0)).or_default().push(EarlierField {
            top: row.get(1),
            kind: row.get(2),
            digest: Digest(digest),
            mime: row.get(4),
            file_name: row.get(5),
            revision: row.get(6),
        });
    }
    Ok(fields)
}

async fn add<'a>(
    transaction: &Transaction<'_>,
    scope: i64,
    records: &[&'a PreparedRecord],
    revision: i64,
    now: i64,
) -> Result<Vec<Written<'a>>, Failure> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<&str> = records.iter().map(|record| record.key.as_str()).collect();
    let emitted: Vec<i64> = records.iter().map(|record| record.emitted.unwrap_or(now)).collect();
    let times: Vec<i64> =
        records.iter().zip(&emitted).map(|(record, emitted)| record.cursor.unwrap_or(*emitted)).collect();
    let consents: Vec<Option<i64>> = records.iter().map(|record| record.consent_time).collect();
    let digests: Vec<&[u8]> = records.iter().map(|record| &record.digest.0[..]).collect();
    let insert = transaction
        .prepare_cached(
            "INSERT INTO record (scope, rid, time, emitted, consent_time, sha256, revision, period)
             SELECT $1, k, t, e, c, d, $2, $2
             FROM unnest($3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[]) AS n (k, t, e, c, d)
             RETURNING rid, id",
        )
        .await?;
    let rows = transaction
        .query(&insert, &[&scope, &revision, &keys, &times, &emitted, &consents, &digests])
        .await?;
    let ids: HashMap<&str, i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let written = |record: &&'a PreparedRecord| {
        let id = *ids.get(record.key.as_str())?;
        Some(Written { id, record, difference: Difference::default() })
    };
    records
        .iter()
        .map(written)
        .collect::<Option<_>>()
        .ok_or_else(|| Failure::Store("an inserted record is missing".into()))
}

/// Takes records away, and notes that they were in some grants' sight until now.
async fn remove(
    transaction: &Transaction<'_>,
    scope: i64,
    gone: &[(Earlier, &PreparedRecord)],
    revision: i64,
) -> Result<(), Failure> {
    if gone.is_empty() {
        return Ok(());
    }
    let former: Vec<(&Earlier, &PreparedRecord)> =
        gone.iter().map(|(there, record)| (there, *record)).collect();
    bury(transaction, scope, &former, revision).await?;
    let ids: Vec<i64> = gone.iter().map(|(there, _)| there.id).collect();
    clear(transaction, &ids).await?;
    for delete in ["DELETE FROM former_field WHERE rec = ANY($1)", "DELETE FROM record WHERE id = ANY($1)"] {
        let delete = transaction.prepare_cached(delete).await?;
        transaction.execute(&delete, &[&ids]).await?;
    }
    Ok(())
}

/// Notes that records were in some grants' sight until now.
async fn bury(
    transaction: &Transaction<'_>,
    scope: i64,
    former: &[(&Earlier, &PreparedRecord)],
    revision: i64,
) -> Result<(), Failure> {
    let keys: Vec<&str> = former.iter().map(|(_, record)| record.key.as_str()).collect();
    let periods: Vec<i64> = former.iter().map(|(there, _)| there.period).collect();
    let consents: Vec<Option<i64>> = former.iter().map(|(there, _)| there.consent_time).collect();
    let insert = transaction
        .prepare_cached(
            "INSERT INTO former_record (scope, rid, began, ended, consent_time)
             SELECT $1, k, b, $2, c FROM unnest($3::text[], $4::bigint[], $5::bigint[]) AS n (k, b, c)",
        )
        .await?;
    transaction.execute(&insert, &[&scope, &revision, &keys, &periods, &consents]).await?;
    Ok(())
}

/// Takes the rows of records' fields away.
async fn clear(transaction: &Transaction<'_>, ids: &[i64]) -> Result<(), Failure> {
    for delete in [
        "DELETE FROM unit WHERE rec = ANY($1)",
        "DELETE FROM seg WHERE field IN (SELECT id FROM field WHERE rec = ANY($1))",
        "DELETE FROM field WHERE rec = ANY($1)",
    ] {
        let delete = transaction.prepare_cached(delete).await?;
        transaction.execute(&delete, &[&ids]).await?;
    }
    filter::remove(transaction, ids).await
}

/// Brings records' own rows up to date and takes the rows of fields away that are to be written again. A record keeps the
/// moment at which it was first emitted: a later one would tell that something changed, whatever it was.
async fn replace(
    transaction: &Transaction<'_>,
    scope: i64,
    replaced: &[Replaced<'_>],
    revision: i64,
) -> Result<(), Failure> {
    if replaced.is_empty() {
        return Ok(());
    }
    let moved = |replaced: &&Replaced<'_>| replaced.there.consent_time != replaced.consent_time();
    let former: Vec<(&Earlier, &PreparedRecord)> =
        replaced.iter().filter(moved).map(|replaced| (&replaced.there, replaced.record)).collect();
    bury(transaction, scope, &former, revision).await?;
    let rewritten: Vec<i64> = replaced
        .iter()
        .filter(|replaced| replaced.difference.any)
        .map(|replaced| replaced.there.id)
        .collect();
    clear(transaction, &rewritten).await?;
    let ids: Vec<i64> = replaced.iter().map(|replaced| replaced.there.id).collect();
    let cursors: Vec<Option<i64>> = replaced.iter().map(|replaced| replaced.record.cursor).collect();
    let consents: Vec<Option<i64>> = replaced.iter().map(Replaced::consent_time).collect();
    let digests: Vec<&[u8]> = replaced.iter().map(|replaced| &replaced.record.digest.0[..]).collect();
    let periods: Vec<i64> = replaced
        .iter()
        .map(|replaced| if moved(&replaced) { revision } else { replaced.there.period })
        .collect();
    let update = transaction
        .prepare_cached(
            "UPDATE record r SET time = COALESCE(n.t, r.emitted), consent_time = n.c, sha256 = n.d, revision = $1, period = n.p
             FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bigint[]) AS n (id, t, c, d, p)
             WHERE r.id = n.id",
        )
        .await?;
    transaction.execute(&update, &[&revision, &ids, &cursors, &consents, &digests, &periods]).await?;
    Ok(())
}

/// Notes the fields that records lost, and forgets that of those that they have again.
async fn note_gone(
    transaction: &Transaction<'_>,
    written: &[Written<'_>],
    revision: i64,
) -> Result<(), Failure> {
    let changed: Vec<&Written<'_>> = written.iter().filter(|written| written.difference.any).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let (mut records, mut tops) = (Vec::new(), Vec::new());
    for written in &changed {
        for top in &written.difference.gone {
            records.push(written.id);
            tops.push(top.as_str());
        }
    }
    let insert = transaction
        .prepare_cached(
            "INSERT INTO former_field (rec, top, revision)
             SELECT r, t, $1 FROM unnest($2::bigint[], $3::text[]) AS n (r, t)
             ON CONFLICT (rec, top) DO UPDATE SET revision = excluded.revision",
        )
        .await?;
    transaction.execute(&insert, &[&revision, &records, &tops]).await?;
    let ids: Vec<i64> = changed.iter().map(|written| written.id).collect();
    let delete = transaction
        .prepare_cached(
            "DELETE FROM former_field o USING field f WHERE o.rec = ANY($1) AND f.rec = o.rec AND f.top = o.top",
        )
        .await?;
    transaction.execute(&delete, &[&ids]).await?;
    Ok(())
}
