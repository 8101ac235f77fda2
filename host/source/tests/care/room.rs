//! How much room a store takes, and giving it back.

use super::shelf::{assert_sound, fill, fill_with_sample, rich, url};
use crate::on_both_engines;
use crate::world::{World, line, stream};
use serde_json::json;
use stepwell_source::Source as _;
use stepwell_source::care::{self, Quiet, Thoroughness};
use stepwell_source::ledger::Disclosure;

on_both_engines!(
    a_store_is_measured_stream_by_stream,
    an_empty_store_is_measured_too,
    what_nothing_refers_to_is_removed_and_the_rest_stays,
    readers_and_writers_go_on_while_room_is_given_back,
);

async fn a_store_is_measured_stream_by_stream(world: World) {
    fill(&world).await;
    // The same file in another stream is stored once.
    let timed = |key: &str, at: &str| {
        json!({ "key": key, "emitted_at": at, "data": { "file": rich(1)["file"] } }).to_string()
    };
    world.fill("work/files", None, &[timed("a", "2026-01-01"), timed("b", "2026-02-01")]).await;
    let caller = world.grant(vec![stream("files")]).await;
    world.store.disclose(&caller, "fetch", &[Disclosure::default()]).await.unwrap();
    let stats = care::stats(&url(&world)).await.unwrap();
    let names: Vec<_> =
        stats.streams.iter().map(|s| (s.connection.as_str(), s.stream.as_str(), s.records)).collect();
    assert_eq!(names, [("home", "notes", 3), ("work", "files", 2), ("work", "notes", 1)]);
    let [home, files, notes] = &stats.streams[..] else { panic!("{stats:?}") };
    assert_eq!((home.fields, home.blobs, home.blob_bytes), (18, 2, 300_000));
    assert!(home.chars > 100_000 && home.bytes > home.chars && home.indexed > 20, "{home:?}");
    assert_eq!((files.fields, files.bytes, files.blobs, files.blob_bytes), (2, 0, 1, 150_000));
    assert_eq!(files.times, Some((1_767_225_600_000, 1_769_904_000_000)));
    assert_eq!((notes.fields, notes.chars, notes.bytes, notes.indexed), (1, 7, 7, 1));
    assert_eq!((stats.blobs, stats.blob_bytes, stats.grants, stats.disclosures), (2, 300_000, 4, 1));
    assert!(stats.disclosed.is_some_and(|(first, last)| first == last));
    let room = stats.room;
    assert!(
        room.blobs >= 300_000 && room.records > 100_000 && room.words > 10_000 && room.ledger > 0,
        "{room:?}"
    );
    assert!(room.total > room.blobs, "{room:?}");
}

async fn an_empty_store_is_measured_too(world: World) {
    let stats = care::stats(&url(&world)).await.unwrap();
    assert_eq!((stats.streams.len(), stats.blobs, stats.disclosures, stats.disclosed), (0, 0, 0, None));
    assert!(stats.room.total > 0);
}

async fn what_nothing_refers_to_is_removed_and_the_rest_stays(world: World) {
    fill(&world).await;
    let many: Vec<String> = (10..30).map(|number| line(&format!("m{number}"), &rich(number))).collect();
    world.fill("home/notes", None, &many).await;
    let gone: Vec<String> =
        (10..30).map(|number| line(&format!("m{number}"), &json!({ "title": "short" }))).collect();
    world.fill("home/notes", None, &gone).await;
    let before = assert_sound(&url(&world)).await;
    assert_eq!((before.blobs, before.unused_blobs), (22, 20));
    let done = care::vacuum(&url(&world), Thoroughness::Return, &mut Quiet).await.unwrap();
    assert_eq!((done.blobs, done.blob_bytes), (20, 3_000_000));
    assert!(done.before > done.after + 3_000_000, "{done:?}");
    let after = assert_sound(&url(&world)).await;
    assert_eq!((after.records, after.fields, after.chars), (before.records, before.fields, before.chars));
    assert_eq!((after.blobs, after.unused_blobs, after.indexed), (2, 0, before.indexed));
    let again = care::vacuum(&url(&world), Thoroughness::Reuse, &mut Quiet).await.unwrap();
    assert_eq!((again.blobs, again.blob_bytes), (0, 0));
    // What was removed can come back.
    world.fill("home/notes", None, &[line("m10", &rich(10))]).await;
    assert_eq!(assert_sound(&url(&world)).await.blobs, 3);
}

async fn readers_and_writers_go_on_while_room_is_given_back(world: World) {
    fill_with_sample(&world).await;
    fill(&world).await;
    let caller = world.grant(vec![stream("notes")]).await;
    let address = url(&world);
    let vacuuming = async {
        for _ in 0..4 {
            care::vacuum(&address, Thoroughness::Reuse, &mut Quiet).await.unwrap();
        }
    };
    let writing = async {
        // Records take turns with the same few files, so that each is unused and used again.
        for round in 0..20_u64 {
            let lines = [line("turn", &json!({ "file": rich(40 + round % 2)["file"] }))];
            world.fill("home/notes", None, &lines).await;
            assert_eq!(world.whole(&caller, "home/notes:r1", "title").await.unwrap(), "heron 1");
        }
    };
    tokio::join!(vacuuming, writing);
    assert_sound(&address).await;
}
