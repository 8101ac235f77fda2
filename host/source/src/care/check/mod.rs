//! Looks whether a store is sound: everything in it is where it belongs and is what its digests say.
//!
//! The store is read as of one moment, in pages, so memory does not grow with it and others may write meanwhile.

mod blobs;
mod chunks;
mod engine;
mod index;
mod records;
mod references;

use crate::bind;
use crate::care::session::Session;
use crate::care::watch::{Problem, ProblemCode, Watch};
use crate::embedded::manifest_of;
use crate::error::Failure;
use crate::prepare::Manifest;
use crate::url::SourceUrl;
use std::collections::HashMap;

/// What a check went through, and how much of it was wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Records.
    pub records: u64,
    /// Top-level fields, and long values nested in them.
    pub fields: u64,
    /// Code points of text that were held against their digests.
    pub chars: u64,
    /// Blobs.
    pub blobs: u64,
    /// Bytes of blobs that were held against their digests.
    pub blob_bytes: u64,
    /// Entries of the word index that were held against their text.
    pub indexed: u64,
    /// Problems.
    pub problems: u64,
    /// Blobs that nothing refers to any more; `store vacuum` removes them.
    pub unused_blobs: u64,
    /// Their bytes.
    pub unused_bytes: u64,
    /// Whether the policies of Postgres do not bind the role that the store is opened as. It is no problem of the store.
    pub policies_bypassed: bool,
}

/// Checks a whole store. Each problem is told as it is found.
pub async fn check(url: &SourceUrl, watch: &mut dyn Watch) -> Result<Checked, Failure> {
    check_session(&Session::open(url).await?, watch).await
}

/// Checks the store of a session.
pub(crate) async fn check_session(session: &Session, watch: &mut dyn Watch) -> Result<Checked, Failure> {
    let mut check = Check { session, watch, scopes: HashMap::new(), checked: Checked::default() };
    check.engine().await?;
    session.hold_still().await?;
    let outcome = check.everything().await;
    let ended = session.batch("ROLLBACK").await;
    // What went wrong first says more.
    outcome.and(ended)?;
    Ok(check.checked)
}

/// A connection's stream.
struct Scope {
    connection: String,
    stream: String,
    manifest: Manifest,
}

/// A check under way.
struct Check<'a> {
    session: &'a Session,
    watch: &'a mut dyn Watch,
    scopes: HashMap<i64, Scope>,
    checked: Checked,
}

impl Check<'_> {
    async fn everything(&mut self) -> Result<(), Failure> {
        self.references().await?;
        self.read_scopes().await?;
        let records = self.records().await;
        self.tell_unreadable(records)?;
        let index = self.index().await;
        self.tell_unreadable(index)?;
        let blobs = self.blobs().await;
        self.tell_unreadable(blobs)
    }

    /// A row that cannot be read ends the part of the check that came upon it, and not the others.
    fn tell_unreadable(&mut self, outcome: Result<(), Failure>) -> Result<(), Failure> {
        let Err(Failure::Row { statement, column }) = outcome else { return outcome };
        let detail = format!(
            "value {column} of a row is none that belongs there; what comes after it was not looked at"
        );
        self.found(ProblemCode::Unreadable, statement, detail);
        Ok(())
    }

    async fn read_scopes(&mut self) -> Result<(), Failure> {
        let sql = "SELECT id, connection, stream, manifest FROM scope ORDER BY id";
        for mut row in self.session.rows("scopes", sql, bind![]).await? {
            let (id, connection, stream) = (row.int()?, row.text()?, row.text()?);
            let manifest = manifest_of(row.text_or_null()?).unwrap_or_else(|error| {
                let (code, place) = (ProblemCode::FieldShape, format!("{connection}/{stream}"));
                self.found(code, place, error.to_string());
                Manifest::default()
            });
            self.scopes.insert(id, Scope { connection, stream, manifest });
        }
        Ok(())
    }

    fn found(&mut self, code: ProblemCode, place: impl Into<String>, detail: impl Into<String>) {
        self.checked.problems += 1;
        self.watch.problem(Problem { code, place: place.into(), detail: detail.into() });
    }

    /// A record's id as everyone else spells it.
    fn record_id(&self, scope: i64, rid: &str) -> String {
        match self.scopes.get(&scope) {
            Some(Scope { connection, stream, .. }) => format!("{connection}/{stream}:{rid}"),
            None => format!("stream row {scope}: {rid}"),
        }
    }
}
