use super::*;
use crate::bind;
use crate::embedded::{IngestTarget, upgraded};
use crate::prepare::{Manifest, prepare};
use crate::source::Source as _;
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_testkit::Postgres as Server;
use tokio_postgres::{Client, NoTls};

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(&format!("SET search_path TO {SCHEMA}")).await.unwrap();
    client
}

async fn refusal(url: &str) -> String {
    match open(url).await {
        Err(Failure::Store(message)) => message,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_cannot_write() {
    let url = Server::shared().fresh_database();
    open(&url).await.unwrap();
    let config: Config = url.parse().unwrap();
    let pool = |set| pool(&config, 2, set).unwrap();
    let readers = pool("SET default_transaction_read_only = on");
    let tls = tls::connector().unwrap();
    let writer = pool("SET synchronous_commit = on");
    let store = Postgres { writer, readers, tls, unlearnt: AtomicU64::default() };
    let revoke = store.read(Statement::RevokeGrant, bind!["grt", 1]).await.unwrap_err();
    assert!(revoke.to_string().contains("read-only transaction"), "{revoke}");
    let reader = connection(&store.readers).await.unwrap();
    for write in
        ["DELETE FROM grants", "CREATE TABLE t (x INT)", "DROP TABLE seg", "SELECT nextval('field_id')"]
    {
        let error = reader.batch_execute(write).await.unwrap_err();
        assert_eq!(error.code().map(|code| code.code()), Some("25006"), "{write}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_statement_is_one_that_postgres_knows() {
    let url = Server::shared().fresh_database();
    open(&url).await.unwrap();
    let client = connect(&url).await;
    for statement in Statement::ALL {
        if let Err(error) = client.prepare(&statement.postgres()).await {
            panic!("{}: {error:?}", statement.name());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_that_open_an_empty_database_at_once_agree() {
    for _ in 0..3 {
        let url = Server::shared().fresh_database();
        let (a, b, c, d) = tokio::join!(open(&url), open(&url), open(&url), open(&url));
        for opened in [a, b, c, d] {
            opened.unwrap();
        }
        let client = connect(&url).await;
        let keys: i64 = client.query_one("SELECT COUNT(*) FROM sealing_key", &[]).await.unwrap().get(0);
        let versions: i64 = client.query_one("SELECT COUNT(*) FROM meta", &[]).await.unwrap().get(0);
        assert_eq!((keys, versions), (1, 1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_was_closed_opens_as_it_was() {
    let url = Server::shared().fresh_database();
    let token = open(&url).await.unwrap().create_owner_token(None).await.unwrap();
    let store = open(&url).await.unwrap();
    let refused = store.authenticate(&token).await.unwrap_err();
    assert_eq!(
        refused.refusal().unwrap().code,
        stepwell_contract::Code::OwnerTokenRefused,
        "the token is known"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_of_a_newer_version_is_refused() {
    let url = Server::shared().fresh_database();
    open(&url).await.unwrap();
    connect(&url).await.batch_execute("UPDATE meta SET version = 99").await.unwrap();
    let message = refusal(&url).await;
    assert!(message.contains("schema version 99") && message.contains("use a newer stepwell"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_not_in_utf8_is_refused_and_left_empty() {
    let server = Server::shared();
    let url = server.fresh_database();
    let admin = connect(&server.admin_url(&url)).await;
    for encoding in ["SQL_ASCII", "LATIN1"] {
        let name = encoding.to_lowercase();
        let create = format!(
            "CREATE DATABASE {name} OWNER stepwell TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'"
        );
        admin.batch_execute(&create).await.unwrap();
        let url = format!("{}/{name}", url.rsplit_once('/').unwrap().0);
        let message = refusal(&url).await;
        assert!(message.contains(encoding) && message.contains("ENCODING 'UTF8'"), "{message}");
        let client = connect(&url).await;
        let made: bool =
            client.query_one("SELECT to_regnamespace('stepwell') IS NOT NULL", &[]).await.unwrap().get(0);
        assert!(!made);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_does_not_answer_is_a_failure_without_a_password() {
    let error = open("postgres://me:secret-word@127.0.0.1:1/nowhere").await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret-word"), "{error:?}");
}

/// A window must be a walk along the index however the planner guesses: before and after statistics, for values that it
/// knows and for values that it does not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_window_is_read_along_the_index_of_chunks() {
    let url = Server::shared().fresh_database();
    let store = open(&url).await.unwrap();
    let target = IngestTarget {
        connection: ConnectionId::new("c").unwrap(),
        connector: None,
        label: None,
        stream: StreamName::new("s").unwrap(),
        manifest: Manifest::parse(r#"{"query":{"search":{"lexical_fields":[]}}}"#, "s").unwrap(),
    };
    let mut ingest = store.ingest(&target).await.unwrap();
    for number in 0..300 {
        let body = "word ".repeat(if number == 7 { 1_000_000 } else { 2_000 });
        let line = format!(r#"{{"key":"{number}","data":{{"body":"{body}"}}}}"#);
        ingest.push(prepare(line.as_bytes(), ingest.manifest()).unwrap()).await.unwrap();
    }
    ingest.flush().await.unwrap();
    let client = connect(&url).await;
    client.batch_execute(&format!("PREPARE read_text AS {}", Statement::Text.postgres())).await.unwrap();
    for analyzed in [false, true] {
        for mode in ["force_custom_plan", "force_generic_plan"] {
            client.batch_execute(&format!("SET plan_cache_mode = {mode}")).await.unwrap();
            let explain =
                "EXPLAIN EXECUTE read_text ('grt', 1, 1, 8, 'body', '/body', 2000000, 2004096, '\\x00')";
            let rows = client.query(explain, &[]).await.unwrap();
            let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
            let plan = plan.join("\n");
            assert!(
                plan.contains("Index Scan using seg_pkey") || plan.contains("on seg_pkey"),
                "{mode}:\n{plan}"
            );
            assert!(plan.contains("(char_start > ") && plan.contains("(char_start < "), "{mode}:\n{plan}");
            let large = ["Seq Scan on seg", "Seq Scan on field", "Seq Scan on record"];
            assert!(!large.iter().any(|scan| plan.contains(scan)), "{mode}, analyzed {analyzed}:\n{plan}");
        }
        client.batch_execute("ANALYZE").await.unwrap();
    }
}

/// A search must go along indexes however the planner guesses: before and after it knows the tables.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_goes_along_indexes() {
    let url = Server::shared().fresh_database();
    open(&url).await.unwrap();
    let client = connect(&url).await;
    // Behind the store's back, so that nothing is known of the tables.
    let fill = "
        INSERT INTO record (scope, rid, time, emitted, sha256, revision)
          SELECT 1, CAST(n AS TEXT), n, n, '\\x00', 1 FROM generate_series(1, 20000) AS n;
        INSERT INTO unit (scope, rec, field, top, char_start, words)
          SELECT 1, r.id, r.id, 'body', 0, CAST('common w' || r.id AS TSVECTOR) FROM record r;";
    client.batch_execute(fill).await.unwrap();
    for (name, statement) in [("search", Statement::Search), ("search_long", Statement::SearchLong)] {
        client.batch_execute(&format!("PREPARE {name} AS {}", statement.postgres())).await.unwrap();
    }
    client.batch_execute(&format!("{READER}; SET jit = off")).await.unwrap();
    for known in [false, true] {
        for name in ["search", "search_long"] {
            let (newest, none) = (i64::MAX, ["NULL"; 8].join(", "));
            let explain =
                format!("EXPLAIN EXECUTE {name} ('grt', 1, 1, {newest}, '', 1, 26, '''common''', {none})");
            let rows = client.query(&explain, &[]).await.unwrap();
            let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
            let plan = plan.join("\n");
            let indexes = ["record_by_time on record", "record_by_emission on record", "on unit_words"];
            for index in indexes.into_iter().chain(["record_pkey on record"]) {
                assert!(plan.contains(index), "{index}, known {known}:\n{plan}");
            }
            let whole = ["Seq Scan on unit", "Seq Scan on record"];
            assert!(!whole.iter().any(|scan| plan.contains(scan)), "known {known}:\n{plan}");
        }
        client.batch_execute("ANALYZE").await.unwrap();
    }
}

/// Postgres looks at tables by itself a minute later, and until then plans for tables that are almost empty.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_filled_is_known_at_once() {
    let url = Server::shared().fresh_database();
    let store = open(&url).await.unwrap();
    let client = connect(&url).await;
    let target = IngestTarget {
        connection: ConnectionId::new("c").unwrap(),
        connector: None,
        label: None,
        stream: StreamName::new("s").unwrap(),
        manifest: Manifest::default(),
    };
    let mut known = Vec::new();
    for keys in [0..600, 600..610, 610..1_400] {
        let mut ingest = store.ingest(&target).await.unwrap();
        for key in keys {
            let line = format!(r#"{{"key":"{key}","data":{{"body":"heron {key}"}}}}"#);
            ingest.push(prepare(line.as_bytes(), ingest.manifest()).unwrap()).await.unwrap();
        }
        ingest.flush().await.unwrap();
        let records = "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = CAST('record' AS REGCLASS)";
        known.push(client.query_one(records, &[]).await.unwrap().get::<_, i64>(0));
    }
    assert_eq!(known, [600, 600, 1_400], "a few more make no difference");
    let unknown = "SELECT COUNT(*) FROM pg_class WHERE relnamespace = CAST('stepwell' AS REGNAMESPACE)
        AND relname IN ('connection', 'scope', 'record', 'field', 'unit', 'filter_value') AND reltuples <= 0";
    let unknown: i64 = client.query_one(unknown, &[]).await.unwrap().get(0);
    assert_eq!(unknown, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_of_an_earlier_version_is_brought_up_to_date_in_its_place() {
    for version in 1..migrate::STEPS.len() {
        let url = Server::shared().fresh_database();
        let client = connect(&url).await;
        client.batch_execute(&format!("CREATE SCHEMA {SCHEMA}")).await.unwrap();
        client.batch_execute(&migrate::STEPS[..version].concat()).await.unwrap();
        let own = format!(
            "UPDATE meta SET version = {version}; INSERT INTO sealing_key (secret, created_at) VALUES ('\\x01', 1);"
        );
        client.batch_execute(&own).await.unwrap();
        client.batch_execute(&upgraded::rows(version, "BYTEA")).await.unwrap();
        let store = open(&url).await.unwrap();
        let caller =
            crate::token::Caller { grant: "grt".into(), client: "new".into(), package: false, bearer: None };
        store.disclose(&caller, "fetch", &[crate::ledger::Disclosure::default()]).await.unwrap();
        let found = client.query_one("SELECT version, (SELECT COUNT(*) FROM sealing_key) FROM meta", &[]);
        let found = found.await.unwrap();
        let found: [i64; 2] = [found.get(0), found.get(1)];
        assert_eq!(found, [migrate::STEPS.len() as i64, 1]);
        upgraded::still_reads_and_syncs(&store).await;
    }
}

/// Statements that forgot their grant, as we could: what a session that reads for a grant sees all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_statement_that_forgot_its_grant_shows_nothing_outside_of_it() {
    let url = Server::shared().fresh_database();
    let store = open(&url).await.unwrap();
    let blob = |base64: &str| format!(r#"{{"$blob":{{"mime_type":"a/b","base64":"{base64}"}}}}"#);
    let (mine, theirs, long) = (blob("b3Blbg=="), blob("c2VjcmV0"), "long ".repeat(2_000));
    for (connection, word, file) in [("home", "open", &mine), ("work", "secret", &theirs)] {
        let target = IngestTarget {
            connection: ConnectionId::new(connection).unwrap(),
            connector: None,
            label: None,
            stream: StreamName::new("s").unwrap(),
            manifest: Manifest::default(),
        };
        let mut ingest = store.ingest(&target).await.unwrap();
        let line = |key: &str, word: &str| {
            format!(
                r#"{{"key":"{key}","data":{{"body":"{word}","{word}_field":"secret","text":"{word} {long}","file":{file}}}}}"#
            )
        };
        for line in [
            line("k", "before"),
            line("gone", word),
            r#"{"key":"gone","deleted":true}"#.into(),
            line("k", word),
        ] {
            ingest.push(prepare(line.as_bytes(), ingest.manifest()).unwrap()).await.unwrap();
            ingest.flush().await.unwrap();
        }
    }
    let stream = crate::grant::StreamRequest {
        name: StreamName::new("s").unwrap(),
        connections: vec![ConnectionId::new("home").unwrap()],
        fields: Some(["body", "text", "file"].map(str::to_owned).to_vec()),
        since: None,
        until: None,
        resources: None,
    };
    let request = crate::grant::GrantRequest {
        client: "c".into(),
        subject: "o".into(),
        purpose: None,
        expires_at: None,
        streams: vec![stream],
    };
    let (grant, _) = store.create_grant(&request).await.unwrap();
    let config: Config = url.parse().unwrap();
    let readers = pool(&config, 1, "SET default_transaction_read_only = on").unwrap();
    let engine = Postgres {
        writer: readers.clone(),
        readers,
        tls: tls::connector().unwrap(),
        unlearnt: AtomicU64::default(),
    };
    let forgetful = [
        ("record", "SELECT rid FROM record"),
        ("field", "SELECT inline FROM field WHERE inline IS NOT NULL"),
        ("seg", "SELECT text FROM seg"),
        ("blob_part", "SELECT convert_from(data, 'UTF8') FROM blob_part"),
        (
            "filter_value",
            "SELECT convert_from(value, 'SQL_ASCII') FROM filter_value WHERE top LIKE '%body' OR top LIKE '%field'",
        ),
        ("scope_field", "SELECT field FROM scope_field"),
        ("former_record", "SELECT rid FROM former_record"),
        ("former_field", "SELECT top FROM former_field"),
        ("mark", "SELECT CAST(scope AS TEXT) FROM mark"),
        ("words", "SELECT f.inline FROM unit u JOIN field f ON f.id = u.field WHERE f.inline IS NOT NULL"),
    ];
    for (table, sql) in forgetful {
        let seen = async |reader: Reader<'_>| {
            let rows = engine.select(("forgetful", sql), reader, &[]).await.unwrap();
            rows.into_iter().map(|mut row| row.text().unwrap()).collect::<Vec<_>>()
        };
        let (all, own) = (seen(Reader::Owner).await, seen(Reader::Grant(&grant.grant_id)).await);
        assert!(own.len() < all.len() && !own.is_empty(), "{table}: {own:?} of {all:?}");
        assert!(!own.iter().any(|text| text.contains("secret")), "{table}: {own:?}");
        for nobody in ["", "grt_0000000000000000", "%"] {
            assert_eq!(seen(Reader::Grant(nobody)).await, [""; 0], "{table}");
        }
        // A session that says nothing sees nothing either: that it is not set does not mean the owner.
        let client = connect(&url).await;
        client.batch_execute("SET stepwell.grant_id = ''; SET stepwell.owner = ''").await.unwrap();
        assert_eq!(client.query(sql, &[]).await.unwrap().len(), 0, "{table}");
    }
    let refused = engine
        .select(("writing", "DELETE FROM record RETURNING rid"), Reader::Grant(&grant.grant_id), &[])
        .await;
    assert!(refused.unwrap_err().to_string().contains("read-only transaction"));
}

/// Waits until the server is busy with a statement of ours, or until it no longer is.
async fn until_busy(onlooker: &Client, wanted: bool) {
    let count = "SELECT COUNT(*) FROM pg_stat_activity
        WHERE application_name = 'stepwell' AND state = 'active' AND datname = current_database()";
    let watch = async {
        while (onlooker.query_one(count, &[]).await.unwrap().get::<_, i64>(0) > 0) != wanted {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(60), watch).await.expect("it comes to that");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_stops_a_statement_when_whoever_waits_for_it_leaves() {
    let url = Server::shared().fresh_database();
    let store = std::sync::Arc::new(open(&url).await.unwrap());
    let (owner, onlooker) = (connect(&url).await, connect(&url).await);
    let caller =
        crate::token::Caller { grant: "grt".into(), client: "c".into(), package: false, bearer: None };
    // Whoever reads grants now waits until this transaction ends, which it does not.
    owner.batch_execute("BEGIN; LOCK TABLE grants IN ACCESS EXCLUSIVE MODE").await.unwrap();
    for _ in 0..2 * READERS {
        let (store, caller) = (store.clone(), caller.clone());
        let call = tokio::spawn(async move { store.catalogue(&caller).await });
        until_busy(&onlooker, true).await;
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
        until_busy(&onlooker, false).await;
    }
    owner.batch_execute("ROLLBACK").await.unwrap();
    // More left than there are connections, and the next one is served.
    let refused = store.catalogue(&caller).await.unwrap_err();
    assert_eq!(refused.refusal().unwrap().code, stepwell_contract::Code::InvalidToken);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_statement_that_takes_too_long_is_ended_with_a_reason() {
    let url = Server::shared().fresh_database();
    open(&url).await.unwrap();
    let config: Config = url.parse().unwrap();
    let readers = pool(&config, 1, "SET statement_timeout = '50ms'").unwrap();
    let store = Postgres {
        writer: readers.clone(),
        readers,
        tls: tls::connector().unwrap(),
        unlearnt: AtomicU64::default(),
    };
    let owner = connect(&url).await;
    owner.batch_execute("BEGIN; LOCK TABLE grants IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let outcome = store.read(Statement::GrantTimes, bind!["grt"]).await;
    assert!(matches!(outcome, Err(Failure::TooLong)), "{outcome:?}");
    let error = crate::SourceError::from(Failure::TooLong);
    assert_eq!(error.refusal().unwrap().code, stepwell_contract::Code::QueryTooBroad);
}

/// What filters compare, in the order of the index.
async fn filter_values(client: &Client) -> Vec<String> {
    let select = "SELECT scope || ' ' || top || ' ' || encode(value, 'hex') || ' ' || rec FROM filter_value
        ORDER BY scope, top, value, rec";
    client.query(select, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_fills_the_index_of_values_as_an_ingest_does() {
    let url = Server::shared().fresh_database();
    let store = open(&url).await.unwrap();
    crate::embedded::fill_with_every_kind(&store).await;
    let mut client = connect(&url).await;
    let fresh = filter_values(&client).await;
    assert!(fresh.len() > 8, "{fresh:?}");
    let transaction = client.transaction().await.unwrap();
    transaction.execute("DELETE FROM filter_value", &[]).await.unwrap();
    filter::fill(&transaction).await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(filter_values(&client).await, fresh);
}
