//! A connection that is erased is gone, and nothing else is.

use super::shelf::{assert_sound, fill, rich, url};
use crate::on_both_engines;
use crate::world::{World, code, connection, line, stream};
use serde_json::json;
use stepwell_contract::Code;
use stepwell_source::care::{self, Erased, Quiet, Thoroughness};

on_both_engines!(
    a_connection_goes_with_all_that_came_from_it,
    a_connection_that_is_not_there_is_told,
    a_connection_that_is_being_filled_goes_whole_or_not_at_all,
);

async fn a_connection_goes_with_all_that_came_from_it(world: World) {
    fill(&world).await;
    // The other connection refers to one of the two files.
    world
        .fill("work/files", None, &[line("f", &json!({ "file": rich(1)["file"], "title": "shared" }))])
        .await;
    let caller = world.grant(vec![stream("notes")]).await;
    let erased = care::erase_connection(&url(&world), &connection("home")).await.unwrap();
    assert_eq!(erased, Erased { streams: 1, records: 3 });
    let left = assert_sound(&url(&world)).await;
    assert_eq!((left.records, left.blobs, left.unused_blobs), (2, 1, 0));
    assert_eq!(code(world.record(&caller, "home/notes:r1", None).await), Code::ConnectionNotFound);
    assert_eq!(world.whole(&caller, "work/notes:w1", "title").await.unwrap(), "at work");
    assert!(world.store.scopes().await.unwrap().iter().all(|scope| scope.connection == "work"));
    // The name is free again.
    world.fill("home/notes", None, &[line("r1", &rich(1))]).await;
    assert_eq!(assert_sound(&url(&world)).await.records, 3);
    let old = code(world.record(&caller, "home/notes:r1", None).await);
    assert_eq!(old, Code::ConnectionNotFound, "a grant of before does not cover what has the name now");
}

async fn a_connection_that_is_not_there_is_told(world: World) {
    fill(&world).await;
    let refused = care::erase_connection(&url(&world), &connection("nowhere")).await.unwrap_err();
    assert!(refused.to_string().contains("there is no connection \"nowhere\""), "{refused}");
    assert_eq!(assert_sound(&url(&world)).await.records, 4);
}

