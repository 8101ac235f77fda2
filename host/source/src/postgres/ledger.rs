//! Writes what is disclosed: one statement for an answer, one round trip. The server itself lets commits that come
//! together share one write to disk.

use crate::embedded::ledger::columns;
use crate::embedded::statement::Statement;
use crate::error::Failure;
use crate::ledger::{Disclosure, NewEntries, NewEntry};
use deadpool_postgres::Object;

/// Makes the entries of one answer durable.
pub(super) async fn append(client: &Object, entries: &NewEntries) -> Result<(), Failure> {
    let NewEntries { at, tool, disclosed, .. } = entries;
    let insert = client.prepare_cached(&Statement::AddDisclosure.postgres()).await?;
    let text = |of: fn(&Disclosure) -> Option<&str>| -> Vec<Option<&str>> {
        disclosed.iter().map(|one| of(&one.what)).collect()
    };
    let whose = |of: fn(&NewEntry) -> &str| -> Vec<&str> { disclosed.iter().map(of).collect() };
    let extents: Vec<_> = disclosed.iter().map(|one| columns(one.what.extent)).collect();
    let units: Vec<Option<i64>> = extents.iter().map(|extent| extent.0).collect();
    let starts: Vec<Option<i64>> = extents.iter().map(|extent| extent.1).collect();
    let ends: Vec<Option<i64>> = extents.iter().map(|extent| extent.2).collect();
    let bytes: Vec<i64> =
        disclosed.iter().map(|one| i64::try_from(one.what.bytes.get()).unwrap_or(i64::MAX)).collect();
    client
        .execute(
            &insert,
            &[
                at,
                &whose(|one| &one.grant),
                &whose(|one| &one.client),
                tool,
                &text(|one| one.connection.as_ref().map(|id| id.as_str())),
                &text(|one| one.stream.as_ref().map(|name| name.as_str())),
                &text(|one| one.record.as_ref().map(|id| id.as_str())),
                &text(|one| one.field.as_deref()),
                &units,
                &starts,
                &ends,
                &bytes,
                &text(|one| one.tier.as_deref()),
            ],
        )
        .await?;
    Ok(())
}
