//! What nothing refers to any more.

use crate::care::session::Session;
use crate::error::Failure;

/// The blobs that no field refers to, with their bytes: the one place that says what keeps a blob.
const UNUSED_BLOBS: &str = "SELECT b.sha256, b.bytes FROM blob b
    LEFT JOIN (SELECT DISTINCT sha256 FROM field WHERE kind = 4) f ON f.sha256 = b.sha256 WHERE f.sha256 IS NULL";

/// How many there are, and how many bytes they have.
pub(crate) fn count() -> String {
    format!("SELECT COUNT(*), CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM ({UNUSED_BLOBS}) AS unused")
}

/// Removes them within a transaction that no ingest can slip into, and says how many there were and how many bytes.
pub(crate) async fn remove_unused_blobs(session: &Session) -> Result<(u64, u64), Failure> {
    let mut removed = (0, 0);
    for mut row in session.rows("unused blobs", &count(), Vec::new()).await? {
        removed = (row.int()?.unsigned_abs(), row.int()?.unsigned_abs());
    }
    for table in ["blob_part", "blob"] {
        let unused = format!("SELECT sha256 FROM ({UNUSED_BLOBS}) AS unused");
        session.batch(&format!("DELETE FROM {table} WHERE sha256 IN ({unused})")).await?;
    }
    Ok(removed)
}
