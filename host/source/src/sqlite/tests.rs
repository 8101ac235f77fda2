use super::*;
use crate::bind;
use crate::embedded::statement::Reads;
use crate::embedded::upgraded;
use crate::ledger::Durable;
use crate::source::Source as _;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

fn place(dir: &tempfile::TempDir) -> PathBuf {
    dir.path().join("store.db")
}

fn refusal(path: &Path, missing: Missing) -> String {
    match Sqlite::open(path.to_owned(), missing) {
        Err(Failure::Store(message)) => message,
        other => panic!("not refused: {other:?}"),
    }
}

/// Asks SQLite itself which columns a statement reads.
fn columns_read(statement: Statement) -> BTreeSet<String> {
    let mut connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(&migrate::STEPS.concat()).unwrap();
    let read = Arc::new(Mutex::new(BTreeSet::new()));
    let note = read.clone();
    let watch = move |context: AuthContext<'_>| {
        if let AuthAction::Read { table_name, column_name } = context.action {
            note.lock().unwrap().insert(format!("{table_name}.{column_name}"));
        }
        Authorization::Allow
    };
    connection.authorizer(Some(watch)).unwrap();
    connection.prepare(statement.sql()).unwrap();
    std::mem::take(&mut *read.lock().unwrap())
}

#[test]
fn only_statements_of_content_read_columns_of_content_and_all_data_is_read_under_a_grant() {
    let content = ["field.inline", "seg.text", "blob_part.data", "filter_value.value"];
    let data = ["record.", "field.", "seg.", "blob", "unit", "filter_value."];
    for &statement in Statement::ALL {
        let read = columns_read(statement);
        let name = statement.name();
        let reads_content = content.iter().any(|column| read.contains(*column));
        assert_eq!(reads_content, statement.reads() == Reads::Content, "{name} reads {read:?}");
        let reads_data = read.iter().any(|column| data.iter().any(|table| column.starts_with(table)));
        let mut checks = Vec::new();
        if statement.reads() == Reads::Content {
            checks.extend(["grant_field.field", "grant_field.scope", "grant_field.grant_id"]);
        }
        if matches!(statement.reads(), Reads::Content | Reads::Shape) {
            checks.extend([
                "grants.id",
                "grants.revoked_at",
                "grants.expires_at",
                "grant_scope.grant_id",
                "grant_scope.scope",
            ]);
        }
        // Whoever looks at a record looks through the time range and the list of records too.
        let is_former = read.contains("former_record.rid");
        if (reads_data || is_former) && matches!(statement.reads(), Reads::Content | Reads::Shape) {
            checks.extend(["grant_scope.since", "grant_scope.until", "grant_scope.listed"]);
            checks.extend(["grant_resource.rid", "grant_resource.grant_id", "grant_resource.scope"]);
            checks.extend(
                [(reads_data, "record.consent_time"), (is_former, "former_record.consent_time")]
                    .into_iter()
                    .filter(|(is, _)| *is)
                    .map(|(_, column)| column),
            );
        }
        // Whoever learns anything of a field learns it through the granted fields.
        if read.iter().any(|column| column.starts_with("field.")) {
            checks.push("grant_field.field");
        }
        for check in checks {
            assert!(read.contains(check), "{name} does not look at {check}");
        }
        if statement.reads() == Reads::Books {
            let of_records: Vec<_> =
                read.iter().filter(|column| data.iter().any(|table| column.starts_with(table))).collect();
            assert!(
                of_records.is_empty() || statement == Statement::CountRecords,
                "{name} reads {of_records:?}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_cannot_write() {
    let dir = tempfile::tempdir().unwrap();
    let store = Sqlite::open(place(&dir), Missing::Create).unwrap();
    let revoke = store.read(Statement::RevokeGrant, bind!["grt", 1]).await;
    assert!(
        matches!(&revoke, Err(Failure::Sqlite(error)) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ReadOnly))
    );
    let reader = Reader::open(&place(&dir)).unwrap();
    let reader = reader.connection();
    for write in ["DELETE FROM grants", "CREATE TABLE t (x)", "DROP TABLE seg", "PRAGMA user_version = 7"] {
        let error = reader.execute_batch(write).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::ReadOnly), "{write}");
    }
    // Even without its own vow it has the file open for reading alone.
    reader.execute_batch("PRAGMA query_only = OFF").unwrap();
    assert!(reader.execute_batch("DELETE FROM grants").is_err());
}

