//! Databases.

use crate::desk::{Desk, Room};
use insta::assert_snapshot;
use rusqlite::Connection;
use std::path::PathBuf;
use stepwell_import::{ImportError, Kind, Options};

fn database(room: &Room, sql: &str) -> PathBuf {
    let path = room.path("my #1 data?.sqlite");
    let database = Connection::open(&path).unwrap();
    database.execute_batch(sql).unwrap();
    path
}

const BOOKS: &str = "
    CREATE TABLE books (isbn TEXT PRIMARY KEY, title TEXT, pages INTEGER, price REAL, bought TEXT, cover BLOB);
    INSERT INTO books VALUES ('978/3', 'The Ferry', 120, 12.5, '2026-03-01', x'ffd8'), ('978-4', 'Tides', NULL, 3, '2026-03-02', NULL);
    CREATE TABLE \"odd \"\"name\" (a, b); INSERT INTO \"odd \"\"name\" VALUES (1, CAST(x'5afc' AS TEXT)), (1, 'x');
    CREATE TABLE pairs (a INTEGER, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID; INSERT INTO pairs VALUES (1, 'x'), (1, 'y');
    CREATE VIEW seen AS SELECT * FROM books;";

#[test]
fn tables_become_streams() {
    let room = Room::new();
    let desk = Desk::import(Kind::Sqlite, &database(&room, BOOKS));
    assert_snapshot!(desk.golden());
    let only = Options { stream: Some("books".to_owned()), ..Options::default() };
    let desk = Desk::with(Kind::Sqlite, &database(&Room::new(), BOOKS), only).unwrap();
    assert_eq!(desk.streams.len(), 1);
}

#[test]
fn a_time_is_named_for_the_tables_that_have_it() {
    let sql = "CREATE TABLE a (id INTEGER PRIMARY KEY, at TEXT, born TEXT); INSERT INTO a VALUES (1, '2026-03-01', '1980-01-01'), (2, NULL, '1980-01-01');
               CREATE TABLE b (id INTEGER PRIMARY KEY, due TEXT); INSERT INTO b VALUES (1, '2026-03-01');";
    let times = |options: Options| {
        let room = Room::new();
        let desk = Desk::with(Kind::Sqlite, &database(&room, sql), options).expect("an import");
        let of = |stream: &stepwell_import::Stream| stream.manifest.get("consent_time_field").cloned();
        (desk.streams.iter().map(of).collect::<Vec<_>>(), desk.reasons())
    };
    assert_eq!(times(Options::default()), (vec![None, None], vec!["no_time", "no_time"]));
    let named = Options { time: Some("at".to_owned()), ..Options::default() };
    assert_eq!(times(named), (vec![Some("at".into()), None], vec!["no_time", "no_time"]), "one row has none");
    let room = Room::new();
    let wrong = Options { time: Some("when".to_owned()), ..Options::default() };
    let error = Desk::with(Kind::Sqlite, &database(&room, sql), wrong).err().expect("a refusal");
    assert!(matches!(error, ImportError::Option(_)), "{error}");
}

#[test]
fn the_database_and_its_folder_stay_as_they_were() {
    let room = Room::new();
    let path = database(&room, BOOKS);
    let look = || (std::fs::read(&path).unwrap(), std::fs::read_dir(path.parent().unwrap()).unwrap().count());
    let before = look();
    Desk::import(Kind::Sqlite, &path);
    assert_eq!(look(), before);
}

#[test]
fn what_is_no_database_or_in_use_is_refused() {
    let room = Room::new();
    let refused =
        |path: &std::path::Path| Desk::with(Kind::Sqlite, path, Options::default()).err().expect("a refusal");
    assert!(matches!(
        refused(&room.file("x.sqlite", "no database at all, but some text")),
        ImportError::NotOfKind { .. }
    ));
    let path = database(&room, "PRAGMA journal_mode = WAL; CREATE TABLE a (b);");
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("INSERT INTO a VALUES (1);").unwrap();
    assert!(refused(&path).to_string().contains("close that program"));
    let whole = std::fs::read(database(&Room::new(), BOOKS)).unwrap();
    let mut broken = whole;
    broken[4_096..].iter_mut().for_each(|byte| *byte = 0x41);
    match Desk::with(Kind::Sqlite, &room.file("broken.sqlite", broken), Options::default()) {
        Ok(desk) => assert!(!desk.skips.is_empty()),
        Err(error) => assert!(matches!(error, ImportError::NotOfKind { .. }), "{error}"),
    }
}
