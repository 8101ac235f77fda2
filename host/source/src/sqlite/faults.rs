//! Failures that SQLite can be made to have, one after the other at every place: each ends in a typed failure, leaves
//! nothing half done, and the next call works.

use super::*;
use crate::embedded::IngestTarget;
use crate::grant::{GrantRequest, StreamRequest};
use crate::prepare::{Manifest, prepare};
use crate::query::{Order, RecordsQuery};
use crate::source::Source as _;
use crate::sqlite::pending::Pending;
use crate::{Caller, SourceError, bind};
use rusqlite::hooks::{AuthContext, Authorization};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use stepwell_contract::{ConnectionId, StreamName};
use tempfile::TempDir;

/// Counts down to the one call that fails. Below zero nothing fails any more.
#[derive(Clone, Default)]
struct Countdown(Arc<AtomicI64>);

impl Countdown {
    fn is_now(&self) -> bool {
        self.0.fetch_sub(1, Ordering::SeqCst) == 0
    }

    fn has_passed(&self) -> bool {
        self.0.load(Ordering::SeqCst) < 0
    }

    fn set(&self, calls: i64) {
        self.0.store(calls, Ordering::SeqCst);
    }
}

/// Where the failure comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    /// While a statement is made ready.
    Prepare,
    /// While it runs.
    Step,
}

/// A store's place on disk.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("store.db")
    }

    /// The store with connections that fail when the countdown says so.
    fn open(&self, at: At, fails: &Countdown) -> Embedded {
        let mut writer = connect(&self.path(), Missing::Create).unwrap();
        let reader = || {
            let mut reader = Reader::open(&self.path()).unwrap();
            // A reader has a handler of its own for its steps, which the tests beside it look at.
            if at == At::Prepare {
                deny(reader.connection_mut(), fails);
            }
            reader
        };
        let readers: Vec<Reader> = (0..READERS).map(|_| reader()).collect();
        let nearby = Nearby::from(vec![reader()]);
        match at {
            At::Prepare => deny(&mut writer, fails),
            At::Step => {
                let fails = fails.clone();
                writer.progress_handler(1, Some(move || fails.is_now())).unwrap();
            }
        }
        let (readers, writer) = (Pool::from(readers), Writer::start(writer).unwrap());
        let ledger = Ledger::start(self.path(), 0, writer.jobs().unwrap()).unwrap();
        let engine = Sqlite { path: self.path(), readers, nearby, ledger, writer, patience: PATIENCE };
        Embedded::new(Box::new(engine))
    }

    /// What is stored, as another process sees it.
    fn stored(&self) -> Vec<String> {
        let look = Connection::open(self.path()).unwrap();
        let sql = "SELECT r.rid || ' ' || f.top || ' ' || f.inline || ' ' || r.revision FROM record r
            JOIN field f ON f.rec = r.id ORDER BY 1";
        let mut select = look.prepare(sql).unwrap();
        let rows = select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let sound: String = look.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(sound, "ok");
        rows
    }
}

fn deny(connection: &mut Connection, fails: &Countdown) {
    let fails = fails.clone();
    let hook =
        move |_: AuthContext<'_>| if fails.is_now() { Authorization::Deny } else { Authorization::Allow };
    connection.authorizer(Some(hook)).unwrap();
}

fn target() -> IngestTarget {
    IngestTarget {
        connection: ConnectionId::new("home").unwrap(),
        connector: None,
        label: None,
        stream: StreamName::new("notes").unwrap(),
        manifest: Manifest::default(),
    }
}