#[test]
fn a_missing_store_is_refused_and_not_made() {
    let dir = tempfile::tempdir().unwrap();
    let message = refusal(&place(&dir), Missing::Refuse);
    assert!(message.contains("there is no store at") && message.contains("store.db"), "{message}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn what_is_no_store_is_refused_and_left_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let foreign = dir.path().join("foreign.db");
    Connection::open(&foreign)
        .unwrap()
        .execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        .unwrap();
    let versioned = dir.path().join("versioned.db");
    Connection::open(&versioned).unwrap().execute_batch("PRAGMA user_version = 1").unwrap();
    let text = dir.path().join("notes.txt");
    std::fs::write(&text, "this is a text and no database, long enough to have a header of one ".repeat(40))
        .unwrap();
    for path in [foreign, versioned, text] {
        let before = std::fs::read(&path).unwrap();
        for missing in [Missing::Create, Missing::Refuse] {
            let message = refusal(&path, missing);
            assert!(message.ends_with("is not a Stepwell store"), "{message}");
            assert!(std::fs::read(&path).unwrap() == before, "{} was written to", path.display());
        }
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 3, "nothing is left beside the files");
}

#[test]
fn a_store_of_a_newer_version_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    drop(Sqlite::open(place(&dir), Missing::Create).unwrap());
    Connection::open(place(&dir)).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    let message = refusal(&place(&dir), Missing::Create);
    assert!(message.contains("schema version 99") && message.contains("use a newer stepwell"), "{message}");
}

#[test]
fn a_place_that_is_no_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Sqlite::open(dir.path().to_owned(), Missing::Create).is_err());
    assert!(Sqlite::open(dir.path().join("no/such/folder.db"), Missing::Create).is_err());
    // SQLite would take these for a store that each connection has for itself and that is gone at the end.
    for unnamed in [":memory:", ""] {
        let message = refusal(Path::new(unnamed), Missing::Create);
        assert!(message.contains("names no file"), "{message}");
    }
}

