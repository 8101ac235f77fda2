//! What the engine finds wrong with itself.

use crate::care::check::Check;
use crate::care::session::Session;
use crate::care::watch::ProblemCode;
use crate::error::Failure;

/// How many complaints of the engine are told; the first ones say what to know.
const COMPLAINTS: i64 = 100;

impl Check<'_> {
    /// Lets SQLite look through its pages and indexes, the word index among them. Postgres has no such statement for
    /// everyone; reading every row is what shows there whether they can be read.
    pub(super) async fn engine(&mut self) -> Result<(), Failure> {
        let Session::Sqlite(_) = self.session else {
            let sql =
                "SELECT COUNT(*) FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)";
            self.checked.policies_bypassed = self.session.number("role", sql).await? > 0;
            return Ok(());
        };
        self.watch.stage("the file", 0);
        let complaints = self.session.on_sqlite(|connection| {
            let mut said = Vec::new();
            let listen = |row: &rusqlite::Row<'_>| {
                said.push(row.get::<_, String>(0)?);
                Ok(())
            };
            connection.pragma(None, "integrity_check", COMPLAINTS, listen)?;
            Ok(said)
        });
        for complaint in complaints.await?.into_iter().filter(|complaint| complaint != "ok") {
            self.found(ProblemCode::Engine, "the file", complaint);
        }
        Ok(())
    }
}
