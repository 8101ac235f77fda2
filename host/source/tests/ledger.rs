//! The ledger: what was written down is there, and what was removed leaves a mark.

use crate::on_both_engines;
use crate::world::{World, line, record, stream};
use serde_json::json;
use std::sync::Arc;
use stepwell_contract::{Bytes, Chars, Span};
use stepwell_source::ledger::{Disclosure, Erased, Extent, LedgerEntry, LedgerFilter};
use stepwell_source::shape::RecordIdentity;
use stepwell_source::{Caller, Embedded, Source as _, SourceError};
use tokio::task::JoinSet;

on_both_engines!(
    what_was_written_down_is_there_for_whoever_opens_the_store_next,
    fifty_callers_at_once_are_all_written_down,
    the_ledger_is_read_by_grant_record_and_time_a_page_at_a_time,
    erasing_leaves_a_tombstone_that_counts_what_is_gone,
    erasing_counts_exactly_while_others_write,
    what_is_too_old_goes_and_is_counted_in_one_tombstone,
    a_ledger_that_cannot_be_written_says_so,
);

async fn caller(world: &World) -> Caller {
    world.fill("home/messages", None, &[line("m1", &json!({ "body": "text" }))]).await;
    world.grant(vec![stream("messages")]).await
}

fn identity(id: &str) -> RecordIdentity {
    let meant = record(id);
    let connection = meant.connection.expect("a connection");
    RecordIdentity { connection, stream: meant.stream, record: meant.record }
}

/// A window of so many code points of a record's body.
fn window(id: &str, chars: u64) -> Disclosure {
    let extent = Extent::Chars(Span::at(Chars(7), Chars(chars)));
    Disclosure::of_part(&identity(id), "body", extent, Bytes(chars)).shaped_by(Some("field-window"))
}

async fn write(store: &Embedded, caller: &Caller, disclosed: &[Disclosure]) {
    store.disclose(caller, "read_record_field", disclosed).await.expect("a ledger");
}

async fn all(store: &Embedded, filter: &LedgerFilter) -> Vec<LedgerEntry> {
    store.ledger_page(filter, None, 10_000).await.expect("a page")
}

fn any() -> LedgerFilter {
    LedgerFilter::default()
}

async fn what_was_written_down_is_there_for_whoever_opens_the_store_next(world: World) {
    let caller = caller(&world).await;
    let blob = Disclosure::of_part(
        &identity("home/messages:m1"),
        "/file/a\0b",
        Extent::Bytes(Bytes(65_536), Bytes(70_000)),
        Bytes(4_464),
    );
    let names = Disclosure { bytes: Bytes(120), ..Disclosure::default() };
    write(&world.store, &caller, &[window("home/messages:m1", 40), blob, names]).await;
    write(&world.store, &caller, &[]).await;
    // The first store is still open: nothing is there because of a tidy end.
    let entries = all(&world.again().await, &any()).await;
    let [names, blob, window] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((window.grant.as_str(), window.client.as_str()), (caller.grant(), "a client"));
    assert_eq!((window.tool.as_str(), window.tier.as_deref()), ("read_record_field", Some("field-window")));
    let place = [&window.connection, &window.stream, &window.record, &window.field];
    assert_eq!(place.map(|part| part.as_deref().unwrap()), ["home", "messages", "m1", "body"]);
    assert_eq!(window.extent, Some(Extent::Chars(Span::at(Chars(7), Chars(40)))));
    assert_eq!(window.bytes, 40);
    assert!((stepwell_source::time::now() - window.at).abs() < 60_000);
    assert_eq!(blob.extent, Some(Extent::Bytes(Bytes(65_536), Bytes(70_000))));
    assert_eq!(blob.field.as_deref(), Some("/file/a\u{2400}b"), "Postgres keeps no NUL");
    assert_eq!((&names.connection, &names.record, &names.extent, names.bytes), (&None, &None, &None, 120));
}

