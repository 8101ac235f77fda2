//! How many records a store holds of each day.

use crate::bind;
use crate::care::session::Session;
use crate::error::Failure;
use crate::time::{DAY, Millis};
use crate::url::SourceUrl;

/// What one stream has of one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Day {
    /// The connection.
    pub connection: String,
    /// The stream.
    pub stream: String,
    /// When the day begins, in UTC.
    pub begins: Millis,
    /// Its records.
    pub records: u64,
}

/// Days before 1970 are counted down, so what is left over is made positive first. 86,400,000 ms are a day.
const DAYS: &str = "SELECT s.connection, s.stream, d.begins, d.records FROM
      (SELECT scope, time - ((time % 86400000) + 86400000) % 86400000 AS begins, COUNT(*) AS records FROM record GROUP BY 1, 2) d
    JOIN scope s ON s.id = d.scope ORDER BY s.connection, s.stream, d.begins";
const _: () = assert!(DAY == 86_400_000);

/// Counts the records of each day, by connection, stream and day; a day without records is left out.
pub async fn timeline(url: &SourceUrl) -> Result<Vec<Day>, Failure> {
    let session = Session::open(url).await?;
    let mut days = Vec::new();
    for mut row in session.rows("days", DAYS, bind![]).await? {
        let (connection, stream, begins) = (row.text()?, row.text()?, row.int()?);
        days.push(Day { connection, stream, begins, records: row.int()?.unsigned_abs() });
    }
    Ok(days)
}
