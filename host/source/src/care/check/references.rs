//! Whether every row refers to rows that are there. The database compares; only what is wrong comes out.

use crate::bind;
use crate::care::check::Check;
use crate::care::session::Session;
use crate::care::tables::COUNTERS;
use crate::care::watch::ProblemCode;
use crate::error::Failure;

/// How many rows of one kind are told, so that one mistake does not fill the screen.
const TOLD: i64 = 100;

/// Each statement gives the place and the detail of what is wrong, and takes how many to give.
const REFERENCES: &[(ProblemCode, &str)] = &[
    (
        ProblemCode::DanglingReference,
        "SELECT 'stream ' || s.connection || '/' || s.stream, 'its connection is not there'
         FROM scope s LEFT JOIN connection c ON c.id = s.connection WHERE c.id IS NULL LIMIT ?1",
    ),
    (
        ProblemCode::DanglingReference,
        "SELECT 'record ' || r.rid, 'its stream is not there'
         FROM record r LEFT JOIN scope s ON s.id = r.scope WHERE s.id IS NULL LIMIT ?1",
    ),
    (
        ProblemCode::DanglingReference,
        "SELECT 'field row ' || CAST(f.id AS TEXT), 'its record is not there'
         FROM field f LEFT JOIN record r ON r.id = f.rec WHERE r.id IS NULL LIMIT ?1",
    ),
    (
        ProblemCode::ChunkWithoutField,
        "SELECT 'field row ' || CAST(t.field AS TEXT),
                CAST(COUNT(*) AS TEXT) || ' chunks belong to no field that is kept in chunks'
         FROM seg t LEFT JOIN field f ON f.id = t.field AND f.inline IS NULL AND f.part_start IS NULL AND f.kind <> 4
         WHERE f.id IS NULL GROUP BY t.field LIMIT ?1",
    ),
    (
        ProblemCode::DanglingReference,
        "SELECT 'field ' || sf.field, 'the catalogue lists it for a stream that is not there'
         FROM scope_field sf LEFT JOIN scope s ON s.id = sf.scope WHERE s.id IS NULL LIMIT ?1",
    ),
    (
        ProblemCode::FieldNotListed,
        "SELECT s.connection || '/' || s.stream || ' ' || f.top,
                CAST(COUNT(*) AS TEXT) || ' records have it with a kind of value that the catalogue does not list'
         FROM field f JOIN record r ON r.id = f.rec JOIN scope s ON s.id = r.scope
         LEFT JOIN scope_field sf ON sf.scope = r.scope AND sf.field = f.top
           AND (sf.kinds & (CAST(1 AS BIGINT) << CAST(f.kind AS INTEGER))) <> 0
         WHERE f.nested = 0 AND f.kind BETWEEN 0 AND 5 AND sf.field IS NULL
         GROUP BY s.connection, s.stream, f.top LIMIT ?1",
    ),
    (
        ProblemCode::BlobPartWithoutBlob,
        "SELECT 'a blob', CAST(COUNT(*) AS TEXT) || ' parts belong to a blob that is not there'
         FROM blob_part p LEFT JOIN blob b ON b.sha256 = p.sha256 WHERE b.sha256 IS NULL GROUP BY p.sha256 LIMIT ?1",
    ),
    (
        ProblemCode::DanglingReference,
        "SELECT 'grant ' || gs.grant_id, 'it covers a stream that is not there'
         FROM grant_scope gs LEFT JOIN scope s ON s.id = gs.scope WHERE s.id IS NULL LIMIT ?1",
    ),
    (
        ProblemCode::DanglingReference,
        "SELECT 'grant ' || gs.grant_id, 'something is covered by it, and it is not there'
         FROM grant_scope gs LEFT JOIN grants g ON g.id = gs.grant_id WHERE g.id IS NULL LIMIT ?1",
    ),
    (
        ProblemCode::DanglingReference,
        "SELECT 'grant ' || gf.grant_id, 'it names the field ' || gf.field || ' of a stream that it does not cover'
         FROM grant_field gf LEFT JOIN grant_scope gs ON gs.grant_id = gf.grant_id AND gs.scope = gf.scope
         WHERE gs.grant_id IS NULL LIMIT ?1",
    ),
    (
        ProblemCode::DanglingReference,
        "SELECT 'grant ' || gr.grant_id, 'it lists the record ' || gr.rid || ' of a stream that it does not list records of'
         FROM grant_resource gr LEFT JOIN grant_scope gs
           ON gs.grant_id = gr.grant_id AND gs.scope = gr.scope AND gs.listed = 1
         WHERE gs.grant_id IS NULL LIMIT ?1",
    ),
    (
        ProblemCode::DanglingReference,
        "SELECT 'a token', 'its grant is not there: ' || COALESCE(t.grant_id, '(none)')
         FROM token t LEFT JOIN grants g ON g.id = t.grant_id WHERE g.id IS NULL AND t.kind = 0 LIMIT ?1",
    ),
    (
        ProblemCode::DanglingReference,
        "SELECT 'a token', 'its package is not there: ' || COALESCE(t.package_id, '(none)')
         FROM token t LEFT JOIN package p ON p.id = t.package_id WHERE p.id IS NULL AND t.kind = 2 LIMIT ?1",
    ),
    (
        ProblemCode::DanglingReference,
        "SELECT 'package ' || pg.package_id, 'it holds a grant that is not there, or is not there itself: ' || pg.grant_id
         FROM package_grant pg LEFT JOIN grants g ON g.id = pg.grant_id LEFT JOIN package p ON p.id = pg.package_id
         WHERE g.id IS NULL OR p.id IS NULL LIMIT ?1",
    ),
    (
        ProblemCode::GrantsOverlap,
        "SELECT 'package ' || a.package_id, 'two of its grants cover ' || s.connection || '/' || s.stream
         FROM package_grant a JOIN package_grant b ON b.package_id = a.package_id AND b.grant_id > a.grant_id
         JOIN grant_scope x ON x.grant_id = a.grant_id JOIN grant_scope y ON y.grant_id = b.grant_id AND y.scope = x.scope
         JOIN scope s ON s.id = x.scope LIMIT ?1",
    ),
    (
        ProblemCode::SealingKey,
        "SELECT 'the keys', 'there is none of 32 bytes to seal cursors with'
         WHERE NOT EXISTS (SELECT 1 FROM sealing_key WHERE LENGTH(secret) = 32) LIMIT ?1",
    ),
];

impl Check<'_> {
    /// Lets the database find what refers to nothing.
    pub(super) async fn references(&mut self) -> Result<(), Failure> {
        self.watch.stage("references", REFERENCES.len() as u64);
        for &(code, sql) in REFERENCES {
            for mut row in self.session.rows("references", sql, bind![TOLD]).await? {
                self.found(code, row.text()?, row.text()?);
            }
            self.watch.advance(1);
        }
        self.counters().await
    }

    /// A counter that fell behind its table would make every insert fail.
    async fn counters(&mut self) -> Result<(), Failure> {
        let Session::Postgres(_) = self.session else { return Ok(()) };
        for (table, counter) in COUNTERS {
            let sql = format!("SELECT MAX(id), pg_sequence_last_value({counter}) FROM {table}");
            for mut row in self.session.rows("counters", &sql, bind![]).await? {
                let (top, counter) =
                    (row.int_or_null()?.unwrap_or_default(), row.int_or_null()?.unwrap_or_default());
                if top > counter {
                    let detail = format!("its counter stands at {counter}, below {top}");
                    self.found(ProblemCode::CounterBehind, format!("table {table}"), detail);
                }
            }
        }
        Ok(())
    }
}