async fn fifty_callers_at_once_are_all_written_down(world: World) {
    let caller = caller(&world).await;
    let store = Arc::new(world.again().await);
    let mut callers = JoinSet::new();
    for number in 0..50 {
        let (store, caller) = (store.clone(), caller.clone());
        callers.spawn(async move {
            let id = format!("home/messages:m{number}");
            write(&store, &caller, &[window(&id, 1), window(&id, 2)]).await;
            // Whoever was told that it is written finds it.
            let filter = LedgerFilter { record: Some(record(&id)), ..any() };
            assert_eq!(all(&store, &filter).await.len(), 2, "{id}");
        });
    }
    while let Some(done) = callers.join_next().await {
        done.expect("written down");
    }
    assert_eq!(world.store.ledger_sum(&any()).await.unwrap().entries, 100);
}

/// Whoever looks at the ledger sees to it that all entries are in it; whoever looks behind its back does not.
async fn settled(world: &World) {
    world.store.ledger_sum(&any()).await.unwrap();
}

async fn the_ledger_is_read_by_grant_record_and_time_a_page_at_a_time(world: World) {
    let (one, two) = (caller(&world).await, world.grant(vec![stream("messages")]).await);
    for chars in 1..=5 {
        write(&world.store, &one, &[window("home/messages:m1", chars)]).await;
        write(&world.store, &two, &[window("work/messages:m1", chars)]).await;
    }
    // Entries of one moment keep their order too.
    settled(&world).await;
    world.behind_its_back("UPDATE disclosure SET at = 1000 WHERE bytes < 4").await;
    let (mut pages, mut after) = (Vec::new(), None);
    loop {
        let page = world.store.ledger_page(&any(), after, 3).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.into());
        pages.extend(page);
    }
    assert_eq!(pages, all(&world.store, &any()).await, "pages join to the whole");
    assert_eq!(pages.iter().map(|entry| entry.bytes).collect::<Vec<_>>(), [5, 5, 4, 4, 3, 3, 2, 2, 1, 1]);
    let count = async |filter: LedgerFilter| all(&world.store, &filter).await.len();
    assert_eq!(count(LedgerFilter { grant: Some(one.grant().to_owned()), ..any() }).await, 5);
    assert_eq!(count(LedgerFilter { grant: Some("grt_none".to_owned()), ..any() }).await, 0);
    assert_eq!(count(LedgerFilter { record: Some(record("messages:m1")), ..any() }).await, 10);
    assert_eq!(count(LedgerFilter { record: Some(record("work/messages:m1")), ..any() }).await, 5);
    assert_eq!(count(LedgerFilter { until: Some(1000), ..any() }).await, 0, "until does not belong to it");
    assert_eq!(count(LedgerFilter { since: Some(1000), until: Some(1001), ..any() }).await, 6);
    assert_eq!(count(LedgerFilter { since: Some(1001), ..any() }).await, 4);
    let sum = world.store.ledger_sum(&LedgerFilter { until: Some(1001), ..any() }).await.unwrap();
    assert_eq!((sum.entries, sum.bytes, sum.span), (6, 12, Some((1000, 1000))));
}

async fn erasing_leaves_a_tombstone_that_counts_what_is_gone(world: World) {
    let (one, two) = (caller(&world).await, world.grant(vec![stream("messages")]).await);
    for chars in 1..=4 {
        write(&world.store, &one, &[window("home/messages:m1", chars), window("home/messages:m2", 10)]).await;
        write(&world.store, &two, &[window("home/messages:m1", 100)]).await;
    }
    settled(&world).await;
    world.behind_its_back("UPDATE disclosure SET at = bytes * 1000 WHERE bytes < 10").await;
    let of_m1 = LedgerFilter { record: Some(record("home/messages:m1")), ..any() };
    let before = LedgerFilter { until: Some(4_000), ..of_m1.clone() };
    assert_eq!(world.store.erase_disclosures(&before).await.unwrap(), 3);
    assert_eq!(all(&world.store, &of_m1).await.len(), 5);
    let [tombstone] = &world.store.tombstones(&any()).await.unwrap()[..] else { panic!() };
    assert_eq!((tombstone.entries, tombstone.bytes), (3, 6));
    assert_eq!((tombstone.first_at, tombstone.last_at, tombstone.reason), (1_000, 3_000, Erased::ByOwner));
    assert!(tombstone.erased_at > 1_700_000_000_000);
    // A tombstone is seen wherever what it stands for would have been.
    let seen = async |since, until| {
        let filter = LedgerFilter { since, until, ..any() };
        world.store.tombstones(&filter).await.unwrap().len()
    };
    assert_eq!([seen(Some(3_000), None).await, seen(None, Some(1_001)).await], [1, 1]);
    assert_eq!([seen(Some(3_001), None).await, seen(None, Some(1_000)).await], [0, 0]);
    // Nothing that is gone leaves nothing, and another erasure leaves a tombstone of its own.
    assert_eq!(world.store.erase_disclosures(&before).await.unwrap(), 0);
    assert_eq!(world.store.tombstones(&any()).await.unwrap().len(), 1);
    let of_two = LedgerFilter { grant: Some(two.grant().to_owned()), ..any() };
    assert_eq!(world.store.erase_disclosures(&of_two).await.unwrap(), 4);
    assert_eq!(world.store.tombstones(&any()).await.unwrap().len(), 2);
    assert_eq!(all(&world.store, &any()).await.len(), 5);
}