async fn a_connection_that_is_being_filled_goes_whole_or_not_at_all(world: World) {
    let address = url(&world);
    for _ in 0..3 {
        fill(&world).await;
        let filling = async {
            let lines: Vec<String> =
                (0..3_000).map(|n| line(&format!("k{n}"), &json!({ "title": n.to_string() }))).collect();
            let other = World::at(&address).await;
            // Its stream may go while it is being filled; then it fails, and nothing of it stays.
            let fill = tokio::spawn(async move { other.fill("home/notes", None, &lines).await });
            let _ = fill.await;
        };
        let home = connection("home");
        let (erased, ()) = tokio::join!(care::erase_connection(&address, &home), filling);
        erased.unwrap();
        assert_sound(&address).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_of_an_erased_connection_is_left_in_the_file() {
    let world = World::sqlite().await;
    world.fill("work/notes", None, &[line("w", &json!({ "title": "ordinary words" }))]).await;
    let canary = "plumbaginaceous";
    let long = format!("{canary} ").repeat(5_000);
    let lines: Vec<String> = (0..20)
        .map(|n| {
            line(&format!("{canary}{n}"), &json!({ "title": canary, "body": long, "meta": { canary: long } }))
        })
        .collect();
    world.fill("home/notes", None, &lines).await;
    let path = world.url.strip_prefix("sqlite:").unwrap().to_owned();
    let found = |path: &str| {
        let read = |end: &str| std::fs::read(format!("{path}{end}")).unwrap_or_default();
        let bytes = ["", "-wal", "-pending"].map(read).concat();
        bytes.windows(canary.len()).filter(|window| *window == canary.as_bytes()).count()
    };
    assert!(found(&path) > 1_000);
    care::erase_connection(&url(&world), &connection("home")).await.unwrap();
    care::vacuum(&url(&world), Thoroughness::Return, &mut Quiet).await.unwrap();
    assert_eq!(found(&path), 0);
    assert_eq!(assert_sound(&url(&world)).await.records, 1);
}

/// The files of a database in which a word stands, as the server names them: of tables, their indexes and their long values,
/// and of the catalogues, where the server keeps samples of what tables hold.
async fn files_with(url: &str, word: &str) -> Vec<String> {
    const FIND: &str = "SELECT c.relname::text FROM pg_class c
        WHERE c.relkind IN ('r', 'i', 't', 'm') AND NOT c.relisshared AND pg_relation_filepath(c.oid) IS NOT NULL
          AND position(convert_to($1, 'UTF8') IN pg_read_binary_file(pg_relation_filepath(c.oid))) > 0 ORDER BY 1";
    // Files of the server are for its superuser alone; the store's own account is none.
    let (_, place) = url.split_once('@').expect("an account");
    let (client, connection) =
        tokio_postgres::connect(&format!("postgres://postgres@{place}"), tokio_postgres::NoTls)
            .await
            .unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute("CHECKPOINT").await.unwrap();
    let found = client.query(FIND, &[&word]).await.unwrap().iter().map(|row| row.get(0)).collect();
    drop(client);
    let _ = connection.await;
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_of_an_erased_connection_is_left_in_the_files_of_a_server() {
    let world = World::postgres().await;
    let canary = "plumbaginaceous";
    let lines: Vec<String> = (0..300)
        .map(|n| {
            let body = format!("{canary} number {n}");
            line(
                &format!("{canary}{n}"),
                &json!({ "title": format!("{canary}{}", n % 5), "body": body, "meta": { canary: body } }),
            )
        })
        .collect();
    for others in [true, false] {
        world.fill("home/notes", None, &lines).await;
        if others {
            world.fill("work/notes", None, &[line("w", &json!({ "title": "ordinary words" }))]).await;
        }
        // As the server does by itself sooner or later: it takes samples.
        world.behind_its_back("ANALYZE").await;
        let before = files_with(&world.url, canary).await;
        for place in ["field", "filter_value", "pg_statistic", "record", "unit"] {
            assert!(before.iter().any(|file| file == place), "{place}: {before:?}");
        }
        care::erase_connection(&url(&world), &connection("home")).await.unwrap();
        care::vacuum(&url(&world), Thoroughness::Return, &mut Quiet).await.unwrap();
        assert_eq!(files_with(&world.url, canary).await, [] as [String; 0], "with others: {others}");
        assert_sound(&url(&world)).await;
        if others {
            care::erase_connection(&url(&world), &connection("work")).await.unwrap();
        }
    }
}

/// A transaction that writes in another database holds up every vacuum on the server, because every snapshot goes back to it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_writes_elsewhere_on_the_server_is_waited_for() {
    let (world, elsewhere) = (World::postgres().await, World::postgres().await);
    let canary = "verschlimmbessern";
    world.fill("home/notes", None, &[line("k", &json!({ "title": canary }))]).await;
    let (writer, connection) = tokio_postgres::connect(&elsewhere.url, tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    writer.batch_execute("BEGIN; SELECT pg_current_xact_id()").await.unwrap();
    care::erase_connection(&url(&world), &crate::care::erasing::connection("home")).await.unwrap();
    let url = url(&world);
    let vacuum = tokio::spawn(async move { care::vacuum(&url, Thoroughness::Return, &mut Quiet).await });
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert!(!vacuum.is_finished(), "it waits");
    writer.batch_execute("COMMIT").await.unwrap();
    vacuum.await.unwrap().unwrap();
    assert_eq!(files_with(&world.url, canary).await, [] as [String; 0]);
    drop(writer);
    let _ = connection.await;
}
