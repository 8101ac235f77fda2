//! What changed since, judged by what a grant covers.

use crate::dice::Dice;
use crate::on_both_engines;
use crate::queries::list;
use crate::world::{World, code, fields, line, stream};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use stepwell_contract::Code;
use stepwell_source::grant::StreamRequest;
use stepwell_source::prepare::RejectionCode;
use stepwell_source::query::{Order, RecordsPage, RecordsQuery};
use stepwell_source::{Caller, Source as _, time};

on_both_engines!(
    a_client_that_follows_the_changes_has_what_is_there,
    a_change_beside_the_grant_is_no_change,
    what_leaves_the_grants_sight_is_gone_and_what_comes_into_it_is_new,
    a_session_ends_where_its_first_page_began,
    a_place_in_the_changes_belongs_to_its_question_and_grows_old,
    append_only_records_stay_and_can_be_taken_away,
    a_deleted_record_is_nowhere,
);

fn since(mark: &str) -> RecordsQuery {
    RecordsQuery { changes_since: Some(mark.to_owned()), ..list(100, Order::Ascending, None) }
}

async fn changes(world: &World, caller: &Caller, mark: &str) -> RecordsPage {
    world.store.records(caller, &since(mark)).await.unwrap()
}

fn deleted(key: &str) -> String {
    json!({ "key": key, "deleted": true }).to_string()
}

/// What a client keeps of a stream: the data of each record.
#[derive(Default)]
struct Copy {
    records: BTreeMap<String, String>,
    mark: Option<String>,
}

impl Copy {
    /// Follows the changes to their end, by pages of a size.
    async fn follow(&mut self, world: &World, caller: &Caller, limit: usize) -> usize {
        let (mark, mut cursor, mut count) = (self.mark.clone().unwrap_or("beginning".into()), None, 0);
        loop {
            let page =
                world.store.records(caller, &RecordsQuery { limit, cursor, ..since(&mark) }).await.unwrap();
            count += page.records.len() + page.removed.len();
            assert!(page.records.len() + page.removed.len() <= limit);
            for view in page.records {
                self.records
                    .insert(view.identity.id().to_string(), format!("{:?} {:?}", view.fields, view.revision));
            }
            for gone in page.removed {
                assert!(self.records.remove(&gone.id().to_string()).is_some(), "{gone:?} was never there");
            }
            assert_eq!(page.next_cursor.is_none(), page.next_changes_since.is_some());
            cursor = page.next_cursor;
            if let Some(mark) = page.next_changes_since {
                self.mark = Some(mark);
                return count;
            }
        }
    }
}

/// What is there now.
async fn there(world: &World, caller: &Caller) -> BTreeMap<String, String> {
    let page = world.store.records(caller, &list(1_000, Order::Ascending, None)).await.unwrap();
    let entry = |view: stepwell_source::RecordView| {
        (view.identity.id().to_string(), format!("{:?} {:?}", view.fields, view.revision))
    };
    page.records.into_iter().map(entry).collect()
}