async fn erasing_counts_exactly_while_others_write(world: World) {
    let caller = caller(&world).await;
    let store = Arc::new(world.again().await);
    // More than one chunk.
    for _ in 0..25 {
        write(&store, &caller, &vec![window("home/messages:m1", 1); 100]).await;
    }
    let writer = tokio::spawn({
        let (store, caller) = (store.clone(), caller.clone());
        async move {
            for _ in 0..100 {
                write(&store, &caller, &[window("home/messages:m1", 1)]).await;
            }
        }
    });
    let mut gone = 0;
    for _ in 0..5 {
        gone += world.store.erase_disclosures(&any()).await.unwrap();
    }
    writer.await.unwrap();
    let buried: u64 =
        world.store.tombstones(&any()).await.unwrap().iter().map(|tombstone| tombstone.entries).sum();
    assert_eq!(buried, gone);
    assert_eq!(gone + world.store.ledger_sum(&any()).await.unwrap().entries, 2_600);
}

async fn what_is_too_old_goes_and_is_counted_in_one_tombstone(world: World) {
    let caller = caller(&world).await;
    for chars in 1..=6 {
        write(&world.store, &caller, &[window("home/messages:m1", chars)]).await;
    }
    settled(&world).await;
    world.behind_its_back("UPDATE disclosure SET at = bytes * 1000").await;
    for (before, gone, left) in [(1_000, 0, 6), (3_000, 2, 4), (5_000, 2, 2), (5_000, 0, 2)] {
        assert_eq!(world.store.prune_disclosures(before).await.unwrap(), gone, "{before}");
        assert_eq!(all(&world.store, &any()).await.len(), left, "{before}");
    }
    let [tombstone] = &world.store.tombstones(&any()).await.unwrap()[..] else { panic!() };
    assert_eq!((tombstone.entries, tombstone.bytes, tombstone.reason), (4, 10, Erased::ByAge));
    assert_eq!((tombstone.first_at, tombstone.last_at), (1_000, 4_000));
}

async fn a_ledger_that_cannot_be_written_says_so(world: World) {
    let caller = caller(&world).await;
    // Where a file should be in which entries wait, something else is.
    let beside = world.url.strip_prefix("sqlite:").map(|path| format!("{path}-pending"));
    match &beside {
        Some(beside) => std::fs::create_dir(beside).unwrap(),
        None => world.behind_its_back("ALTER TABLE disclosure RENAME TO elsewhere").await,
    }
    for _ in 0..2 {
        let refused =
            world.store.disclose(&caller, "read_record_field", &[window("home/messages:m1", 1)]).await;
        assert!(matches!(refused, Err(SourceError::Failed(_))), "{refused:?}");
    }
    match &beside {
        Some(beside) => std::fs::remove_dir(beside).unwrap(),
        None => world.behind_its_back("ALTER TABLE elsewhere RENAME TO disclosure").await,
    }
    write(&world.store, &caller, &[window("home/messages:m1", 1)]).await;
    assert_eq!(all(&world.store, &any()).await.len(), 1);
}
