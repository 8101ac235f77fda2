//! Writes the values that filters compare, many rows a statement.

use crate::error::Failure;
use crate::ordered;
use crate::postgres::store::Written;
use crate::prepare::nul;
use crate::shape::FieldKind;
use tokio_postgres::Transaction;

/// The step of the schema that brings the table.
pub(super) const STEP: &str = include_str!("filter.sql");

/// How many rows one statement carries.
const ROWS: usize = 5_000;

/// Rows that wait for the next statement.
#[derive(Default)]
struct Rows<'a> {
    scopes: Vec<i64>,
    tops: Vec<&'a str>,
    values: Vec<Vec<u8>>,
    records: Vec<i64>,
}

impl<'a> Rows<'a> {
    async fn push(
        &mut self,
        client: &Transaction<'_>,
        (scope, record): (i64, i64),
        top: &'a str,
        value: Vec<u8>,
    ) -> Result<(), Failure> {
        self.scopes.push(scope);
        self.tops.push(top);
        self.values.push(value);
        self.records.push(record);
        if self.records.len() < ROWS { Ok(()) } else { self.insert(client).await }
    }

    async fn insert(&mut self, client: &Transaction<'_>) -> Result<(), Failure> {
        let Rows { scopes, tops, values, records } = std::mem::take(self);
        if records.is_empty() {
            return Ok(());
        }
        let insert = "INSERT INTO filter_value (scope, top, value, rec)
            SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::bigint[])";
        client.execute(insert, &[&scopes, &tops, &values, &records]).await?;
        Ok(())
    }
}

/// Adds the values of records.
pub(super) async fn add(
    client: &Transaction<'_>,
    scope: i64,
    written: &[Written<'_>],
) -> Result<(), Failure> {
    let mut rows = Rows::default();
    for Written { id, record, .. } in written {
        for field in &record.fields {
            for value in &field.values {
                rows.push(client, (scope, *id), &field.top, value.clone()).await?;
            }
        }
    }
    rows.insert(client).await
}

/// Takes the values of records away.
pub(super) async fn remove(client: &Transaction<'_>, records: &[i64]) -> Result<(), Failure> {
    client.execute("DELETE FROM filter_value WHERE rec = ANY($1)", &[&records]).await?;
    Ok(())
}

/// Adds the values of all records of a store that had none.
pub(super) async fn fill(client: &Transaction<'_>) -> Result<(), Failure> {
    let select = "SELECT f.id, r.scope, r.id, f.top, f.kind, f.inline, f.nul_as FROM field f JOIN record r ON r.id = f.rec
        WHERE f.id > $1 AND f.nested = 0 AND f.inline IS NOT NULL AND octet_length(f.top) <= $2
        ORDER BY f.id LIMIT $3";
    let mut after = i64::MIN;
    loop {
        let (name_max, limit) = (ordered::NAME_MAX as i32, ROWS as i64);
        let found = client.query(select, &[&after, &name_max, &limit]).await?;
        let Some(last) = found.last() else { return Ok(()) };
        after = last.get(0);
        let mut rows = Rows::default();
        for row in &found {
            let Some(kind) = FieldKind::from_code(row.get(4)) else { continue };
            let nul_as =
                row.get::<_, Option<i64>>(6).and_then(|code| char::from_u32(u32::try_from(code).ok()?));
            for value in ordered::values(kind, &nul::restore(row.get(5), nul_as)) {
                rows.push(client, (row.get(1), row.get(2)), row.get(3), value).await?;
            }
        }
        rows.insert(client).await?;
    }
}