fn sealing_keys(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let mut select = connection.prepare("SELECT hex(secret) FROM sealing_key").unwrap();
    select.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_that_open_an_empty_place_at_once_agree() {
    for _ in 0..10 {
        let dir = tempfile::tempdir().unwrap();
        let path = place(&dir);
        let (a, b, c, d) = tokio::join!(
            open(&path, Missing::Create),
            open(&path, Missing::Create),
            open(&path, Missing::Create),
            open(&path, Missing::Create)
        );
        for opened in [a, b, c, d] {
            opened.unwrap();
        }
        assert_eq!(sealing_keys(&path).len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_was_closed_opens_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&place(&dir), Missing::Create).await.unwrap();
    let token = store.create_owner_token(None).await.unwrap();
    drop(store);
    assert!(!dir.path().join("store.db-wal").exists(), "the log was folded back into the file");
    let keys = sealing_keys(&place(&dir));
    let store = open(&place(&dir), Missing::Refuse).await.unwrap();
    assert_eq!(sealing_keys(&place(&dir)), keys);
    let refused = store.authenticate(&token).await.unwrap_err();
    assert_eq!(
        refused.refusal().unwrap().code,
        stepwell_contract::Code::OwnerTokenRefused,
        "the token is known"
    );
}

/// The file in which entries of the ledger wait.
fn pending(dir: &tempfile::TempDir) -> PathBuf {
    place(dir).with_extension("db-pending")
}

/// Keeps everyone else away from that file, as another program does that is at it.
fn locked(dir: &tempfile::TempDir) -> std::fs::File {
    let other = std::fs::File::open(pending(dir)).unwrap();
    other.lock().unwrap();
    other
}

/// What waits in that file, each with its number.
fn waits(pending: &pending::Pending) -> Vec<i64> {
    let locked = pending.journal().lock(BUSY).unwrap();
    let mut all = Vec::new();
    locked
        .read(locked.from(None).unwrap(), |id, _| {
            all.push(id);
            true
        })
        .unwrap();
    all
}

fn entries(client: &str) -> NewEntries {
    let what = crate::ledger::Disclosure::default();
    let one = crate::ledger::NewEntry { grant: "grt".into(), client: client.into(), what };
    NewEntries { durable: Durable::AtOnce, at: 1, tool: "fetch".into(), disclosed: vec![one] }
}

/// The numbers and clients of the entries that are in a store's ledger.
fn ledger(store: &Path) -> Vec<(i64, String)> {
    let store = Connection::open(store).unwrap();
    let mut all = store.prepare("SELECT id, client FROM disclosure ORDER BY id").unwrap();
    all.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().collect::<Result<_, _>>().unwrap()
}

fn clients(ledger: Vec<(i64, String)>) -> Vec<String> {
    ledger.into_iter().map(|(_, client)| client).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_are_durable_while_another_process_writes_to_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let store = Sqlite::open(place(&dir), Missing::Create).unwrap();
    let other = Connection::open(place(&dir)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    store.append(entries("one")).await.unwrap();
    store.append(entries("two")).await.unwrap();
    assert!(ledger(&place(&dir)).is_empty());
    other.execute_batch("ROLLBACK").unwrap();
    store.settle_ledger().await.unwrap();
    assert_eq!(clients(ledger(&place(&dir))), ["one", "two"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_go_into_the_ledger_by_themselves_and_when_the_store_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let store = Sqlite::open(place(&dir), Missing::Create).unwrap();
    store.append(entries("one")).await.unwrap();
    let moved = async {
        while ledger(&place(&dir)).is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), moved).await.expect("it was put into the ledger");
    // Whoever comes alone commits by themselves, and the thread hears of it.
    store.append(entries("two")).await.unwrap();
    let moved = async {
        while ledger(&place(&dir)).len() < 2 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), moved).await.expect("it was put into the ledger too");
    store.append(entries("three")).await.unwrap();
    drop(store);
    assert_eq!(clients(ledger(&place(&dir))), ["one", "two", "three"]);
}

#[test]
fn what_was_left_behind_goes_into_the_ledger_once_however_often_that_breaks_off() {
    let dir = tempfile::tempdir().unwrap();
    let path = place(&dir);
    let store = connect(&path, Missing::Create).unwrap();
    let mut left = pending::Pending::open(&path, 0).unwrap();
    left.add([entries("one"), entries("two")].iter()).unwrap();
    // The ledger has the first one already: whoever put it there did not live to take it out of the other file.
    let first = waits(&left)[0];
    let there = "INSERT INTO disclosure (id, at, grant_id, client, tool, bytes) VALUES (?1, 1, 'grt', 'one', 'fetch', 0)";
    store.execute(there, [first]).unwrap();
    drop((store, left));
    drop(connect(&path, Missing::Refuse).unwrap());
    assert_eq!(clients(ledger(&path)), ["one", "two"], "whoever opens the store sees to it");
    // What comes later has higher numbers, in the same file and in one that was made anew.
    let mut left = pending::Pending::open(&path, 0).unwrap();
    left.add([entries("three")].iter()).unwrap();
    drop(left);
    pending::settle(&path, &mut connect(&path, Missing::Refuse).unwrap()).unwrap();
    std::fs::remove_file(pending(&dir)).unwrap();
    let mut left = pending::Pending::open(&path, 0).unwrap();
    left.add([entries("four")].iter()).unwrap();
    drop(left);
    let mut store = connect(&path, Missing::Refuse).unwrap();
    pending::settle(&path, &mut store).unwrap();
    assert_eq!(clients(ledger(&path)), ["one", "two", "three", "four"]);
}

#[test]
fn nothing_is_left_beside_the_store_of_what_went_into_its_ledger() {
    let dir = tempfile::tempdir().unwrap();
    let path = place(&dir);
    let mut store = connect(&path, Missing::Create).unwrap();
    let mut left = pending::Pending::open(&path, 0).unwrap();
    left.add([entries("a very particular client")].iter()).unwrap();
    let files = || {
        let files = std::fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().path());
        let files = files.filter(|file| file.to_string_lossy().contains("-pending"));
        files.flat_map(|file| std::fs::read(file).unwrap()).collect::<Vec<u8>>()
    };
    let shows = |bytes: Vec<u8>| bytes.windows(10).any(|part| part == b"particular");
    assert!(shows(files()));
    pending::settle(&path, &mut store).unwrap();
    assert!(!shows(files()));
    assert_eq!(std::fs::metadata(pending(&dir)).unwrap().len(), journal::FIRST);
    // Nor by those who do not wait for anything.
    left.add([entries("a particular one"), entries("and another")].iter()).unwrap();
    assert!(shows(files()));
    pending::fold(&path, &mut store).unwrap();
    assert!(!shows(files()) && waits(&left).is_empty());
    assert_eq!(clients(ledger(&path)), ["a very particular client", "a particular one", "and another"]);
}

/// A ledger may come from elsewhere, with a backup.
#[test]
fn an_entry_has_a_number_above_those_of_the_ledger() {
    let dir = tempfile::tempdir().unwrap();
    let path = place(&dir);
    let mut store = connect(&path, Missing::Create).unwrap();
    pending::Pending::open(&path, 0).unwrap().add([entries("one")].iter()).unwrap();
    pending::settle(&path, &mut store).unwrap();
    let elsewhere = i64::MAX / 2;
    pending::Pending::open(&path, elsewhere).unwrap().add([entries("two")].iter()).unwrap();
    pending::settle(&path, &mut store).unwrap();
    let ledger = ledger(&path);
    assert_eq!(ledger[1], (elsewhere + 1, "two".to_owned()), "{ledger:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_that_end_leave_no_entry_and_take_none_of_others_along() {
    let dir = tempfile::tempdir().unwrap();
    let stays = Sqlite::open(place(&dir), Missing::Create).unwrap();
    for number in 0..20 {
        let ends = Sqlite::open(place(&dir), Missing::Refuse).unwrap();
        let (one, other) = (format!("ends{number}"), format!("stays{number}"));
        let both = tokio::join!(ends.append(entries(&one)), stays.append(entries(&other)));
        assert!(matches!(both, (Ok(()), Ok(()))), "{both:?}");
        let ending = tokio::task::spawn_blocking(move || drop(ends));
        stays.append(entries(&format!("again{number}"))).await.unwrap();
        ending.await.unwrap();
    }
    drop(stays);
    assert_eq!(ledger(&place(&dir)).len(), 60);
    let files = std::fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().path());
    let left: BTreeSet<_> = files.collect();
    assert_eq!(left, [place(&dir), pending(&dir)].into());
    let bytes = std::fs::read(pending(&dir)).unwrap();
    assert!(!bytes.windows(5).any(|part| part == b"stays" || part == b"again"));
}

/// Entries that a crash left beside a store do not come into the ledger of the one that takes its place.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_beside_a_store_that_is_replaced_goes_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let (path, saved) = (place(&dir), dir.path().join("saved.db"));
    drop(connect(&path, Missing::Create).unwrap());
    let url = crate::SourceUrl::Sqlite(path.clone());
    let mut quiet = crate::care::Quiet;
    crate::care::backup(&url, &saved, crate::care::Existing::Keep, &mut quiet).await.unwrap();
    pending::Pending::open(&path, 0).unwrap().add([entries("one")].iter()).unwrap();
    crate::care::restore(&saved, &url, crate::care::Existing::Replace, &mut quiet).await.unwrap();
    drop(connect(&path, Missing::Refuse).unwrap());
    assert!(ledger(&path).is_empty());
    // A backup has what waits, and takes nothing from its own place.
    pending::Pending::open(&path, 0).unwrap().add([entries("two")].iter()).unwrap();
    crate::care::backup(&url, &saved, crate::care::Existing::Replace, &mut quiet).await.unwrap();
    assert_eq!(clients(ledger(&saved)), ["two"]);
}

#[cfg(unix)]
#[test]
fn who_may_not_read_the_store_may_not_read_what_waits_beside_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    drop(connect(&place(&dir), Missing::Create).unwrap());
    std::fs::set_permissions(place(&dir), std::fs::Permissions::from_mode(0o600)).unwrap();
    drop(pending::Pending::open(&place(&dir), 0).unwrap());
    assert_eq!(std::fs::metadata(pending(&dir)).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_who_wait_together_share_one_commit() {
    let dir = tempfile::tempdir().unwrap();
    let store = Arc::new(Sqlite::open(place(&dir), Missing::Create).unwrap());
    store.append(entries("first")).await.unwrap();
    let (before, written) = (store.ledger.syncs(), std::fs::read(pending(&dir)).unwrap());
    // Someone else writes for a while, and meanwhile fifty gather.
    let other = locked(&dir);
    let mut waiting = tokio::task::JoinSet::new();
    for number in 0..50 {
        let store = store.clone();
        waiting.spawn(async move { store.append(entries(&number.to_string())).await });
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(std::fs::read(pending(&dir)).unwrap() == written);
    other.unlock().unwrap();
    assert!(waiting.join_all().await.into_iter().all(|outcome| outcome.is_ok()));
    let made = store.ledger.syncs() - before;
    assert!((1..=3).contains(&made), "{made} commits for 50 callers");
    store.settle_ledger().await.unwrap();
    assert_eq!(ledger(&place(&dir)).iter().filter(|(_, client)| client != "first").count(), 50);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_that_may_be_durable_soon_wait_for_no_sync_and_are_all_there() {
    let dir = tempfile::tempdir().unwrap();
    let store = Arc::new(Sqlite::open(place(&dir), Missing::Create).unwrap());
    store.append(entries("first")).await.unwrap();
    let before = store.ledger.syncs();
    let mut waiting = tokio::task::JoinSet::new();
    for number in 0..200 {
        let store = store.clone();
        let entries = NewEntries { durable: Durable::Soon, ..entries(&number.to_string()) };
        waiting.spawn(async move { store.append(entries).await });
    }
    assert!(waiting.join_all().await.into_iter().all(|outcome| outcome.is_ok()));
    // Whoever ends now, however that is, leaves them to the next one.
    let written = std::fs::read(pending(&dir)).unwrap();
    let folded = clients(ledger(&place(&dir)));
    let waits = |client: &str| written.windows(client.len()).any(|part| part == client.as_bytes());
    for client in ["first", "199"] {
        assert!(waits(client) || folded.iter().any(|folded| folded == client), "{client}");
    }
    let made = store.ledger.syncs() - before;
    assert!(made < 100, "{made} syncs for 200 callers");
    // One who would rather wait for the disk does so.
    let before = store.ledger.syncs();
    store.append(entries("last")).await.unwrap();
    assert!(store.ledger.syncs() > before);
    store.settle_ledger().await.unwrap();
    assert_eq!(ledger(&place(&dir)).len(), 202);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_waits_for_another_process_waits_no_longer_than_that_takes_or_the_patience_lasts() {
    let dir = tempfile::tempdir().unwrap();
    let store = Sqlite::open(place(&dir), Missing::Create).unwrap();
    store.append(entries("none")).await.unwrap();
    let other = locked(&dir);
    let started = std::time::Instant::now();
    let (one, two) = tokio::join!(store.append(entries("one")), store.append(entries("two")));
    for outcome in [one, two] {
        let Err(Failure::Shared(error)) = outcome else { panic!("{outcome:?}") };
        assert!(error.to_string().contains("locked"), "{error}");
    }
    // Two groups at the worst, each with the patience of one statement.
    assert!(started.elapsed() < BUSY * 3, "{:?}", started.elapsed());
    other.unlock().unwrap();
    store.append(entries("three")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_of_an_earlier_version_is_brought_up_to_date_in_its_place() {
    for version in 1..migrate::STEPS.len() {
        upgrades_from(version).await;
    }
}

async fn upgrades_from(version: usize) {
    let dir = tempfile::tempdir().unwrap();
    let old = Connection::open(place(&dir)).unwrap();
    old.pragma_update(None, "journal_mode", "WAL").unwrap();
    old.execute_batch(&migrate::STEPS[..version].concat()).unwrap();
    old.execute_batch(&format!(
        "INSERT INTO sealing_key (secret, created_at) VALUES (zeroblob(32), 1);
         PRAGMA application_id = 0x53746570; PRAGMA user_version = {version};"
    ))
    .unwrap();
    old.execute_batch(&upgraded::rows(version, "BLOB")).unwrap();
    drop(old);
    let keys = sealing_keys(&place(&dir));
    let store = Sqlite::open(place(&dir), Missing::Refuse).unwrap();
    store.append(entries("new")).await.unwrap();
    assert_eq!(sealing_keys(&place(&dir)), keys, "its key still opens cursors");
    let look = Connection::open(place(&dir)).unwrap();
    let found: i64 = look.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(found, migrate::STEPS.len() as i64);
    drop(store);
    let store = open(&place(&dir), Missing::Refuse).await.unwrap();
    upgraded::still_reads_and_syncs(&store).await;
}

/// Whoever leaves takes the statement along: the readers are free again, though none of the statements would ever end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_are_free_again_when_those_who_wait_leave() {
    let dir = tempfile::tempdir().unwrap();
    let store = Sqlite::open(place(&dir), Missing::Create).unwrap();
    // As many rows as there are pairs, triples and more of these: nobody waits for the end of that.
    let numbers = (1..500).map(|n| format!("({n}, 'f')")).collect::<Vec<_>>().join(",");
    let other = Connection::open(place(&dir)).unwrap();
    other.execute_batch(&format!("CREATE TABLE many (n, f); INSERT INTO many VALUES {numbers}")).unwrap();
    let endless =
        "SELECT 1 FROM many a, many b, many c, many d, many e WHERE a.n + b.n + c.n + d.n + e.n < 0";
    for _ in 0..READERS {
        let reader = store.readers.get().await.unwrap();
        let waiting = Waiting::new();
        let left = waiting.left();
        let hour = Duration::from_secs(3_600);
        let run = move || reader.run("test", endless, &[], left, hour);
        let running = tokio::task::spawn_blocking(run);
        drop(waiting);
        drop(running);
    }
    let read = store.read(Statement::GrantTimes, bind!["grt"]).await.unwrap();
    assert!(read.is_empty());
}

/// What filters compare, in the order of the index.
fn filter_values(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let select = "SELECT scope || ' ' || top || ' ' || hex(value) || ' ' || rec FROM filter_value ORDER BY scope, top, value, rec";
    let mut select = connection.prepare(select).unwrap();
    select.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_fills_the_index_of_values_as_an_ingest_does() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&place(&dir), Missing::Create).await.unwrap();
    crate::embedded::fill_with_every_kind(&store).await;
    drop(store);
    let fresh = filter_values(&place(&dir));
    assert!(fresh.len() > 8, "{fresh:?}");
    let mut connection = Connection::open(place(&dir)).unwrap();
    let transaction = connection.transaction().unwrap();
    transaction.execute("DELETE FROM filter_value", []).unwrap();
    filter::fill(&transaction).unwrap();
    transaction.commit().unwrap();
    assert_eq!(filter_values(&place(&dir)), fresh);
}

/// Runs every reading statement a few times with other values, and counts how often it was planned again.
fn planned_again(connection: &Connection) -> Vec<(&'static str, i32)> {
    let mut again = Vec::new();
    for statement in Statement::ALL.iter().filter(|statement| statement.reads() != Reads::Nothing) {
        let mut prepared = connection.prepare(statement.sql()).unwrap();
        for round in 1..=4 {
            for index in 1..=prepared.parameter_count() {
                prepared.raw_bind_parameter(index, (round * 7 + index) as i64).unwrap();
            }
            let mut rows = prepared.raw_query();
            while rows.next().unwrap().is_some() {}
        }
        again.push((statement.name(), prepared.get_status(rusqlite::StatementStatus::RePrepare)));
    }
    again
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_statement_is_planned_again_because_of_its_values() {
    let dir = tempfile::tempdir().unwrap();
    crate::embedded::fill_with_every_kind(&open(&place(&dir), Missing::Create).await.unwrap()).await;
    let reader = Reader::open(&place(&dir)).unwrap();
    for (name, times) in planned_again(reader.connection()) {
        assert_eq!(times, 0, "{name}");
    }
    // Without the setting some are, so it is worth having.
    let plain = Connection::open(place(&dir)).unwrap();
    assert!(planned_again(&plain).iter().any(|(name, times)| *name == "Search" && *times > 0));
}

/// How SQLite would go about a statement.
fn plan(connection: &Connection, statement: Statement) -> String {
    let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", statement.sql())).unwrap();
    let steps = explain.raw_query().mapped(|row| row.get::<_, String>(3)).collect::<Result<Vec<_>, _>>();
    steps.unwrap().join("\n")
}

/// The plans that have to stay as they are.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn windows_lists_and_filters_are_read_along_an_index() {
    let dir = tempfile::tempdir().unwrap();
    crate::embedded::fill_with_every_kind(&open(&place(&dir), Missing::Create).await.unwrap()).await;
    let reader = Reader::open(&place(&dir)).unwrap();
    for (statement, index) in [
        (
            Statement::Text,
            "SEARCH t USING INDEX sqlite_autoindex_seg_1 (field=? AND char_start>? AND char_start<?)",
        ),
        (
            Statement::LocateText,
            "SEARCH t USING INDEX sqlite_autoindex_seg_1 (field=? AND char_start>? AND char_start<?)",
        ),
        (Statement::BlobParts, "(sha256=? AND byte_start>? AND byte_start<?)"),
        (Statement::ListNewest, "SEARCH r USING INDEX record_by_time (scope=?"),
        (Statement::ListOldest, "SEARCH r USING INDEX record_by_time (scope=?"),
        (
            Statement::FilteredRecords,
            "SEARCH v USING PRIMARY KEY (scope=? AND top=? AND value>? AND value<?)",
        ),
        (Statement::FilterValues, "filter_value_by_record (rec=? AND top=?"),
        // The records that are named or have the words are looked up, and the stream is not walked for them.
        (Statement::FilterValues, "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)"),
        (Statement::RecordFields, "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)"),
        (Statement::ValuesOf, "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)"),
        (Statement::Search, "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)"),
        // A walk goes on where it stopped, without sorting what is left.
        (Statement::Values, "SEARCH r USING INDEX sqlite_autoindex_record_1 (scope=? AND rid>?)"),
        (Statement::SortValues, "SEARCH r USING INDEX sqlite_autoindex_record_1 (scope=? AND rid>?)"),
        (Statement::Changed, "SEARCH r USING INDEX sqlite_autoindex_record_1 (scope=? AND rid>?)"),
        (Statement::ChangedFew, "SEARCH r USING INDEX record_by_revision (scope=? AND revision>?)"),
        (Statement::LatestChange, "SEARCH r USING INDEX record_by_revision (scope=? AND revision>?"),
        (Statement::ValuedUp, "SEARCH v USING PRIMARY KEY (scope=? AND top=? AND value>? AND value<?)"),
        (Statement::ValuedDown, "SEARCH v USING PRIMARY KEY (scope=? AND top=? AND value>? AND value<?)"),
        (Statement::ValueCounts, "SEARCH v USING PRIMARY KEY (scope=? AND top=? AND value>? AND value<?)"),
        (Statement::MiddlingText, "field_middling_text (top=?"),
        // The walk through the words comes first, between the record's first chunk and its last.
        (Statement::MatchUnits, "SCAN w VIRTUAL TABLE INDEX 0:M1><\n"),
    ] {
        let plan = plan(reader.connection(), statement);
        assert!(plan.contains(index), "{}:\n{plan}", statement.name());
        let whole = plan.contains("SCAN t") || plan.contains("SCAN r") || plan.contains("SCAN v");
        assert!(!whole, "{}:\n{plan}", statement.name());
    }
}
