//! How much a grant would open, before it is made.

use crate::bind;
use crate::care::session::Session;
use crate::error::Failure;
use crate::grant::GrantedStream;
use crate::time::Millis;
use crate::url::SourceUrl;

/// How much of one stream a grant would open as of now. Whoever agrees to the grant sees this first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Foreseen {
    /// The records within its range and its list.
    pub records: u64,
    /// All records of the stream.
    pub of: u64,
    /// The times of the oldest and the newest record within.
    pub times: Option<(Millis, Millis)>,
}

const ALL: &str =
    "SELECT COUNT(*) FROM record WHERE scope = (SELECT id FROM scope WHERE connection = ?1 AND stream = ?2)";

/// As the reading path does: a record without a time lies in no range.
const IN_RANGE: &str = "SELECT COUNT(*), MIN(time), MAX(time) FROM record
    WHERE scope = (SELECT id FROM scope WHERE connection = ?1 AND stream = ?2)
      AND (CAST(?3 AS BIGINT) IS NULL OR consent_time >= CAST(?3 AS BIGINT))
      AND (CAST(?4 AS BIGINT) IS NULL OR consent_time < CAST(?4 AS BIGINT))";

const LISTED: &str = "SELECT COUNT(*), MIN(time), MAX(time) FROM record
    WHERE scope = (SELECT id FROM scope WHERE connection = ?1 AND stream = ?2)
      AND (CAST(?3 AS BIGINT) IS NULL OR consent_time >= CAST(?3 AS BIGINT))
      AND (CAST(?4 AS BIGINT) IS NULL OR consent_time < CAST(?4 AS BIGINT)) AND rid = ?5";

/// Counts what each of the streams would open, in their order.
pub async fn foresee(url: &SourceUrl, streams: &[GrantedStream]) -> Result<Vec<Foreseen>, Failure> {
    let session = Session::open(url).await?;
    session.hold_still().await?;
    let mut all = Vec::with_capacity(streams.len());
    for stream in streams {
        all.push(count(&session, stream).await?);
    }
    session.batch("ROLLBACK").await?;
    Ok(all)
}

async fn count(session: &Session, stream: &GrantedStream) -> Result<Foreseen, Failure> {
    let (connection, name) = (stream.connection_id.as_str(), stream.name.as_str());
    let range = stream.time_constraint.as_ref();
    let (since, until) = (range.and_then(|range| range.since), range.and_then(|range| range.until));
    let mut foreseen = Foreseen::default();
    for mut row in session.rows("records", ALL, bind![connection, name]).await? {
        foreseen.of = row.int()?.unsigned_abs();
    }
    let mut rows = Vec::new();
    match &stream.resources {
        None => rows.extend(session.rows("in range", IN_RANGE, bind![connection, name, since, until]).await?),
        Some(listed) => {
            for key in listed {
                let values = bind![connection, name, since, until, key.as_str()];
                rows.extend(session.rows("listed", LISTED, values).await?);
            }
        }
    }
    for mut row in rows {
        foreseen.records += row.int()?.unsigned_abs();
        let times = row.int_or_null()?.zip(row.int_or_null()?);
        foreseen.times = match (foreseen.times, times) {
            (Some((first, last)), Some((from, to))) => Some((first.min(from), last.max(to))),
            (one, other) => one.or(other),
        };
    }
    Ok(foreseen)
}
