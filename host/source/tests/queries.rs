//! Many records at once: lists, search, numbers, and bytes.

use crate::on_both_engines;
use crate::world::{World, connection, fields, stream};
use serde_json::json;
use stepwell_contract::{Bytes, Code, StreamName};
use stepwell_source::filter::{Condition, Scalar, Test};
use stepwell_source::query::{
    AggregateQuery, Granularity, Group, Metric, Order, RecordsQuery, SearchHit, SearchPage, SearchQuery,
};
use stepwell_source::{Caller, Source as _};

const MANIFEST: &str = r#"{"cursor_field":"sent_at","schema":{"type":"object","properties":{
    "subject":{"type":"string","x_pdpp_role":"title"},"body":{"type":"string"},"sent_at":{"type":"string"}}},
    "query":{"search":{"lexical_fields":["subject","body"]}}}"#;

fn mail(key: &str, day: u8, subject: &str, body: &str) -> String {
    let data = json!({ "subject": subject, "body": body, "sent_at": format!("2026-03-{day:02}T10:00:00Z"), "note": "hidden heron" });
    json!({ "key": key, "data": data }).to_string()
}

/// Two accounts whose records alternate in time, three of them at the same moment.
async fn two_accounts(world: &World) {
    let home: Vec<String> =
        (1..=9).map(|n| mail(&format!("m{n}"), n, &format!("Zürich {n}"), "the heron waits")).collect();
    let work: Vec<String> =
        (1..=9).map(|n| mail(&format!("m{n}"), n, &format!("work {n}"), "no bird here")).collect();
    world.fill("home/messages", Some(MANIFEST), &home).await;
    world.fill("work/messages", Some(MANIFEST), &work).await;
}

pub(crate) fn list(limit: usize, order: Order, cursor: Option<String>) -> RecordsQuery {
    let stream = StreamName::new("messages").unwrap();
    RecordsQuery {
        stream,
        connection: None,
        fields: None,
        view: None,
        conditions: Vec::new(),
        sort: None,
        order,
        limit,
        cursor,
        changes_since: None,
    }
}

fn words(q: &str) -> SearchQuery {
    let (streams, conditions) = (Vec::new(), Vec::new());
    SearchQuery { q: q.to_owned(), streams, conditions, connection: None, limit: 25, cursor: None }
}

async fn search(world: &World, caller: &Caller, q: &str) -> SearchPage {
    world.store.search(caller, &words(q)).await.unwrap()
}

fn ids(hits: &[SearchHit]) -> Vec<String> {
    hits.iter().map(|hit| hit.record.identity.id().to_string()).collect()
}

