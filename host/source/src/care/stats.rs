//! How much a store holds, and how much room it takes.

use crate::bind;
use crate::care::session::Session;
use crate::error::Failure;
use crate::time::Millis;
use crate::url::SourceUrl;
use std::collections::BTreeMap;

/// What a store holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Each connection's streams, by connection and name.
    pub streams: Vec<StreamStats>,
    /// Blobs, each counted once, whoever refers to it.
    pub blobs: u64,
    /// Their bytes.
    pub blob_bytes: u64,
    /// Entries of the ledger.
    pub disclosures: u64,
    /// The oldest and the newest of them.
    pub disclosed: Option<(Millis, Millis)>,
    /// Grants, ended ones too.
    pub grants: u64,
    /// Where the room goes.
    pub room: Room,
}

/// What one stream holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamStats {
    /// The connection.
    pub connection: String,
    /// The stream.
    pub stream: String,
    /// Its records.
    pub records: u64,
    /// Their top-level fields.
    pub fields: u64,
    /// The code points of all its texts.
    pub chars: u64,
    /// The bytes of all its values, without blobs.
    pub bytes: u64,
    /// Chunks in the word index.
    pub indexed: u64,
    /// The different blobs that it refers to.
    pub blobs: u64,
    /// Their bytes. Several streams may refer to the same blob.
    pub blob_bytes: u64,
    /// The times of its oldest and newest record.
    pub times: Option<(Millis, Millis)>,
}

/// How many bytes each part takes on disk, its indexes included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// The whole file with its log, or the whole database.
    pub total: u64,
    /// Free pages inside the file, which `store vacuum` gives back; on Postgres not known.
    pub free: Option<u64>,
    /// Records and their text.
    pub records: u64,
    /// The word index.
    pub words: u64,
    /// Blobs.
    pub blobs: u64,
    /// The ledger.
    pub ledger: u64,
}

const RECORDS: &str = "SELECT scope, COUNT(*), MIN(time), MAX(time) FROM record GROUP BY scope";
const FIELDS: &str = "SELECT r.scope, COUNT(*), CAST(COALESCE(SUM(f.chars), 0) AS BIGINT),
    CAST(COALESCE(SUM(CASE WHEN f.kind = 4 THEN 0 ELSE f.bytes END), 0) AS BIGINT)
    FROM field f JOIN record r ON r.id = f.rec WHERE f.nested = 0 GROUP BY r.scope";
const UNITS: &str = "SELECT scope, COUNT(*) FROM unit GROUP BY scope";
const STREAM_BLOBS: &str = "SELECT b.scope, COUNT(*), CAST(SUM(b.bytes) AS BIGINT)
    FROM (SELECT DISTINCT r.scope AS scope, f.sha256 AS sha256, f.bytes AS bytes
          FROM field f JOIN record r ON r.id = f.rec WHERE f.kind = 4) b GROUP BY b.scope";
const BLOBS: &str = "SELECT COUNT(*), CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM blob";
const LEDGER: &str = "SELECT COUNT(*), MIN(at), MAX(at) FROM disclosure";

const SQLITE_ROOM: &str = "SELECT name, SUM(pgsize) FROM dbstat GROUP BY name";
const SQLITE_TABLES: &str = "SELECT name, tbl_name FROM sqlite_schema";
const POSTGRES_ROOM: &str = "SELECT CAST(c.relname AS TEXT), pg_total_relation_size(c.oid)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = CURRENT_SCHEMA() AND c.relkind = 'r'";
const POSTGRES_TOTAL: &str = "SELECT pg_database_size(current_database())";

/// Measures a store.
pub async fn stats(url: &SourceUrl) -> Result<Stats, Failure> {
    let session = Session::open(url).await?;
    let room = room(&session, url).await?;
    session.hold_still().await?;
    let mut stats = Stats { room, ..Stats::default() };
    let outcome = count(&session, &mut stats).await;
    let ended = session.batch("ROLLBACK").await;
    // What went wrong first says more.
    outcome.and(ended).map(|()| stats)
}