async fn a_client_that_follows_the_changes_has_what_is_there(world: World) {
    const MANIFEST: &str = r#"{"consent_time_field":"at","cursor_field":"at"}"#;
    let mut dice = Dice(7);
    let data = |dice: &mut Dice| {
        let mut data = json!({ "subject": dice.below(3), "secret": dice.below(9) });
        if !dice.one_in(4) {
            data["at"] = json!(format!("2026-{:02}-01", 1 + dice.below(12)));
        }
        if !dice.one_in(3) {
            data["note"] = json!(dice.below(2));
        }
        data
    };
    for place in ["home/messages", "work/messages"] {
        world
            .fill(
                place,
                Some(MANIFEST),
                &[line("0", &json!({ "at": 1, "subject": 1, "secret": 1, "note": 1 }))],
            )
            .await;
    }
    let (spring, autumn) = (time::parse("2026-04-01"), time::parse("2026-09-01"));
    let keys = ["0", "2", "4", "9"].map(|key| stepwell_contract::RecordId::new(key).unwrap()).to_vec();
    let grants = [
        vec![stream("messages")],
        vec![fields("messages", &["subject", "note"])],
        vec![StreamRequest { since: spring, until: autumn, ..fields("messages", &["subject"]) }],
        vec![StreamRequest { resources: Some(keys), since: spring, ..fields("messages", &["note", "at"]) }],
    ];
    let mut clients = Vec::new();
    for grant in grants {
        clients.push((world.grant(grant).await, Copy::default()));
    }
    for round in 0..40 {
        for _ in 0..dice.below(6) {
            let (key, place) =
                (dice.below(10).to_string(), *dice.pick(&[&"home/messages", &"work/messages"]));
            let line = if dice.one_in(4) { deleted(&key) } else { line(&key, &data(&mut dice)) };
            world.fill(place, None, &[line]).await;
        }
        for (number, (caller, copy)) in clients.iter_mut().enumerate() {
            // Some stay away for a while.
            if !dice.one_in(number as u64 + 1) {
                continue;
            }
            copy.follow(&world, caller, 1 + dice.below(4) as usize).await;
            assert_eq!(copy.records, there(&world, caller).await, "client {number} in round {round}");
            let mark = copy.mark.clone();
            assert_eq!(copy.follow(&world, caller, 3).await, 0, "nothing changed meanwhile");
            assert_eq!(copy.mark, mark);
        }
    }
}

async fn a_change_beside_the_grant_is_no_change(world: World) {
    let version = |secret: &str, more: Option<&str>| {
        let mut data = json!({ "subject": "same", "secret": secret });
        if let Some(more) = more {
            data["more"] = json!(more);
        }
        line("k", &data)
    };
    world
        .fill("c/messages", None, &[version("one", Some("x")), line("other", &json!({ "subject": "o" }))])
        .await;
    let caller = world.grant(vec![fields("messages", &["subject"])]).await;
    let whole = world.grant(vec![stream("messages")]).await;
    let (first, all) =
        (changes(&world, &caller, "beginning").await, changes(&world, &whole, "beginning").await);
    let (mark, all_mark) =
        (first.next_changes_since.clone().unwrap(), all.next_changes_since.clone().unwrap());
    let quiet = changes(&world, &caller, &mark).await;
    assert!(quiet.records.is_empty() && quiet.next_changes_since.as_ref() == Some(&mark));
    // A value changes, one goes, one comes; other streams and connections live on.
    world.fill("c/messages", None, &[version("two", Some("x"))]).await;
    world.fill("c/messages", None, &[version("two", None)]).await;
    world
        .fill("c/messages", None, &[line("k", &json!({ "subject": "same", "secret": "two", "new": 1 }))])
        .await;
    world.fill("c/orders", None, &[line("k", &json!({ "subject": "else" }))]).await;
    world.fill("d/messages", None, &[line("k", &json!({ "subject": "else" }))]).await;
    assert_eq!(changes(&world, &caller, "beginning").await, first);
    assert_eq!(changes(&world, &caller, &mark).await, quiet);
    let seen = changes(&world, &whole, &all_mark).await;
    assert_eq!(seen.records.len(), 1);
    assert_ne!(seen.records[0].revision, all.records[0].revision);
    // A granted value changes.
    world
        .fill("c/messages", None, &[line("k", &json!({ "subject": "new", "secret": "two", "new": 1 }))])
        .await;
    let page = changes(&world, &caller, &mark).await;
    assert_eq!(page.records.len(), 1);
    assert_ne!(page.records[0].revision, first.records[0].revision);
    assert_ne!(page.next_changes_since.unwrap(), mark);
    // A granted field goes.
    let mark = changes(&world, &caller, "beginning").await.next_changes_since.unwrap();
    world.fill("c/messages", None, &[line("k", &json!({ "secret": "two" }))]).await;
    let page = changes(&world, &caller, &mark).await;
    assert_eq!((page.records.len(), page.records[0].fields.len()), (1, 0));
}