async fn pages_join_to_one_order_over_all_connections(world: World) {
    two_accounts(&world).await;
    let caller = world.grant(vec![stream("messages")]).await;
    for (order, first, last) in [
        (Order::Descending, "work/messages:m9", "home/messages:m1"),
        (Order::Ascending, "home/messages:m1", "work/messages:m9"),
    ] {
        let whole = world.store.records(&caller, &list(100, order, None)).await.unwrap();
        assert_eq!((whole.records.len(), whole.next_cursor.as_ref()), (18, None));
        let all: Vec<String> = whole.records.iter().map(|r| r.identity.id().to_string()).collect();
        assert_eq!((all[0].as_str(), all[17].as_str()), (first, last));
        for limit in [1, 2, 5, 17, 18] {
            let (mut joined, mut cursor) = (Vec::new(), None);
            loop {
                let page = world.store.records(&caller, &list(limit, order, cursor)).await.unwrap();
                assert!(page.records.len() <= limit);
                joined.extend(page.records.iter().map(|r| r.identity.id().to_string()));
                cursor = page.next_cursor;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(joined, all, "{order:?} by {limit}");
        }
    }
    let page = world.store.records(&caller, &list(2, Order::Descending, None)).await.unwrap();
    let other = list(2, Order::Ascending, page.next_cursor);
    let refused = world.store.records(&caller, &other).await.unwrap_err();
    assert_eq!(refused.refusal().unwrap().code, Code::InvalidCursor);
}

async fn a_search_needs_all_words_and_looks_into_granted_fields_only(world: World) {
    two_accounts(&world).await;
    let long = format!("{} the rare ibis {}", "filler ".repeat(3_000), "more ".repeat(3_000));
    world.fill("home/messages", Some(MANIFEST), &[mail("long", 20, "Nested 東京タワー", &long)]).await;
    let caller = world.grant(vec![fields("messages", &["subject", "body", "note"])]).await;
    assert_eq!(search(&world, &caller, "HERON zurich").await.hits.len(), 9);
    assert_eq!(ids(&search(&world, &caller, "heron 3").await.hits), ["home/messages:m3"]);
    assert_eq!(search(&world, &caller, "heron work").await.hits.len(), 0, "no record has both");
    assert_eq!(
        search(&world, &caller, "hidden").await.hits.len(),
        0,
        "the manifest does not list that field"
    );
    assert_eq!(ids(&search(&world, &caller, "京").await.hits), ["home/messages:long"]);

    let hit = &search(&world, &caller, "ibis").await.hits[0];
    let place = &hit.matches[0];
    assert!(place.snippet.contains("the rare ibis"), "{place:?}");
    let text = world.text(&caller, "home/messages:long", "body", place.at.start().get(), 4).await.unwrap();
    assert_eq!(text, "ibis");
    let start = place.snippet_at.start().get();
    let around = world.text(&caller, "home/messages:long", "body", start, place.snippet_at.len().get()).await;
    assert_eq!(around.unwrap(), place.snippet);

    let subject_only = world.grant(vec![fields("messages", &["subject"])]).await;
    assert_eq!(search(&world, &subject_only, "ibis").await.hits.len(), 0);
    assert_eq!(search(&world, &subject_only, "nested ibis").await.hits.len(), 0);
    let found = search(&world, &subject_only, "nested").await;
    assert_eq!(found.hits[0].record.fields.len(), 1);

    let few = vec![fields("messages", &["subject"])].into_iter();
    let early = few.map(|mut s| {
        s.until = stepwell_source::time::parse("2026-03-03");
        s
    });
    let early = world.grant(early.collect()).await;
    assert_eq!(search(&world, &early, "zurich").await.hits.len(), 2);
}

async fn search_pages_and_follows_rewrites(world: World) {
    two_accounts(&world).await;
    let caller = world.grant(vec![stream("messages")]).await;
    let whole = ids(&search(&world, &caller, "zurich").await.hits);
    let (mut joined, mut cursor) = (Vec::new(), None);
    loop {
        let page =
            world.store.search(&caller, &SearchQuery { limit: 4, cursor, ..words("zurich") }).await.unwrap();
        joined.extend(ids(&page.hits));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(joined, whole);
    world.fill("home/messages", Some(MANIFEST), &[mail("m3", 3, "Bern 3", "an otter")]).await;
    assert_eq!(search(&world, &caller, "zurich").await.hits.len(), 8);
    assert_eq!(ids(&search(&world, &caller, "otter bern").await.hits), ["home/messages:m3"]);
}

async fn no_query_raises_an_engine_error(world: World) {
    two_accounts(&world).await;
    let caller = world.grant(vec![stream("messages")]).await;
    for q in [
        "a\" OR b",
        "heron' | 'x",
        "NEAR(a b)",
        "body:heron",
        "* ^ -",
        "heron\\",
        "a & !b",
        "(((",
        "x\0y",
        "NOT AND OR",
    ] {
        match world.store.search(&caller, &words(q)).await {
            Ok(_) => {}
            Err(error) => assert_eq!(error.refusal().unwrap().code, Code::InvalidArguments, "{q:?}"),
        }
    }
    let many = "one two three four five six seven eight nine ten";
    assert_eq!(search(&world, &caller, many).await.ignored_words.len(), 2);
    let unknown = SearchQuery { streams: vec![StreamName::new("orders").unwrap()], ..words("heron") };
    let refused = world.store.search(&caller, &unknown).await.unwrap_err();
    assert_eq!(refused.refusal().unwrap().code, Code::GrantStreamNotAllowed);
}

async fn the_catalogue_shows_granted_fields_with_what_is_known_of_them(world: World) {
    two_accounts(&world).await;
    world.fill("chat/rooms", None, &[r#"{"key":"r","data":{"topic":"x","size":3,"tags":[]}}"#]).await;
    let caller = world.grant(vec![fields("messages", &["body", "subject"]), stream("rooms")]).await;
    let scopes = world.store.catalogue(&caller).await.unwrap();
    let places: Vec<String> = scopes.iter().map(|s| format!("{}/{}", s.connection, s.stream)).collect();
    assert_eq!(places, ["chat/rooms", "home/messages", "work/messages"]);
    assert_eq!((scopes[0].declared, scopes[1].declared), (false, true));
    assert_eq!(scopes[1].with_role("title").unwrap().name, "subject");
    assert_eq!(scopes[1].cursor_field, None, "it was not granted");
    let kinds: Vec<_> = scopes[0].fields.iter().map(|f| (f.name.as_str(), f.kinds[0].as_str())).collect();
    assert_eq!(kinds, [("size", "number"), ("tags", "json"), ("topic", "text")]);
}

async fn numbers_add_up(world: World) {
    let bill = |key: &str, day: u8, amount: serde_json::Value, kind: &str| {
        let data = json!({ "amount": amount, "kind": kind, "day": format!("2026-03-{day:02}T23:30:00Z") });
        json!({ "key": key, "data": data }).to_string()
    };
    let lines = [
        bill("a", 1, json!(0.1), "power"),
        bill("b", 2, json!(0.2), "power"),
        bill("c", 31, json!("n/a"), "water"),
        bill("d", 31, json!(12), "power"),
    ];
    world.fill("home/bills", None, &lines).await;
    let caller = world.grant(vec![stream("bills")]).await;
    let ask = |metric, field: Option<&str>, group| AggregateQuery {
        stream: StreamName::new("bills").unwrap(),
        connection: Some(connection("home")),
        metric,
        field: field.map(str::to_owned),
        group,
        conditions: Vec::new(),
        limit: 1,
    };
    let value =
        async |metric, field| world.store.aggregate(&caller, &ask(metric, field, None)).await.unwrap().value;
    assert_eq!(value(Metric::Count, None).await, json!(4));
    assert_eq!(value(Metric::Sum, Some("amount")).await, json!(12.3), "decimally");
    assert_eq!(value(Metric::Min, Some("amount")).await, json!(0.1));
    assert_eq!(value(Metric::Max, Some("kind")).await, json!("water"));
    assert_eq!(value(Metric::CountDistinct, Some("kind")).await, json!(2));
    let by_kind = ask(Metric::Count, None, Some(Group::Field("kind".into())));
    let grouped = world.store.aggregate(&caller, &by_kind).await.unwrap();
    assert_eq!(
        (grouped.groups[0].key.clone(), grouped.groups[0].count, grouped.other_count),
        (json!("power"), 3, 1)
    );
    let time_zone = "Europe/Zurich".to_owned();
    let by_month = Group::Time { field: "day".into(), granularity: Granularity::Month, time_zone };
    let grouped = world.store.aggregate(&caller, &ask(Metric::Count, None, Some(by_month))).await.unwrap();
    assert_eq!(grouped.groups[0].key, json!("2026-03-01T00:00:00+01:00"));
    assert_eq!((grouped.groups[0].count, grouped.other_count), (2, 2), "there it is April already");
    let blind = world.grant(vec![fields("bills", &["kind"])]).await;
    let refused = world.store.aggregate(&blind, &ask(Metric::Sum, Some("amount"), None)).await.unwrap_err();
    assert_eq!(refused.refusal().unwrap().code, Code::FieldNotGranted);
}

async fn bytes_come_in_windows_and_under_the_grant(world: World) {
    use base64::Engine as _;
    let bytes: Vec<u8> = (0..200_000_u32).map(|n| (n * 7 % 251) as u8).collect();
    let base64 = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let blob = json!({ "$blob": { "mime_type": "image/png", "file_name": "a.png", "base64": base64 } });
    world
        .fill("home/files", None, &[json!({ "key": "f", "data": { "file": blob, "n": 1 } }).to_string()])
        .await;
    let caller = world.grant(vec![stream("files")]).await;
    let field = world.field(&caller, "home/files:f", "file").await.unwrap();
    assert_eq!(field.shape.file_name.as_deref(), Some("a.png"));
    for (start, length) in
        [(0, 1), (65_535, 2), (65_536, 65_536), (199_999, 50), (0, 200_000), (200_000, 5), (7, 0)]
    {
        let read = world.store.bytes(&caller, &field, Bytes(start), Bytes(length)).await.unwrap();
        let end = (start + length).min(200_000) as usize;
        assert_eq!(read, &bytes[(start as usize).min(end)..end], "{start} {length}");
    }
    let other = world.grant(vec![fields("files", &["n"])]).await;
    world.seen.take();
    assert!(world.store.bytes(&other, &field, Bytes(0), Bytes(10)).await.is_err());
    assert!(world.content_seen().iter().all(|seen| seen.bytes == 0));
}

on_both_engines!(
    a_hit_shows_the_place_that_has_all_the_words,
    conditions_narrow_lists_searches_and_numbers,
    a_condition_on_a_field_that_is_not_granted_is_refused_and_reads_nothing,
    pages_join_to_one_order_over_all_connections,
    a_search_needs_all_words_and_looks_into_granted_fields_only,
    search_pages_and_follows_rewrites,
    no_query_raises_an_engine_error,
    the_catalogue_shows_granted_fields_with_what_is_known_of_them,
    numbers_add_up,
    bytes_come_in_windows_and_under_the_grant,
);

fn condition(field: &str, test: Test, value: Scalar) -> Condition {
    Condition { field: field.to_owned(), test, value }
}

async fn conditions_narrow_lists_searches_and_numbers(world: World) {
    let lines: Vec<String> = (0..400)
        .map(|n| {
            let data = json!({ "n": n, "even": n % 2 == 0, "word": format!("heron w{}", n % 7), "at": format!("2026-01-{:02}T00:00:00Z", n % 28 + 1) });
            json!({ "key": format!("k{n:03}"), "data": data }).to_string()
        })
        .collect();
    world.fill("home/messages", None, &lines).await;
    world.fill("work/messages", None, &lines[..10]).await;
    let caller = world.grant(vec![stream("messages")]).await;
    let number = |n: u32| Scalar::Number(n.to_string());
    let wanted = vec![
        condition("even", Test::Equal, Scalar::Boolean(true)),
        condition("n", Test::AtLeast, number(4)),
        condition("n", Test::Below, number(390)),
    ];
    // Page by page, so that cursors are part of it.
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let query = RecordsQuery { conditions: wanted.clone(), ..list(7, Order::Ascending, cursor) };
        let page = world.store.records(&caller, &query).await.unwrap();
        found.extend(page.records.iter().map(|view| view.identity.id().to_string()));
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    let mut expected: Vec<String> = (4..390).step_by(2).map(|n| format!("home/messages:k{n:03}")).collect();
    expected.extend([4, 6, 8].map(|n| format!("work/messages:k{n:03}")));
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    // Another question's cursor does not go on with this one.
    let other = RecordsQuery { conditions: wanted[..1].to_vec(), ..list(7, Order::Ascending, None) };
    let cursor = world.store.records(&caller, &other).await.unwrap().next_cursor;
    let query = RecordsQuery { conditions: wanted.clone(), ..list(7, Order::Ascending, cursor) };
    assert_eq!(
        world.store.records(&caller, &query).await.unwrap_err().refusal().unwrap().code,
        Code::InvalidCursor
    );
    let dated = vec![condition("at", Test::Below, Scalar::Text("2026-01-02".to_owned()))];
    let hits = SearchQuery { conditions: dated.clone(), limit: 100, ..words("heron w3") };
    let hits = world.store.search(&caller, &hits).await.unwrap().hits;
    let expected = (0..400).filter(|n| n % 28 == 0 && n % 7 == 3).count()
        + (0..10).filter(|n| n % 28 == 0 && n % 7 == 3).count();
    assert_eq!(hits.len(), expected);
    let count = AggregateQuery {
        stream: StreamName::new("messages").unwrap(),
        connection: Some(connection("home")),
        metric: Metric::Count,
        field: None,
        group: None,
        conditions: dated,
        limit: 1,
    };
    assert_eq!(world.store.aggregate(&caller, &count).await.unwrap().value, json!(15));
}

async fn a_condition_on_a_field_that_is_not_granted_is_refused_and_reads_nothing(world: World) {
    two_accounts(&world).await;
    let caller = world.grant(vec![fields("messages", &["subject"])]).await;
    for field in ["note", "no such field"] {
        let conditions = vec![condition(field, Test::Equal, Scalar::Text("hidden heron".to_owned()))];
        let refused = [
            world
                .store
                .records(
                    &caller,
                    &RecordsQuery { conditions: conditions.clone(), ..list(5, Order::Descending, None) },
                )
                .await
                .err(),
            world
                .store
                .search(&caller, &SearchQuery { conditions: conditions.clone(), ..words("zürich") })
                .await
                .err(),
        ];
        for error in refused {
            let error = error.unwrap();
            let refusal = error.refusal().unwrap();
            assert_eq!((refusal.code, refusal.param.as_deref()), (Code::FieldNotGranted, Some("filter")));
        }
    }
}

async fn a_hit_shows_the_place_that_has_all_the_words(world: World) {
    let scattered = "a heron here, and much later a key. ".repeat(3_000);
    let body = format!("{scattered} The Heron of Zürich keeps the ferry key. {scattered}");
    world.fill("home/messages", Some(MANIFEST), &[mail("long", 1, "A log", &body)]).await;
    let caller = world.grant(vec![stream("messages")]).await;
    let hit = search(&world, &caller, "heron zurich ferry key").await.hits.remove(0);
    assert!(hit.matches[0].snippet.contains("The Heron of Zürich keeps the ferry key"), "{:?}", hit.matches);
}
