//! Brings a file to the schema that this version speaks.

use crate::error::Failure;
use crate::sqlite::filter;
use crate::time;
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;

/// Marks a file as ours: "Step" in ASCII.
const APPLICATION_ID: i64 = 0x5374_6570;

/// Each entry brings the schema from its index to the next version.
pub(super) const STEPS: &[&str] = &[
    include_str!("schema.sql"),
    include_str!("ledger.sql"),
    filter::STEP,
    include_str!("records.sql"),
    include_str!("packages.sql"),
    include_str!("sorting.sql"),
    include_str!("words.sql"),
];

/// How often the mode is set before a file counts as locked: two seconds' worth.
const ATTEMPTS: u32 = 100;

/// Makes or upgrades the schema; refuses a file that is not ours or is newer than we are.
pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), Failure> {
    let current = STEPS.len() as i64;
    // Before anything is written: to change the mode of someone else's file would be to change the file. In one
    // transaction, so that a file that someone is just making is not seen half made.
    if usable_version(&*connection.transaction()?, path)? == current {
        return Ok(());
    }
    // Before any table is made, so that the whole file is in this mode from the start.
    keep_log(connection)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Someone else may have been faster.
    let found = usable_version(&transaction, path)?;
    for step in STEPS.iter().skip(usize::try_from(found).unwrap_or_default()) {
        transaction.execute_batch(step)?;
        if *step == filter::STEP {
            filter::fill(&transaction)?;
        }
    }
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)
        .map_err(|error| Failure::Store(format!("no random bits for a key: {error}")))?;
    transaction.execute(
        "INSERT INTO sealing_key (secret, created_at) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM sealing_key)",
        rusqlite::params![secret, time::now()],
    )?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", current)?;
    transaction.commit()?;
    Ok(())
}

/// Has a file keep a log, so that those who read and the one who writes do not wait for each other. SQLite does not wait for
/// others who do the same, so this does.
pub(super) fn keep_log(connection: &Connection) -> Result<(), Failure> {
    for attempt in 1..=ATTEMPTS {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if attempt < ATTEMPTS
                    && error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) =>
            {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            outcome => return Ok(outcome?),
        }
    }
    Ok(())
}

/// Reads the version of a file that is empty or ours; refuses any other.
pub(super) fn usable_version(connection: &Connection, path: &Path) -> Result<i64, Failure> {
    let foreign = || Failure::Store(format!("{} is not a Stepwell store", path.display()));
    let not_ours = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => foreign(),
        _ => error.into(),
    };
    let (found, current) = (version(connection).map_err(not_ours)?, STEPS.len() as i64);
    if application(connection)? != APPLICATION_ID {
        let tables: i64 = connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))?;
        return if tables == 0 && found == 0 { Ok(0) } else { Err(foreign()) };
    }
    if found > current {
        let message = format!(
            "the store {} has schema version {found}, and this program knows versions up to {current}: use a newer stepwell",
            path.display()
        );
        return Err(Failure::Store(message));
    }
    Ok(found)
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn application(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "application_id", |row| row.get(0))
}