async fn what_leaves_the_grants_sight_is_gone_and_what_comes_into_it_is_new(world: World) {
    const MANIFEST: &str = r#"{"consent_time_field":"at"}"#;
    let at = |key: &str, at: &str| line(key, &json!({ "subject": "s", "at": at }));
    world.fill("c/messages", Some(MANIFEST), &[at("in", "2026-05-01"), at("out", "2026-11-01")]).await;
    let range = StreamRequest {
        since: time::parse("2026-04-01"),
        until: time::parse("2026-09-01"),
        ..fields("messages", &["subject"])
    };
    let caller = world.grant(vec![range]).await;
    let first = changes(&world, &caller, "beginning").await;
    assert_eq!(first.records.len(), 1);
    let mark = first.next_changes_since.clone().unwrap();
    // Within the range it moves as it likes: the moment is not granted.
    world.fill("c/messages", None, &[at("in", "2026-06-01"), at("out", "2026-12-01")]).await;
    assert_eq!(changes(&world, &caller, "beginning").await, first);
    assert!(changes(&world, &caller, &mark).await.records.is_empty());
    world.fill("c/messages", None, &[at("in", "2026-12-01"), at("out", "2026-08-01")]).await;
    let page = changes(&world, &caller, &mark).await;
    assert_eq!((page.records[0].identity.record.as_str(), page.removed[0].record.as_str()), ("out", "in"));
    let mark = page.next_changes_since.unwrap();
    // Gone and come back between two looks is as if nothing was.
    world.fill("c/messages", None, &[at("out", "2027-01-01")]).await;
    world.fill("c/messages", None, &[at("out", "2026-07-01")]).await;
    let page = changes(&world, &caller, &mark).await;
    assert!(page.records.is_empty() && page.removed.is_empty(), "{page:?}");
}

async fn a_session_ends_where_its_first_page_began(world: World) {
    let lines: Vec<String> = (0..6).map(|n| line(&n.to_string(), &json!({ "n": n }))).collect();
    world.fill("c/messages", None, &lines).await;
    let caller = world.grant(vec![stream("messages")]).await;
    let first = RecordsQuery { limit: 2, ..since("beginning") };
    let page = world.store.records(&caller, &first).await.unwrap();
    assert!(page.next_changes_since.is_none());
    // Meanwhile one that was listed changes, one that was not, one goes, and one comes.
    let changed = |n: u32| line(&n.to_string(), &json!({ "n": n + 100 }));
    world
        .fill("c/messages", None, &[changed(0), changed(4), deleted("5"), line("51", &json!({ "n": 51 }))])
        .await;
    let (mut keys, mut cursor, mut mark) = (Vec::new(), page.next_cursor, None);
    while let Some(next) = cursor {
        let page = world
            .store
            .records(&caller, &RecordsQuery { cursor: Some(next), ..first.clone() })
            .await
            .unwrap();
        keys.extend(page.records.iter().map(|view| view.identity.record.to_string()));
        assert!(page.removed.is_empty());
        (cursor, mark) = (page.next_cursor, page.next_changes_since);
    }
    assert_eq!(keys, ["2", "3", "4"], "what came later is not of this session");
    let page = changes(&world, &caller, &mark.unwrap()).await;
    let keys: Vec<&str> = page.records.iter().map(|view| view.identity.record.as_str()).collect();
    assert_eq!(keys, ["0", "4", "51"]);
    assert_eq!(page.removed[0].record.as_str(), "5");
}

