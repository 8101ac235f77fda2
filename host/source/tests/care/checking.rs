//! A check finds each way in which a store can be damaged, and nothing in one that is sound.

use super::shelf::{assert_sound, checked, fill, fill_with_sample, rich, url};
use crate::on_both_engines;
use crate::world::{World, line};
use serde_json::json;
use std::collections::BTreeSet;
use stepwell_source::care::ProblemCode::{self, *};

on_both_engines!(
    the_sample_data_is_sound_and_stays_so_when_it_is_ingested_again,
    records_of_every_shape_are_sound,
    a_store_that_is_being_written_is_sound_at_every_moment,
    a_blob_that_nothing_refers_to_is_counted_and_is_no_problem,
    damage_to_text_is_found,
    damage_to_rows_is_found,
    damage_to_the_word_index_is_found,
    damage_to_blobs_is_found,
    damage_to_grants_and_keys_is_found,
);

async fn the_sample_data_is_sound_and_stays_so_when_it_is_ingested_again(world: World) {
    assert_sound(&url(&world)).await;
    fill_with_sample(&world).await;
    let first = assert_sound(&url(&world)).await;
    assert!(
        first.records > 150 && first.chars > 2_000_000 && first.blobs > 0 && first.indexed > 1_000,
        "{first:?}"
    );
    fill_with_sample(&world).await;
    assert_eq!(assert_sound(&url(&world)).await, first);
}

async fn records_of_every_shape_are_sound(world: World) {
    fill(&world).await;
    let found = assert_sound(&url(&world)).await;
    assert_eq!((found.records, found.blobs, found.blob_bytes), (4, 2, 300_000));
    // Changed in place: longer, shorter, without a time that it had, and with other kinds of values.
    let timed = r#"{"key":"r1","emitted_at":"2026-01-01","data":{"title":"now a heron"}}"#.to_owned();
    world.fill("home/notes", None, &[timed, line("empty", &rich(3))]).await;
    let changed = [line("r1", &json!({ "title": ["a", "list"], "n": "text" })), line("r2", &rich(4))];
    world.fill("home/notes", None, &changed).await;
    assert_sound(&url(&world)).await;
    let manifest = r#"{"query":{"search":{"lexical_fields":["title"]}},"consent_time_field":"at"}"#;
    let lines = [line("a", &rich(5)), line("b", &json!({ "at": "2026-01-01", "title": "t" }))];
    world.fill("home/listed", Some(manifest), &lines).await;
    assert_sound(&url(&world)).await;
}

async fn a_store_that_is_being_written_is_sound_at_every_moment(world: World) {
    fill(&world).await;
    let address = url(&world);
    let writing = async {
        for round in 0..12 {
            let lines: Vec<String> =
                (0..4).map(|key| line(&format!("r{key}"), &rich(round * 10 + key))).collect();
            world.fill("home/notes", None, &lines).await;
        }
    };
    let checking = async {
        for _ in 0..4 {
            assert_sound(&address).await;
        }
    };
    tokio::join!(writing, checking);
    assert_sound(&address).await;
}

async fn a_blob_that_nothing_refers_to_is_counted_and_is_no_problem(world: World) {
    fill(&world).await;
    world.fill("home/notes", None, &[line("r1", &json!({ "title": "no file" }))]).await;
    let found = assert_sound(&url(&world)).await;
    assert_eq!((found.unused_blobs, found.unused_bytes), (1, 150_000));
}