/// Three versions of what a stream may hold: records come, change and go between them.
fn lines(version: u64) -> Vec<String> {
    let record = |key: &str| format!(r#"{{"key":"{key}","data":{{"v":"heron {version}","n":{version}}}}}"#);
    vec![
        record("a"),
        record("b"),
        record(&format!("c{version}")),
        r#"{"key":"gone","deleted":true}"#.to_owned(),
    ]
}

async fn ingest(store: &Embedded, lines: &[String]) -> Result<StoredBatch, Failure> {
    let mut ingest = store.ingest(&target()).await?;
    for line in lines {
        ingest.push(prepare(line.as_bytes(), ingest.manifest()).unwrap()).await?;
    }
    ingest.flush().await
}

async fn caller(store: &Embedded) -> Caller {
    let stream = StreamRequest {
        name: StreamName::new("notes").unwrap(),
        connections: Vec::new(),
        fields: None,
        since: None,
        until: None,
        resources: None,
    };
    let request = GrantRequest {
        client: "c".into(),
        subject: "s".into(),
        purpose: None,
        expires_at: None,
        streams: vec![stream],
    };
    let (_, token) = store.create_grant(&request).await.unwrap();
    store.authenticate(&token).await.unwrap()
}

fn list() -> RecordsQuery {
    RecordsQuery {
        stream: StreamName::new("notes").unwrap(),
        connection: None,
        fields: None,
        view: None,
        conditions: Vec::new(),
        sort: Some("n".into()),
        order: Order::Ascending,
        limit: 10,
        cursor: None,
        changes_since: None,
    }
}

/// Lets an import fail at every place where it can.
async fn an_import_is_there_or_not_at_all(at: At) {
    let (place, fails) = (Place::new(), Countdown::default());
    fails.set(-1);
    // Closed again, so that all of it is in the one file.
    ingest(&place.open(at, &fails), &lines(0)).await.unwrap();
    let before = place.stored();
    std::fs::copy(place.path(), place.0.path().join("first")).unwrap();
    let (mut calls, mut failed) = (0, 0);
    loop {
        // Opened each time, so that no statement is ready from before.
        let store = place.open(at, &fails);
        fails.set(calls);
        let outcome = ingest(&store, &lines(1)).await;
        if !fails.has_passed() {
            outcome.unwrap();
            break;
        }
        fails.set(-1);
        match outcome {
            Err(failure) => {
                failed += 1;
                assert!(matches!(failure, Failure::Sqlite(_) | Failure::TooLong), "{failure:?}");
                assert_eq!(place.stored(), before, "after failure {calls}");
            }
            // What failed was nothing that the import needed, such as a look at how to plan a statement.
            Ok(_) => assert!(place.stored().iter().any(|row| row.contains("heron 1"))),
        }
        // The next call works, on the same connections.
        ingest(&store, &lines(1)).await.unwrap();
        assert!(place.stored().iter().any(|row| row.starts_with("c1 v heron 1")));
        drop(store);
        restore(&place, &before);
        // Every place at first, then further and further apart: there are thousands of steps.
        calls += 1 + if at == At::Step { calls / 6 } else { calls / 40 };
    }
    assert!(failed > 20, "{failed} failures");
}

/// Puts the stream back to what it was.
fn restore(place: &Place, rows: &[String]) {
    std::fs::remove_file(place.path()).unwrap();
    for beside in ["db-wal", "db-shm"] {
        let _ = std::fs::remove_file(place.path().with_extension(beside));
    }
    std::fs::copy(place.0.path().join("first"), place.path()).unwrap();
    assert_eq!(place.stored(), rows);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_whose_statements_cannot_be_prepared_is_there_or_not_at_all() {
    an_import_is_there_or_not_at_all(At::Prepare).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_that_breaks_off_at_a_step_is_there_or_not_at_all() {
    an_import_is_there_or_not_at_all(At::Step).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_whose_statement_cannot_be_prepared_fails_and_the_next_one_works() {
    let (place, fails) = (Place::new(), Countdown::default());
    fails.set(-1);
    let store = place.open(At::Prepare, &fails);
    ingest(&store, &lines(0)).await.unwrap();
    let caller = caller(&store).await;
    let whole = store.records(&caller, &list()).await.unwrap();
    assert_eq!(whole.records.len(), 3);
    let (mut calls, mut failed) = (0, 0);
    loop {
        let store = place.open(At::Prepare, &fails);
        fails.set(calls);
        let outcome = store.records(&caller, &list()).await;
        let has_passed = fails.has_passed();
        fails.set(-1);
        match outcome {
            Ok(page) => assert_eq!(page, whole),
            Err(SourceError::Failed(Failure::Sqlite(_))) => failed += 1,
            Err(other) => panic!("{other:?}"),
        }
        assert_eq!(store.records(&caller, &list()).await.unwrap(), whole);
        if !has_passed {
            break;
        }
        calls += 1 + calls / 40;
    }
    assert!(failed > 20, "{failed} failures");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_takes_nothing_away_and_room_makes_it_work_again() {
    let place = Place::new();
    let engine = Sqlite::open(place.path(), Missing::Create).unwrap();
    let mut pending = Pending::open(&place.path(), 0).unwrap();
    let entries = |client: String| NewEntries {
        durable: crate::ledger::Durable::AtOnce,
        at: 1,
        tool: "fetch".into(),
        disclosed: vec![crate::ledger::NewEntry {
            grant: "grt".into(),
            client,
            what: crate::ledger::Disclosure::default(),
        }],
    };
    // As large as it is now and little larger, whatever is added.
    let size = std::fs::metadata(pending.journal().path()).unwrap().len();
    pending.journal().trial().state().room = Some(size + 8_192);
    let refused = pending.add([entries("x".repeat(100_000))].iter()).unwrap_err();
    assert!(refused.to_string().contains("full"), "{refused}");
    assert_eq!(std::fs::metadata(pending.journal().path()).unwrap().len(), size, "nothing half done");
    let count = || {
        let full = Connection::open(place.path()).unwrap();
        full.query_row("SELECT COUNT(*) FROM disclosure", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    engine.settle_ledger().await.unwrap();
    assert_eq!(count(), 0);
    // Room for the entry, but not in the store.
    pending.journal().trial().state().room = None;
    pending.add([entries("y".repeat(100_000))].iter()).unwrap();
    let resize = |pages: i64| {
        engine.writer.with(move |connection| {
            let size: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
            Ok(connection.pragma_update(None, "max_page_count", size + pages)?)
        })
    };
    resize(2).await.unwrap();
    let refused = engine.settle_ledger().await.unwrap_err();
    assert!(refused.to_string().contains("full"), "{refused}");
    assert_eq!(count(), 0);
    assert!(
        engine.read(Statement::GrantTimes, bind!["grt"]).await.unwrap().is_empty(),
        "it can still be read"
    );
    // Room again.
    resize(1_000).await.unwrap();
    engine.settle_ledger().await.unwrap();
    assert_eq!(count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_file_is_a_failure_and_no_panic() {
    let place = Place::new();
    let store = open(&place.path(), Missing::Create).await.unwrap();
    for version in 0..3 {
        ingest(&store, &lines(version)).await.unwrap();
    }
    let caller = caller(&store).await;
    drop(store);
    let whole = std::fs::read(place.path()).unwrap();
    let mut failed = 0;
    // Cut short, and with a page of nonsense, at every page.
    for page in 0..whole.len() / 4_096 {
        for damage in ["cut", "nonsense"] {
            let mut bytes = whole.clone();
            match damage {
                "cut" => bytes.truncate(page * 4_096 + 2_048),
                _ => bytes[page * 4_096..][..4_096].fill(0x5a),
            }
            let file = place.0.path().join(format!("{damage}{page}.db"));
            std::fs::write(&file, &bytes).unwrap();
            // Refused when it is opened, or when what is damaged is read; or nothing that is read here is.
            match open(&file, Missing::Refuse).await {
                Err(_) => failed += 1,
                Ok(store) => match store.records(&caller, &list()).await {
                    Ok(page) => assert_eq!(page.records.len(), 5),
                    Err(_) => failed += 1,
                },
            }
        }
    }
    assert!(failed > 4, "{failed} failures");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_finds_all_readers_busy_waits_so_long_and_no_longer() {
    let place = Place::new();
    let engine = Sqlite::open(place.path(), Missing::Create).unwrap();
    let engine = Sqlite { patience: Duration::from_millis(50), ..engine };
    let mut busy = Vec::new();
    for _ in 0..READERS {
        busy.push(engine.readers.get().await.unwrap());
    }
    let outcome = engine.read(Statement::GrantTimes, bind!["grt"]).await;
    assert!(matches!(outcome, Err(Failure::Pool(_))), "{outcome:?}");
    busy.pop();
    assert!(engine.read(Statement::GrantTimes, bind!["grt"]).await.unwrap().is_empty());
}