async fn a_place_in_the_changes_belongs_to_its_question_and_grows_old(world: World) {
    world.fill("c/messages", None, &[line("k", &json!({ "n": 1 }))]).await;
    world.fill("c/orders", None, &[line("k", &json!({ "n": 1 }))]).await;
    let caller = world.grant(vec![stream("messages"), stream("orders")]).await;
    let other = world.grant(vec![stream("messages"), stream("orders")]).await;
    let mark = changes(&world, &caller, "beginning").await.next_changes_since.unwrap();
    assert_eq!(code(world.store.records(&other, &since(&mark)).await), Code::InvalidCursor);
    let orders =
        RecordsQuery { stream: stepwell_contract::StreamName::new("orders").unwrap(), ..since(&mark) };
    assert_eq!(code(world.store.records(&caller, &orders).await), Code::InvalidCursor);
    for junk in ["", "Beginning", "e30", &mark[1..]] {
        assert_eq!(code(world.store.records(&caller, &since(junk)).await), Code::InvalidCursor, "{junk}");
    }
    let sorted = RecordsQuery { sort: Some("emitted_at".into()), ..since("beginning") };
    assert_eq!(code(world.store.records(&caller, &sorted).await), Code::InvalidArguments);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut inside: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(&mark).unwrap()).unwrap();
        change(&mut inside["after"]);
        URL_SAFE_NO_PAD.encode(inside.to_string())
    };
    let day = time::now() / time::DAY;
    let aged = |days: i64| with(&|seen| seen["day"] = json!(day - days));
    assert!(world.store.records(&caller, &since(&aged(89))).await.is_ok());
    for old in [aged(92), aged(i64::MAX), with(&|seen| seen["marks"]["c"] = json!("AAAAAAAAAAAAAAAAAAAAAA"))]
    {
        let error = world.store.records(&caller, &since(&old)).await.unwrap_err();
        let refusal = error.refusal().unwrap();
        assert_eq!((refusal.code, refusal.param.as_deref()), (Code::CursorExpired, Some("changes_since")));
    }
}

async fn append_only_records_stay_and_can_be_taken_away(world: World) {
    const MANIFEST: &str = r#"{"semantics":"append_only"}"#;
    let first = [line("a", &json!({ "n": 1 })), line("b", &json!({ "n": 1 }))];
    world.fill("c/messages", Some(MANIFEST), &first).await;
    let caller = world.grant(vec![stream("messages")]).await;
    let again = [line("a", &json!({ "n": 1 })), line("b", &json!({ "n": 2 })), line("c", &json!({ "n": 3 }))];
    let stored = world.fill("c/messages", None, &again).await.stored;
    assert_eq!((stored.added, stored.changed, stored.unchanged, &stored.refused[..]), (1, 0, 1, &[1][..]));
    assert_eq!(stored.count(), 3);
    let b = world.record(&caller, "c/messages:b", None).await.unwrap();
    assert_eq!(b.fields[0].head.as_deref(), Some("1"));
    // The same content, emitted once more, is no other version.
    let later = json!({ "key": "a", "data": { "n": 1 }, "emitted_at": "2026-01-01" }).to_string();
    assert!(world.fill("c/messages", None, &[later]).await.stored.refused.is_empty());
    let stored = world.fill("c/messages", None, &[deleted("b"), line("b", &json!({ "n": 2 }))]).await.stored;
    assert_eq!((stored.deleted, stored.added), (1, 1));
    let b = world.record(&caller, "c/messages:b", None).await.unwrap();
    assert_eq!(b.fields[0].head.as_deref(), Some("2"));
}

async fn a_deleted_record_is_nowhere(world: World) {
    let long = json!({ "body": "the heron waits ".repeat(2_000), "tree": { "a": "x".repeat(9_000) }, "file": { "$blob": { "mime_type": "a/b", "base64": "AAEC" } } });
    world.fill("c/messages", None, &[line("k", &long), line("l", &long)]).await;
    let caller = world.grant(vec![stream("messages")]).await;
    let filled = world.fill("c/messages", None, &[deleted("k"), deleted("never"), deleted("a/b")]).await;
    assert_eq!((filled.stored.deleted, filled.stored.unchanged), (1, 1));
    assert_eq!(filled.rejected, [(3, RejectionCode::UnsafeKey)]);
    assert_eq!(code(world.record(&caller, "c/messages:k", None).await), Code::NotFound);
    assert_eq!(code(world.field(&caller, "c/messages:k", "body").await), Code::NotFound);
    assert_eq!(there(&world, &caller).await.len(), 1);
    let search = stepwell_source::query::SearchQuery {
        q: "heron".into(),
        streams: Vec::new(),
        conditions: Vec::new(),
        connection: None,
        limit: 10,
        cursor: None,
    };
    assert_eq!(world.store.search(&caller, &search).await.unwrap().hits.len(), 1);
    // Not a row of it is left.
    world.fill("c/messages", None, &[deleted("l")]).await;
    for table in ["record", "field", "seg", "unit", "former_field"] {
        assert_eq!(world.count(table).await, 0, "{table}");
    }
}
