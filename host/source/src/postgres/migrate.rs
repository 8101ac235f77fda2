//! Brings a database to the schema that this version speaks.

use crate::error::Failure;
use crate::postgres::filter;
use crate::time;
use tokio_postgres::Client;

/// Each entry brings the schema from its index to the next version.
pub(super) const STEPS: &[&str] = &[
    include_str!("schema.sql"),
    include_str!("ledger.sql"),
    filter::STEP,
    include_str!("records.sql"),
    concat!(include_str!("packages.sql"), include_str!("policies.sql")),
    include_str!("sorting.sql"),
    include_str!("words.sql"),
];

/// A number that replicas which start together agree on, so that only one of them makes the tables.
const LOCK: i64 = 0x5374_6570_7765_6c6c;

/// Makes or upgrades the schema; refuses one that is newer than we are.
pub(super) async fn migrate(client: &mut Client, schema: &'static str) -> Result<(), Failure> {
    let current = STEPS.len() as i64;
    let transaction = client.transaction().await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    let exists: bool = transaction
        .query_one("SELECT to_regclass($1) IS NOT NULL", &[&format!("{schema}.meta")])
        .await?
        .get(0);
    let found: i64 = match exists {
        true => transaction.query_one("SELECT version FROM meta", &[]).await?.get(0),
        false => 0,
    };
    if found == current {
        return Ok(());
    }
    if found > current {
        let message = format!(
            "the database has schema version {found}, and this program knows versions up to {current}: use a newer stepwell"
        );
        return Err(Failure::Store(message));
    }
    let encoding: String = transaction.query_one("SHOW server_encoding", &[]).await?.get(0);
    if encoding != "UTF8" {
        return Err(Failure::Store(format!(
            "the database is encoded in {encoding}; make one with ENCODING 'UTF8'"
        )));
    }
    transaction.batch_execute(&format!("CREATE SCHEMA IF NOT EXISTS {schema}")).await?;
    for step in STEPS.iter().skip(usize::try_from(found).unwrap_or_default()) {
        transaction.batch_execute(step).await?;
        if *step == filter::STEP {
            filter::fill(&transaction).await?;
        }
    }
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)
        .map_err(|error| Failure::Store(format!("no random bits for a key: {error}")))?;
    transaction
        .execute(
            "INSERT INTO sealing_key (secret, created_at) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM sealing_key)",
            &[&&secret[..], &time::now()],
        )
        .await?;
    transaction.execute("UPDATE meta SET version = $1", &[&current]).await?;
    transaction.commit().await?;
    Ok(())
}
