//! Stores of every earlier version are brought up to date in their place, and those of newer ones are refused.
//!
//! A fixture is a store as its version made it: the schema's text of that time, and a few records. A version that lands adds
//! one; those that are there never change.

use super::shelf::assert_sound;
use crate::on_both_engines;
use crate::world::{World, code, fields, line, record};
use serde_json::json;
use stepwell_contract::Code;
use stepwell_source::care::{self, Existing, Quiet};
use stepwell_source::grant::PackageRequest;
use stepwell_source::ledger::{Disclosure, LedgerFilter};
use stepwell_source::sqlite::Missing;
use stepwell_source::token::TokenRequest;
use stepwell_source::{Source as _, SourceUrl, Token};
use stepwell_testkit::Postgres;

on_both_engines!(
    every_earlier_version_is_brought_up_to_date,
    an_upgraded_store_has_the_same_tables_as_a_new_one,
    a_newer_version_is_refused_and_left_as_it_was,
);

/// Each version, in SQLite's and in Postgres's words.
const VERSIONS: &[(&str, &str)] = &[
    (include_str!("../fixtures/stores/v1.sqlite.sql"), include_str!("../fixtures/stores/v1.postgres.sql")),
    (include_str!("../fixtures/stores/v2.sqlite.sql"), include_str!("../fixtures/stores/v2.postgres.sql")),
    (include_str!("../fixtures/stores/v3.sqlite.sql"), include_str!("../fixtures/stores/v3.postgres.sql")),
    (include_str!("../fixtures/stores/v4.sqlite.sql"), include_str!("../fixtures/stores/v4.postgres.sql")),
    (include_str!("../fixtures/stores/v6.sqlite.sql"), include_str!("../fixtures/stores/v6.postgres.sql")),
];

/// The token that the fixtures know.
const TOKEN: &str = "swc_of-an-earlier-version";

/// The grant that it belongs to.
const EARLIER_GRANT: &str = "grt_0123456789abcdef";

/// Makes a store of a version, on the engine of a world, and gives its address.
async fn earlier(world: &World, (sqlite, postgres): &(&str, &str)) -> (SourceUrl, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    if world.url.starts_with("sqlite:") {
        let path = dir.path().join("earlier.db");
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        connection.execute_batch(sqlite).unwrap();
        return (SourceUrl::Sqlite(path), dir);
    }
    let url = Postgres::shared().fresh_database();
    run(&url, &format!("CREATE SCHEMA stepwell; SET search_path TO stepwell; {postgres}")).await;
    (SourceUrl::Postgres(url), dir)
}

async fn run(url: &str, sql: &str) {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
    drop(client);
    let _ = connection.await;
}

async fn every_earlier_version_is_brought_up_to_date(world: World) {
    for (number, version) in VERSIONS.iter().enumerate() {
        let (url, _dir) = earlier(&world, version).await;
        let old = World::at(&url).await;
        // Its tokens, grants and records are what they were.
        let caller = old.store.authenticate(&Token::new(TOKEN)).await.unwrap();
        assert_eq!(old.whole(&caller, "home/messages:m1", "title").await.unwrap(), "The heron");
        let body = old.whole(&caller, "home/messages:m1", "body").await.unwrap();
        assert!(body.starts_with("word0 word1") && body.ends_with("word699"), "{body}");
        assert_eq!(code(old.field(&caller, "home/messages:m1", "n").await), Code::FieldNotGranted);
        let entries = old.store.ledger_page(&LedgerFilter::default(), None, 10).await.unwrap();
        assert_eq!(entries.len(), number.min(1), "the ledger came with the second version");
        // And it is a store like any other: written, granted, read and written down.
        let sound = assert_sound(&url).await;
        assert_eq!((sound.records, sound.blobs), (2, 1));
        old.fill("home/messages", None, &[line("m3", &json!({ "title": "new" }))]).await;
        old.fill("home/messages", None, &[line("m1", &json!({ "title": "changed" }))]).await;
        let caller = old.grant(vec![fields("messages", &["title"])]).await;
        old.store.disclose(&caller, "fetch", &[Disclosure::default()]).await.unwrap();
        assert!(old.store.record(&caller, &record("home/messages:m3"), None).await.is_ok());
        assert_eq!(assert_sound(&url).await.records, 3);
        // Its grants go into packages, and its tokens have names and can be replaced.
        let grants = vec![EARLIER_GRANT.to_owned()];
        let wanted = PackageRequest { client: "c".into(), expires_at: None, grants };
        let (_, token) = old.store.create_package(&wanted).await.unwrap();
        let caller = old.store.authenticate(&token).await.unwrap();
        assert_eq!(old.whole(&caller, "home/messages:m2", "title").await.unwrap(), "The plover");
        let rotated = TokenRequest { replaces_after: Some(0), ..TokenRequest::default() };
        old.store.issue_token(EARLIER_GRANT, &rotated).await.unwrap();
        assert_eq!(code(old.store.authenticate(&Token::new(TOKEN)).await), Code::InvalidToken);
    }
}

