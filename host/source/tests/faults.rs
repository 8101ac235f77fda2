//! A Postgres that fails in all the ways it can: every call ends with a typed failure and within bounds, what is written is
//! there as a whole or not at all, and the next call works.
//!
//! What SQLite can fail with is in `src/sqlite/faults.rs`, beside the connections that are made to fail.

use crate::world::{World, line, stream};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use stepwell_contract::{Chars, Span, StreamName};
use stepwell_source::query::{AggregateQuery, Group, Metric, Order, RecordsQuery, SearchQuery};
use stepwell_source::{Caller, Disclosure, Failure, Source as _, SourceError};
use stepwell_testkit::{Postgres, WireCut, wire_cut};
use tokio_postgres::Client;

/// No call may take longer, whatever fails. It is far more than the store's own patience.
const BOUND: Duration = Duration::from_secs(60);

/// A store behind a wire that can be cut, and the same one without it.
struct Frail {
    cut: WireCut,
    world: World,
    direct: World,
    admin: Client,
    caller: Caller,
}

impl Frail {
    async fn new() -> Self {
        let postgres = Postgres::shared();
        let url = postgres.fresh_database();
        let cut = wire_cut(postgres.port());
        let direct = World::postgres_at(&url).await;
        let body = "the heron waits at the ferry ".repeat(800);
        let lines: Vec<String> = (0..6)
            .map(|n| line(&format!("k{n}"), &json!({ "v": 0, "n": n, "subject": "a heron", "body": body })))
            .collect();
        direct.fill("home/notes", None, &lines).await;
        let caller = direct.grant(vec![stream("notes")]).await;
        let world = World::postgres_at(&cut.url(&url)).await;
        let (admin, connection) =
            tokio_postgres::connect(&postgres.admin_url(&url), tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        Self { cut, world, direct, admin, caller }
    }

    /// Ends all connections of the store on the server's side.
    async fn terminate(&self) {
        let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'stepwell' AND datname = current_database()";
        self.admin.query(sql, &[]).await.unwrap();
    }

    /// The value that every record has; fails if they differ, for one batch wrote them.
    async fn version(&self) -> String {
        let page = self.direct.store.records(&self.caller, &list()).await.unwrap();
        let values: Vec<&str> = page
            .records
            .iter()
            .map(|view| view.fields.iter().find(|field| field.name == "v").unwrap().head.as_deref().unwrap())
            .collect();
        assert_eq!(values.len(), 6);
        assert!(values.iter().all(|value| *value == values[0]), "half a batch: {values:?}");
        values[0].to_owned()
    }
}

fn list() -> RecordsQuery {
    RecordsQuery {
        stream: StreamName::new("notes").unwrap(),
        connection: None,
        fields: None,
        view: None,
        conditions: Vec::new(),
        sort: None,
        order: Order::Ascending,
        limit: 10,
        cursor: None,
        changes_since: None,
    }
}

/// Every way to read.
const READS: [&str; 6] = ["catalogue", "records", "search", "aggregate", "text", "authenticate"];

async fn read(world: &World, caller: &Caller, what: &str) -> Result<String, SourceError> {
    let store = &world.store;
    Ok(match what {
        "catalogue" => format!("{:?}", store.catalogue(caller).await?),
        "records" => format!("{:?}", store.records(caller, &list()).await?),
        "search" => {
            let query = SearchQuery {
                q: "\"the heron\"".into(),
                streams: Vec::new(),
                conditions: Vec::new(),
                connection: None,
                limit: 2,
                cursor: None,
            };
            format!("{:?}", store.search(caller, &query).await?)
        }
        "aggregate" => {
            let query = AggregateQuery {
                stream: StreamName::new("notes").unwrap(),
                connection: None,
                metric: Metric::Count,
                field: None,
                group: Some(Group::Field("n".into())),
                conditions: Vec::new(),
                limit: 9,
            };
            format!("{:?}", store.aggregate(caller, &query).await?)
        }
        "text" => {
            let field = world.field(caller, "home/notes:k3", "body").await?;
            store.text(caller, &field, Span::at(Chars(5_000), Chars(9_000))).await?
        }
        _ => format!("{:?}", store.keyring().await.map(|_| ())?),
    })
}

/// Runs a call that may fail, but must end.
async fn ends<T>(call: impl Future<Output = T>) -> T {
    tokio::time::timeout(BOUND, call).await.expect("the call ends")
}

/// A read gives its whole answer or a failure of the database.
fn whole_or_failed(outcome: Result<String, SourceError>, whole: &str, what: &str) -> bool {
    match outcome {
        Ok(answer) => {
            assert_eq!(answer, whole, "{what}");
            false
        }
        Err(SourceError::Failed(Failure::Postgres(_) | Failure::Pool(_) | Failure::NoAnswer)) => true,
        Err(other) => panic!("{what}: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_that_loses_its_connection_at_any_byte_fails_and_the_next_one_works() {
    const MANY: u64 = 1 << 40;
    let frail = Frail::new().await;
    let mut failed = 0;
    for what in READS {
        let whole = read(&frail.direct, &frail.caller, what).await.unwrap();
        // Over new connections, so that everything that is ever said is said again.
        frail.terminate().await;
        frail.cut.cut_after(MANY);
        while read(&frail.world, &frail.caller, what).await.is_err() {}
        let total = frail.cut.passed_of(MANY);
        let mut bytes = 0;
        while bytes < total {
            frail.cut.cut_after(bytes);
            let outcome = ends(read(&frail.world, &frail.caller, what)).await;
            failed += usize::from(whole_or_failed(outcome, &whole, what));
            frail.cut.heal();
            let next = ends(read(&frail.world, &frail.caller, what)).await.unwrap();
            assert_eq!(next, whole, "{what} after a cut at {bytes}");
            // Every byte of the first words, then further and further apart.
            bytes += 1 + bytes / 6;
        }
    }
    assert!(failed > 100, "{failed} failures");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_that_loses_its_connection_at_any_byte_is_there_or_not_at_all() {
    let frail = Frail::new().await;
    let (mut bytes, mut version, mut failed, mut wholes) = (0, 0, 0, 0);
    while wholes < 2 {
        version += 1;
        let target = stepwell_source::embedded::IngestTarget {
            connection: crate::world::connection("home"),
            connector: None,
            label: None,
            stream: StreamName::new("notes").unwrap(),
            manifest: stepwell_source::prepare::Manifest::default(),
        };
        let mut ingest = frail.world.store.ingest(&target).await.unwrap();
        for n in 0..6 {
            let line = line(&format!("k{n}"), &json!({ "v": version, "n": n, "subject": "s", "body": "b" }));
            let record = stepwell_source::prepare::prepare(line.as_bytes(), ingest.manifest()).unwrap();
            ingest.push(record).await.unwrap();
        }
        let before = frail.version().await;
        frail.cut.cut_after(bytes);
        let outcome = ends(ingest.flush()).await;
        frail.cut.heal();
        let after = frail.version().await;
        match outcome {
            Ok(_) => {
                assert_eq!(after, version.to_string());
                wholes += 1;
            }
            Err(failure) => {
                failed += 1;
                assert!(matches!(failure, Failure::Postgres(_) | Failure::Pool(_)), "{failure:?}");
                // What was committed before its confirmation was lost is there; nothing else is.
                assert!(after == before || after == version.to_string());
                // The ingest still has what it could not store.
                let mut again = ends(ingest.flush()).await;
                if matches!(&again, Err(Failure::Postgres(error)) if error.is_closed()) {
                    again = ends(ingest.flush()).await;
                }
                again.unwrap();
                assert_eq!(frail.version().await, version.to_string());
            }
        }
        bytes += 3 + bytes / 8;
    }
    assert!(failed > 10, "{failed} failures");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_ends_connections_in_the_middle_of_questions_is_survived() {
    let frail = Frail::new().await;
    let whole = read(&frail.direct, &frail.caller, "records").await.unwrap();
    let mut failed = 0;
    for round in 0..30 {
        let calls = async {
            let mut failed = 0;
            for _ in 0..4 {
                let outcome = ends(read(&frail.world, &frail.caller, "records")).await;
                failed += u32::from(whole_or_failed(outcome, &whole, "records"));
            }
            failed
        };
        let ending = async {
            tokio::time::sleep(Duration::from_millis(round)).await;
            frail.terminate().await;
        };
        failed += tokio::join!(calls, ending).0;
    }
    // The goodbye of the last connection may still be on its way.
    let mut next = ends(read(&frail.world, &frail.caller, "records")).await;
    for _ in 0..8 {
        if next.is_ok() {
            break;
        }
        next = ends(read(&frail.world, &frail.caller, "records")).await;
    }
    assert_eq!(next.unwrap(), whole);
    // Which calls are hit is chance; that none of them hung or lied was asserted above.
    assert!(failed <= 120);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_network_that_falls_silent_is_given_up_and_later_works_again() {
    let frail = Frail::new().await;
    let whole = read(&frail.world, &frail.caller, "records").await.unwrap();
    frail.cut.fall_silent();
    let disclosed = [Disclosure::default()];
    let (one, two) = tokio::join!(
        ends(read(&frail.world, &frail.caller, "records")),
        ends(frail.world.store.disclose(&frail.caller, "fetch", &disclosed)),
    );
    assert!(whole_or_failed(one, &whole, "records"), "there is no answer");
    assert!(matches!(two, Err(SourceError::Failed(Failure::NoAnswer))), "{two:?}");
    frail.cut.heal();
    assert_eq!(ends(read(&frail.world, &frail.caller, "records")).await.unwrap(), whole);
    ends(frail.world.store.disclose(&frail.caller, "fetch", &disclosed)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_takes_no_connection_or_no_write_says_so_and_later_works_again() {
    let frail = Frail::new().await;
    let name: String = frail.admin.query_one("SELECT current_database()", &[]).await.unwrap().get(0);
    let whole = read(&frail.world, &frail.caller, "records").await.unwrap();
    // None is left.
    frail.admin.batch_execute(&format!("ALTER DATABASE {name} CONNECTION LIMIT 0")).await.unwrap();
    frail.terminate().await;
    let mut refused = None;
    for _ in 0..20 {
        match ends(read(&frail.world, &frail.caller, "records")).await {
            Err(SourceError::Failed(Failure::Postgres(error))) if error.code().is_some() => {
                refused = error.code().map(|code| code.code().to_owned());
                if refused.as_deref() == Some("53300") {
                    break;
                }
            }
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    assert_eq!(refused.as_deref(), Some("53300"), "too many connections");
    frail.admin.batch_execute(&format!("ALTER DATABASE {name} CONNECTION LIMIT -1")).await.unwrap();
    assert_eq!(ends(read(&frail.world, &frail.caller, "records")).await.unwrap(), whole);
    // It can be read and not written.
    let read_only = |on: &str| format!("ALTER DATABASE {name} SET default_transaction_read_only = {on}");
    frail.admin.batch_execute(&read_only("on")).await.unwrap();
    frail.terminate().await;
    let disclosed = [Disclosure::default()];
    let mut refused = None;
    for _ in 0..20 {
        match ends(frail.world.store.disclose(&frail.caller, "fetch", &disclosed)).await {
            Err(SourceError::Failed(Failure::Postgres(error))) if error.code().is_some() => {
                refused = error.code().map(|code| code.code().to_owned());
                if refused.as_deref() == Some("25006") {
                    break;
                }
            }
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    assert_eq!(refused.as_deref(), Some("25006"), "a read-only transaction");
    assert_eq!(ends(read(&frail.world, &frail.caller, "records")).await.unwrap(), whole);
    frail.admin.batch_execute(&read_only("off")).await.unwrap();
    frail.terminate().await;
    let mut written = ends(frail.world.store.disclose(&frail.caller, "fetch", &disclosed)).await;
    for _ in 0..20 {
        if written.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        written = ends(frail.world.store.disclose(&frail.caller, "fetch", &disclosed)).await;
    }
    written.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_questions_than_connections_each_end_though_the_database_is_locked() {
    let frail = Arc::new(Frail::new().await);
    let whole = read(&frail.world, &frail.caller, "records").await.unwrap();
    frail.admin.batch_execute("BEGIN; LOCK TABLE stepwell.grants IN ACCESS EXCLUSIVE MODE").await.unwrap();
    // All at once: they wait for each other's connections and for the lock.
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let frail = Arc::clone(&frail);
        calls.spawn(async move { ends(read(&frail.world, &frail.caller, "catalogue")).await });
    }
    for outcome in calls.join_all().await {
        match outcome {
            // A statement that took too long, or no connection to ask over.
            Err(SourceError::Refused(refusal)) => {
                assert_eq!(refusal.code, stepwell_contract::Code::QueryTooBroad);
            }
            Err(SourceError::Failed(Failure::Pool(_))) => {}
            other => panic!("{other:?}"),
        }
    }
    frail.admin.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(ends(read(&frail.world, &frail.caller, "records")).await.unwrap(), whole);
}
