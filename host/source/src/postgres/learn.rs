//! Lets Postgres learn about tables that were filled.
//!
//! It plans by what it knows of its tables, and looks at one by itself a minute after it has changed, so after an import it
//! would plan for tables that are almost empty. The small tables, which hold grants, it would never look at.

use deadpool_postgres::Object;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_postgres::Error;

/// What is looked at. Whoever has a table locked is not waited for: it is read again after a later batch, or by Postgres itself.
pub(crate) const LEARN: &str =
    "ANALYZE (SKIP_LOCKED) connection, scope, scope_field, grants, grant_scope, grant_field,
    record, field, seg, filter_value, unit, mark";

/// How many records the store had then, or a negative number.
const KNOWN: &str = "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = to_regclass('record')";

/// With fewer new records than these, every plan is good.
const FEW: u64 = 500;

/// By which part of itself a store has to grow. A look costs about a second, however large the tables are.
const PART: u64 = 5;

/// Takes note of stored records, and lets Postgres learn when they are many for this store. What was stored is stored: a
/// failure here makes reads slower, and nothing else.
pub(super) async fn after(client: &Object, unlearnt: &AtomicU64, stored: u64) {
    let unlearnt_now = unlearnt.fetch_add(stored, Ordering::Relaxed) + stored;
    if unlearnt_now < FEW {
        return;
    }
    match learn(client, unlearnt_now).await {
        Ok(true) => unlearnt.store(0, Ordering::Relaxed),
        Ok(false) => {}
        Err(error) => {
            tracing::warn!(%error, "Postgres could not look at its tables anew; searches may be slow");
        }
    }
}

async fn learn(client: &Object, unlearnt: u64) -> Result<bool, Error> {
    let known = client.prepare_cached(KNOWN).await?;
    let known: i64 = client.query_opt(&known, &[]).await?.map_or(0, |row| row.get(0));
    if unlearnt < u64::try_from(known).unwrap_or(0) / PART {
        return Ok(false);
    }
    client.batch_execute(LEARN).await?;
    Ok(true)
}