/// The columns and indexes of a store, in the engine's own words.
async fn tables(url: &SourceUrl) -> Vec<String> {
    let mut found: Vec<String> = match url {
        SourceUrl::Sqlite(path) => {
            let connection = rusqlite::Connection::open(path).unwrap();
            let sql = "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || COALESCE(sql, '') FROM sqlite_schema";
            let mut select = connection.prepare(sql).unwrap();
            select.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
        }
        SourceUrl::Postgres(url) => {
            let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(connection);
            let sql = "SELECT format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, collation_name)
                       FROM information_schema.columns WHERE table_schema = 'stepwell'
                       UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'stepwell'
                       UNION ALL SELECT format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint
                       WHERE connamespace = 'stepwell'::regnamespace";
            client.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
        }
    };
    found.sort();
    found
}

async fn an_upgraded_store_has_the_same_tables_as_a_new_one(world: World) {
    let fresh = tables(&world.url.parse().unwrap()).await;
    assert!(fresh.len() > 30, "{fresh:#?}");
    for version in VERSIONS {
        let (url, _dir) = earlier(&world, version).await;
        drop(url.open(Missing::Refuse).await.unwrap());
        assert_eq!(tables(&url).await, fresh);
    }
}

async fn a_newer_version_is_refused_and_left_as_it_was(world: World) {
    let url: SourceUrl = world.url.parse().unwrap();
    let newer = if world.url.starts_with("sqlite:") {
        "PRAGMA user_version = 99"
    } else {
        "UPDATE meta SET version = 99"
    };
    world.behind_its_back(newer).await;
    let before = tables(&url).await;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("backup.sqlite");
    let refused = [
        care::check(&url, &mut Quiet).await.map(|_| ()).unwrap_err(),
        care::stats(&url).await.map(|_| ()).unwrap_err(),
        care::backup(&url, &file, Existing::Keep, &mut Quiet).await.map(|_| ()).unwrap_err(),
        url.open(Missing::Refuse).await.map(|_| ()).unwrap_err(),
    ];
    for error in refused {
        let error = error.to_string();
        assert!(error.contains("schema version 99") && error.contains("use a newer stepwell"), "{error}");
    }
    assert_eq!(tables(&url).await, before);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_an_earlier_version_stays_one_and_is_upgraded_when_it_comes_back() {
    let world = World::sqlite().await;
    let (url, dir) = earlier(&world, &VERSIONS[0]).await;
    let (file, back) = (dir.path().join("backup.db"), SourceUrl::Sqlite(dir.path().join("back.db")));
    let version = |path: &std::path::Path| -> i64 {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    assert_eq!(care::backup(&url, &file, Existing::Keep, &mut Quiet).await.unwrap(), None, "not checked");
    let SourceUrl::Sqlite(original) = &url else { panic!("{url}") };
    assert_eq!((version(original), version(&file)), (1, 1), "neither was upgraded");
    let database = SourceUrl::Postgres(Postgres::shared().fresh_database());
    let refused = care::restore(&file, &database, Existing::Keep, &mut Quiet).await.unwrap_err();
    assert!(refused.to_string().contains("restore it to a SQLite file"), "{refused}");
    let checked = care::restore(&file, &back, Existing::Keep, &mut Quiet).await.unwrap();
    assert_eq!((checked.records, version(&file)), (2, 1));
    let store = World::at(&back).await;
    let caller = store.store.authenticate(&Token::new(TOKEN)).await.unwrap();
    assert_eq!(store.whole(&caller, "home/messages:m2", "title").await.unwrap(), "The plover");
    care::copy(&back, &database, care::Share::Everything, Existing::Keep, &mut Quiet).await.unwrap();
    assert_sound(&database).await;
}