async fn count(session: &Session, stats: &mut Stats) -> Result<(), Failure> {
    let mut streams = BTreeMap::new();
    for mut row in session.rows("streams", "SELECT id, connection, stream FROM scope", bind![]).await? {
        let (id, connection, stream) = (row.int()?, row.text()?, row.text()?);
        streams.insert(id, StreamStats { connection, stream, ..StreamStats::default() });
    }
    for mut row in session.rows("records", RECORDS, bind![]).await? {
        let Some(stream) = streams.get_mut(&row.int()?) else { continue };
        stream.records = row.int()?.unsigned_abs();
        stream.times = row.int_or_null()?.zip(row.int_or_null()?);
    }
    for mut row in session.rows("fields", FIELDS, bind![]).await? {
        let Some(stream) = streams.get_mut(&row.int()?) else { continue };
        stream.fields = row.int()?.unsigned_abs();
        (stream.chars, stream.bytes) = (row.int()?.unsigned_abs(), row.int()?.unsigned_abs());
    }
    for mut row in session.rows("units", UNITS, bind![]).await? {
        let Some(stream) = streams.get_mut(&row.int()?) else { continue };
        stream.indexed = row.int()?.unsigned_abs();
    }
    for mut row in session.rows("blobs of streams", STREAM_BLOBS, bind![]).await? {
        let Some(stream) = streams.get_mut(&row.int()?) else { continue };
        (stream.blobs, stream.blob_bytes) = (row.int()?.unsigned_abs(), row.int()?.unsigned_abs());
    }
    for mut row in session.rows("blobs", BLOBS, bind![]).await? {
        (stats.blobs, stats.blob_bytes) = (row.int()?.unsigned_abs(), row.int()?.unsigned_abs());
    }
    for mut row in session.rows("ledger", LEDGER, bind![]).await? {
        stats.disclosures = row.int()?.unsigned_abs();
        stats.disclosed = row.int_or_null()?.zip(row.int_or_null()?);
    }
    stats.grants = session.number("grants", "SELECT COUNT(*) FROM grants").await?;
    stats.streams = streams.into_values().collect();
    stats.streams.sort_by(|a, b| (&a.connection, &a.stream).cmp(&(&b.connection, &b.stream)));
    Ok(())
}

/// Measures the room that a store takes.
pub(crate) async fn room(session: &Session, url: &SourceUrl) -> Result<Room, Failure> {
    let mut room = Room::default();
    let sizes = match (session, url) {
        (Session::Sqlite(_), SourceUrl::Sqlite(path)) => {
            let page = session.number("page size", "PRAGMA page_size").await?;
            room.free = Some(page * session.number("free pages", "PRAGMA freelist_count").await?);
            let mut log = path.clone().into_os_string();
            log.push("-wal");
            let size = |path: &std::path::Path| std::fs::metadata(path).map_or(0, |data| data.len());
            room.total = size(path) + size(log.as_ref());
            let mut tables = BTreeMap::new();
            for mut row in session.rows("tables", SQLITE_TABLES, bind![]).await? {
                tables.insert(row.text()?, row.text()?);
            }
            let mut sizes = Vec::new();
            for mut row in session.rows("room", SQLITE_ROOM, bind![]).await? {
                let name = row.text()?;
                sizes.push((tables.get(&name).cloned().unwrap_or(name), row.int()?));
            }
            sizes
        }
        _ => {
            room.total = session.number("room", POSTGRES_TOTAL).await?;
            let mut sizes = Vec::new();
            for mut row in session.rows("room", POSTGRES_ROOM, bind![]).await? {
                sizes.push((row.text()?, row.int()?));
            }
            sizes
        }
    };
    for (table, bytes) in sizes {
        let part = match table.as_str() {
            "connection" | "scope" | "scope_field" | "record" | "field" | "seg" => &mut room.records,
            "blob" | "blob_part" => &mut room.blobs,
            "disclosure" | "disclosure_tombstone" => &mut room.ledger,
            name if name.starts_with("unit") => &mut room.words,
            _ => continue,
        };
        *part += bytes.unsigned_abs();
    }
    Ok(room)
}