/// One way to damage a store, in the words of each engine, and all that a check should say to it.
struct Damage(&'static str, &'static str, &'static [ProblemCode]);

const fn both(sql: &'static str, codes: &'static [ProblemCode]) -> Damage {
    Damage(sql, sql, codes)
}

/// Does each damage to a store of its own.
async fn each(world: World, damages: &[Damage]) {
    for Damage(sqlite, postgres, codes) in damages {
        let on_sqlite = world.url.starts_with("sqlite:");
        let fresh = if on_sqlite { World::sqlite().await } else { World::postgres().await };
        fill(&fresh).await;
        let sql = if on_sqlite { sqlite } else { postgres };
        fresh.behind_its_back(sql).await;
        let (_, heard) = checked(&url(&fresh)).await;
        assert_eq!(
            heard.codes(),
            codes.iter().copied().collect::<BTreeSet<_>>(),
            "{sql}\n{:#?}",
            heard.problems
        );
        for problem in &heard.problems {
            let text = problem.to_string();
            assert!(!text.contains("word1") && !text.contains("heron 1"), "no text of a record: {text}");
        }
    }
}

async fn damage_to_text_is_found(world: World) {
    each(
        world,
        &[
            both("UPDATE seg SET text = UPPER(text) WHERE char_start = 0 AND field = (SELECT MIN(id) FROM field WHERE pointer = '/body')", &[FieldDigest]),
            both("UPDATE seg SET text = text || ' ' WHERE char_start = 0 AND field = (SELECT MIN(id) FROM field WHERE pointer = '/body')", &[ChunkGap]),
            both("DELETE FROM seg WHERE char_start = 0 AND field = (SELECT MIN(id) FROM field WHERE pointer = '/body')", &[ChunkGap]),
            both("DELETE FROM seg WHERE char_start > 30000 AND field = (SELECT MIN(id) FROM field WHERE pointer = '/body')", &[FieldLength, IndexWithoutText]),
            both("DELETE FROM field WHERE pointer = '/body'", &[ChunkWithoutField, IndexWithoutText, RecordDigest]),
            both("UPDATE field SET inline = UPPER(inline) WHERE pointer = '/title'", &[FieldDigest]),
            both("UPDATE field SET inline = inline || '.' WHERE pointer = '/title'", &[FieldLength]),
            both("UPDATE field SET nul_as = NULL WHERE pointer = '/nul'", &[FieldLength]),
            both("UPDATE field SET inline = 'short' WHERE pointer = '/body'", &[ChunkWithoutField, FieldLength, IndexWithoutText]),
            both("UPDATE field SET part_start = part_start + 1 WHERE pointer = '/meta/list'", &[FieldDigest]),
            both("UPDATE field SET part_start = part_start + 1000000 WHERE pointer = '/meta/list'", &[NestedOutside]),
            both("UPDATE field SET part_start = -1 WHERE pointer = '/meta/list'", &[NestedOutside]),
        ],
    )
    .await;
}

async fn damage_to_rows_is_found(world: World) {
    each(
        world,
        &[
            both("UPDATE field SET chars = chars + 1 WHERE pointer = '/body'", &[FieldLength]),
            both("UPDATE field SET bytes = bytes + 1 WHERE pointer = '/n'", &[FieldLength]),
            both(
                "UPDATE field SET sha256 = (SELECT sha256 FROM blob LIMIT 1) WHERE pointer = '/n'",
                &[FieldDigest, RecordDigest],
            ),
            both("UPDATE field SET kind = 9 WHERE pointer = '/n'", &[FieldShape, RecordDigest]),
            both(
                "UPDATE field SET top = 'title' WHERE pointer = '/n'",
                &[FieldNotListed, FieldShape, RecordDigest],
            ),
            both("UPDATE field SET nested = 1 WHERE pointer = '/n'", &[FieldShape, RecordDigest]),
            both("UPDATE field SET file_name = 'b.png' WHERE pointer = '/file'", &[RecordDigest]),
            both(
                "UPDATE record SET sha256 = (SELECT sha256 FROM blob LIMIT 1) WHERE rid = 'r1'",
                &[RecordDigest],
            ),
            both("UPDATE record SET consent_time = 7 WHERE rid = 'r1'", &[RecordDigest]),
            both("DELETE FROM record WHERE rid = 'r1'", &[DanglingReference, IndexWithoutText]),
            both("UPDATE record SET scope = 77 WHERE rid = 'empty'", &[DanglingReference]),
            both("DELETE FROM scope_field WHERE field = 'title'", &[FieldNotListed]),
            both("UPDATE scope_field SET kinds = 2 WHERE field = 'title'", &[FieldNotListed]),
            both("INSERT INTO scope_field VALUES (77, 'x', 1)", &[DanglingReference]),
        ],
    )
    .await;
}

async fn damage_to_the_word_index_is_found(world: World) {
    each(
        world,
        &[
            Damage(
                "DELETE FROM unit_words; DELETE FROM unit",
                "DELETE FROM unit",
                &[NotIndexed],
            ),
            Damage(
                "DELETE FROM unit_words WHERE rowid = 2; DELETE FROM unit WHERE id = 2",
                "DELETE FROM unit WHERE id = 2",
                &[NotIndexed],
            ),
            Damage(
                "DELETE FROM unit_words WHERE rowid = 3; INSERT INTO unit_words (rowid, words) VALUES (3, 'other words')",
                "UPDATE unit SET words = array_to_tsvector(ARRAY['other', 'words']) WHERE id = 3",
                &[IndexWords],
            ),
            Damage(
                "DELETE FROM unit_words WHERE rowid = 3",
                "UPDATE unit SET words = '' WHERE id = 3",
                &[IndexWords],
            ),
            Damage(
                "INSERT INTO unit SELECT 9999, 1, 1, 1, 77, top FROM field WHERE id = 1; INSERT INTO unit_words (rowid, words) VALUES (9999, 'x')",
                "INSERT INTO unit OVERRIDING SYSTEM VALUE SELECT 9999, scope, rec, field, 77, words, top FROM unit WHERE id = 1; SELECT setval(pg_get_serial_sequence('unit', 'id'), 9999)",
                &[IndexWithoutText],
            ),
            Damage(
                "INSERT INTO unit SELECT 9999, scope, rec, field, char_start, top FROM unit WHERE id = 1; INSERT INTO unit_words (rowid, words) SELECT 9999, inline FROM field WHERE id = (SELECT field FROM unit WHERE id = 1)",
                "INSERT INTO unit OVERRIDING SYSTEM VALUE SELECT 9999, scope, rec, field, char_start, words, top FROM unit WHERE id = 1; SELECT setval(pg_get_serial_sequence('unit', 'id'), 9999)",
                &[IndexWithoutText],
            ),
            both("UPDATE unit SET scope = scope + 1 WHERE id = 4", &[IndexWithoutText]),
            both("UPDATE unit SET top = 'another' WHERE id = 4", &[IndexWithoutText]),
            both("UPDATE unit SET rec = 77 WHERE id = 4", &[IndexWithoutText, NotIndexed]),
        ],
    )
    .await;
}

async fn damage_to_blobs_is_found(world: World) {
    each(
        world,
        &[
            both("DELETE FROM blob", &[BlobMissing, BlobPartWithoutBlob]),
            both("UPDATE blob SET bytes = bytes + 1", &[BlobLength, BlobMissing]),
            both("DELETE FROM blob_part WHERE byte_start = 65536", &[BlobLength]),
            both("DELETE FROM blob_part WHERE byte_start = 131072", &[BlobLength]),
            Damage(
                "UPDATE blob_part SET data = zeroblob(LENGTH(data)) WHERE byte_start = 0",
                "UPDATE blob_part SET data = decode(repeat('00', LENGTH(data)), 'hex') WHERE byte_start = 0",
                &[BlobDigest],
            ),
        ],
    )
    .await;
}

async fn damage_to_grants_and_keys_is_found(world: World) {
    each(
        world,
        &[
            both("UPDATE grant_field SET scope = 77 WHERE field = 'title'", &[DanglingReference]),
            both("UPDATE grant_resource SET scope = 77", &[DanglingReference]),
            both("UPDATE grant_scope SET listed = 0", &[DanglingReference]),
            both("UPDATE token SET grant_id = NULL", &[DanglingReference]),
            Damage(
                "PRAGMA foreign_keys = OFF; DELETE FROM grants",
                "ALTER TABLE grant_scope DROP CONSTRAINT grant_scope_grant_id_fkey; ALTER TABLE token DROP CONSTRAINT token_grant_id_fkey; ALTER TABLE package_grant DROP CONSTRAINT package_grant_grant_id_fkey; DELETE FROM grants",
                &[DanglingReference],
            ),
            Damage(
                "PRAGMA foreign_keys = OFF; UPDATE grant_scope SET scope = 77; UPDATE grant_field SET scope = 77; UPDATE grant_resource SET scope = 77",
                "ALTER TABLE grant_scope DROP CONSTRAINT grant_scope_scope_fkey; UPDATE grant_scope SET scope = 77; UPDATE grant_field SET scope = 77; UPDATE grant_resource SET scope = 77",
                &[DanglingReference],
            ),
            Damage(
                "PRAGMA foreign_keys = OFF; UPDATE scope SET connection = 'nowhere' WHERE connection = 'work'",
                "ALTER TABLE scope DROP CONSTRAINT scope_connection_fkey; UPDATE scope SET connection = 'nowhere' WHERE connection = 'work'",
                &[DanglingReference],
            ),
            both("UPDATE token SET package_id = NULL", &[DanglingReference]),
            Damage(
                "PRAGMA foreign_keys = OFF; UPDATE package_grant SET package_id = 'pkg_nowhere'",
                "ALTER TABLE package_grant DROP CONSTRAINT package_grant_package_id_fkey; UPDATE package_grant SET package_id = 'pkg_nowhere'",
                &[DanglingReference],
            ),
            both(
                "UPDATE grant_field SET scope = (SELECT MIN(id) FROM scope); UPDATE grant_scope SET scope = (SELECT MIN(id) FROM scope)",
                &[GrantsOverlap],
            ),
            both("DELETE FROM sealing_key", &[SealingKey]),
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_file_is_found() {
    let world = World::sqlite().await;
    fill(&world).await;
    let path = world.url.strip_prefix("sqlite:").unwrap().to_owned();
    let look = rusqlite::Connection::open(&path).unwrap();
    let number = |sql: &str| look.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap();
    let page = number("SELECT rootpage FROM sqlite_schema WHERE name = 'record_by_time'");
    let size = number("PRAGMA page_size");
    look.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(look);
    // The page of an index says that it has no entries.
    let mut bytes = std::fs::read(&path).unwrap();
    let at = (page - 1) as usize * size as usize + 3;
    assert_ne!(bytes[at..at + 2], [0, 0]);
    bytes[at..at + 2].fill(0);
    std::fs::write(&path, bytes).unwrap();
    let (_, heard) = checked(&url(&world)).await;
    assert_eq!(heard.codes(), BTreeSet::from([Engine]), "{:#?}", heard.problems);
}

/// Postgres stores no such thing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_that_cannot_be_read_is_told_and_the_rest_is_looked_at() {
    for sql in [
        "UPDATE field SET inline = CAST(x'ff' AS TEXT) WHERE pointer = '/title'",
        "UPDATE seg SET text = CAST(x'00' AS BLOB) WHERE char_start = 0",
        "UPDATE record SET rid = x'00' WHERE rid = 'r1'",
        "UPDATE field SET bytes = 'many' WHERE pointer = '/n'",
    ] {
        let world = World::sqlite().await;
        fill(&world).await;
        world.behind_its_back(sql).await;
        world.behind_its_back("DELETE FROM blob_part WHERE byte_start = 0").await;
        let (_, heard) = checked(&url(&world)).await;
        assert_eq!(heard.codes(), BTreeSet::from([Unreadable, BlobLength]), "{sql} {:#?}", heard.problems);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_counter_that_fell_behind_is_found() {
    for sql in [
        "ALTER SEQUENCE field_id RESTART",
        "ALTER TABLE record ALTER COLUMN id RESTART",
        "SELECT setval('field_id', 3)",
    ] {
        let world = World::postgres().await;
        fill(&world).await;
        world.behind_its_back(sql).await;
        let (_, heard) = checked(&url(&world)).await;
        assert_eq!(heard.codes(), BTreeSet::from([CounterBehind]), "{:#?}", heard.problems);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_says_where_a_problem_is_and_what_it_went_through() {
    let world = World::sqlite().await;
    fill(&world).await;
    world
        .behind_its_back("UPDATE field SET inline = UPPER(inline) WHERE pointer = '/a~1b~0c' AND rec = 1")
        .await;
    let (found, heard) = checked(&url(&world)).await;
    let [problem] = &heard.problems[..] else { panic!("{heard:?}") };
    assert_eq!(problem.to_string(), "field_digest home/notes:r1 /a~1b~0c: its text does not have its digest");
    assert_eq!(heard.stages, ["the file", "references", "records", "the word index", "blobs"]);
    assert_eq!((found.records, found.problems), (4, 1));
    assert!(heard.steps > found.records + found.indexed + found.blobs);
}
