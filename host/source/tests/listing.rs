//! Lists by views and orders, and what they must not tell.

use crate::on_both_engines;
use crate::queries::list;
use crate::world::{World, code, fields, line, stream};
use serde_json::{Value, json};
use stepwell_contract::Code;
use stepwell_source::filter::{Condition, Scalar, Test};
use stepwell_source::query::{Order, RecordsQuery, SearchQuery};
use stepwell_source::{Caller, Source as _, time};

on_both_engines!(
    a_view_shows_its_granted_fields,
    records_are_sorted_by_what_the_manifest_lets_them_be,
    an_order_that_is_not_granted_leaves_no_trace,
    the_catalogue_says_what_can_be_asked_within_the_grant,
    another_order_forgets_the_one_before,
);

const MANIFEST: &str = r#"{"cursor_field":"sent_at","primary_key":["id"],
    "schema":{"properties":{"id":{},"sent_at":{},"subject":{"x_pdpp_role":"title"},"amount":{},"parent":{},"secret":{}}},
    "views":[{"id":"brief","label":"In brief","fields":["id","subject"]},{"id":"money","fields":["amount","secret"]},
             {"id":"hidden","fields":["secret"]}],
    "relationships":[{"name":"replies","stream":"messages","foreign_key":"parent","cardinality":"has_many"},
                     {"name":"account","stream":"accounts","foreign_key":"secret","cardinality":"has_one"}],
    "query":{"search":{"lexical_fields":["subject"]},"range_filters":{"amount":["gte","lt"]},
             "aggregations":{"sum":["amount"]},"expand":[{"name":"replies","default_limit":2,"max_limit":4}]}}"#;

fn mail(id: &str, sent: &str, amount: Value, secret: &str) -> String {
    let data = json!({ "id": id, "sent_at": sent, "subject": format!("heron {id}"), "amount": amount, "secret": secret });
    json!({ "key": id, "data": data, "emitted_at": format!("2026-05-01T00:00:0{}Z", id.len()) }).to_string()
}

async fn fill(world: &World) {
    let lines = [
        mail("a", "2026-01-03", json!(10), "s1"),
        mail("bb", "2026-01-01", json!(9.5), "s2"),
        mail("ccc", "2026-01-02", json!(null), "s3"),
        mail("dddd", "2026-01-04", json!(10), "s4"),
    ];
    world.fill("home/messages", Some(MANIFEST), &lines).await;
}

async fn ids(world: &World, caller: &Caller, query: &RecordsQuery) -> Vec<String> {
    let page = world.store.records(caller, query).await.unwrap();
    page.records.iter().map(|view| view.identity.record.to_string()).collect()
}

fn by(sort: &str, order: Order) -> RecordsQuery {
    RecordsQuery { sort: Some(sort.to_owned()), ..list(10, order, None) }
}

async fn a_view_shows_its_granted_fields(world: World) {
    fill(&world).await;
    let caller = world.grant(vec![fields("messages", &["id", "subject", "amount", "sent_at"])]).await;
    let view = |name: &str| RecordsQuery { view: Some(name.to_owned()), ..list(10, Order::Ascending, None) };
    for (name, expected) in [("brief", vec!["id", "subject"]), ("money", vec!["amount"])] {
        let page = world.store.records(&caller, &view(name)).await.unwrap();
        for record in page.records {
            let names: Vec<&str> = record.fields.iter().map(|field| field.name.as_str()).collect();
            assert_eq!(names, expected, "{name}");
        }
    }
    // A view of which nothing is granted is none, as one that was never declared.
    for name in ["hidden", "none"] {
        let error = world.store.records(&caller, &view(name)).await.unwrap_err();
        let refusal = error.refusal().unwrap();
        assert_eq!((refusal.code, refusal.param.as_deref()), (Code::UnknownView, Some("view")));
        assert_eq!(refusal.to_json()["error"]["available_views"], json!(["brief", "money"]));
    }
    let both = RecordsQuery { fields: Some(vec!["id".into()]), ..view("brief") };
    assert_eq!(code(world.store.records(&caller, &both).await), Code::InvalidArguments);
}

async fn records_are_sorted_by_what_the_manifest_lets_them_be(world: World) {
    fill(&world).await;
    world.fill("work/messages", Some(MANIFEST), &[mail("e", "2026-01-05", json!("many"), "s5")]).await;
    let caller = world.grant(vec![stream("messages")]).await;
    for (sort, order, expected) in [
        ("sent_at", Order::Ascending, ["bb", "ccc", "a", "dddd", "e"]),
        ("sent_at", Order::Descending, ["e", "dddd", "a", "ccc", "bb"]),
        ("emitted_at", Order::Ascending, ["a", "e", "bb", "ccc", "dddd"]),
        ("emitted_at", Order::Descending, ["dddd", "ccc", "bb", "e", "a"]),
        ("amount", Order::Ascending, ["bb", "a", "dddd", "e", "ccc"]),
        ("amount", Order::Descending, ["e", "dddd", "a", "bb", "ccc"]),
    ] {
        assert_eq!(ids(&world, &caller, &by(sort, order)).await, expected, "{sort} {order:?}");
        // One page after the other gives the same, whatever their size.
        for limit in 1..=5 {
            let (mut joined, mut cursor) = (Vec::new(), None);
            loop {
                let query = RecordsQuery { limit, cursor, ..by(sort, order) };
                let page = world.store.records(&caller, &query).await.unwrap();
                joined.extend(page.records.iter().map(|view| view.identity.record.to_string()));
                cursor = page.next_cursor;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(joined, expected, "{sort} {order:?} by {limit}");
        }
    }
    let ten = Condition { field: "amount".into(), test: Test::Equal, value: Scalar::Number("10".into()) };
    let query = RecordsQuery { conditions: vec![ten], ..by("amount", Order::Ascending) };
    assert_eq!(ids(&world, &caller, &query).await, ["a", "dddd"]);
    let cursor =
        world.store.records(&caller, &RecordsQuery { limit: 1, ..by("amount", Order::Ascending) }).await;
    let other = RecordsQuery { cursor: cursor.unwrap().next_cursor, ..by("amount", Order::Descending) };
    assert_eq!(code(world.store.records(&caller, &other).await), Code::InvalidCursor);
    let some = world.grant(vec![fields("messages", &["subject", "amount"])]).await;
    for (caller, sort, expected) in [
        (&caller, "subject", Code::InvalidArguments),
        (&caller, "none", Code::FieldNotGranted),
        (&some, "sent_at", Code::FieldNotGranted),
        (&some, "secret", Code::FieldNotGranted),
    ] {
        let error = world.store.records(caller, &by(sort, Order::Ascending)).await.unwrap_err();
        let refusal = error.refusal().unwrap();
        assert_eq!((refusal.code, refusal.param.as_deref()), (expected, Some("sort")), "{sort}");
        assert!(refusal.hint.as_deref().unwrap().contains("\"emitted_at\""), "{refusal:?}");
    }
}

/// Everything that a caller learns of a stream, in every way there is.
async fn all_answers(world: &World, caller: &Caller) -> String {
    let mut answers = format!("{:?}", world.store.catalogue(caller).await.unwrap());
    for order in [Order::Ascending, Order::Descending] {
        let (mut cursor, mut pages) = (None, 0);
        while pages == 0 || cursor.is_some() {
            let page = world.store.records(caller, &list(1, order, cursor)).await.unwrap();
            answers.push_str(&format!("{page:?}"));
            cursor = page.next_cursor;
            pages += 1;
        }
        for sort in ["emitted_at", "amount"] {
            answers.push_str(&format!("{:?}", world.store.records(caller, &by(sort, order)).await.unwrap()));
        }
    }
    let changes =
        RecordsQuery { changes_since: Some("beginning".into()), ..list(10, Order::Ascending, None) };
    answers.push_str(&format!("{:?}", world.store.records(caller, &changes).await.unwrap()));
    let mut cursor = None;
    loop {
        let search = SearchQuery {
            q: "heron".into(),
            streams: Vec::new(),
            conditions: Vec::new(),
            connection: None,
            limit: 1,
            cursor,
        };
        let page = world.store.search(caller, &search).await.unwrap();
        answers.push_str(&format!("{page:?}"));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    for id in ["a", "bb"] {
        answers.push_str(&format!(
            "{:?}",
            world.record(caller, &format!("home/messages:{id}"), None).await.unwrap()
        ));
    }
    answers
}

async fn an_order_that_is_not_granted_leaves_no_trace(world: World) {
    fill(&world).await;
    let caller = world.grant(vec![fields("messages", &["subject", "amount"])]).await;
    let page = world.store.records(&caller, &list(10, Order::Ascending, None)).await.unwrap();
    let order: Vec<&str> = page.records.iter().map(|view| view.identity.record.as_str()).collect();
    assert_eq!(order, ["a", "bb", "ccc", "dddd"], "in the order of emission");
    assert!(page.records.iter().all(|view| view.time == view.emitted_at));
    assert_eq!(Some(page.records[0].time), time::parse("2026-05-01T00:00:01Z"));
    let before = all_answers(&world, &caller).await;
    // Other times, other secrets, another moment of emission: nothing that the grant covers.
    let later = |line: String| line.replace("2026-05-01", "2026-06-07");
    let lines = [
        later(mail("a", "2031-01-09", json!(10), "t1")),
        mail("bb", "2020-01-01", json!(9.5), "t2"),
        mail("ccc", "never", json!(null), ""),
    ];
    assert_eq!(world.fill("home/messages", Some(MANIFEST), &lines).await.stored.changed, 3);
    assert_eq!(all_answers(&world, &caller).await, before);
    // The whole grant sees all of it.
    let whole = world.grant(vec![stream("messages")]).await;
    assert_eq!(ids(&world, &whole, &list(10, Order::Ascending, None)).await, ["bb", "dddd", "ccc", "a"]);
    let shown = world.record(&whole, "home/messages:a", None).await.unwrap();
    assert_eq!(Some(shown.time), time::parse("2031-01-09"));
    assert_eq!(Some(shown.emitted_at), time::parse("2026-05-01T00:00:01Z"), "when it was first emitted");
}

async fn the_catalogue_says_what_can_be_asked_within_the_grant(world: World) {
    fill(&world).await;
    world.fill("home/accounts", None, &[line("s1", &json!({ "name": "first" }))]).await;
    let caller =
        world.grant(vec![fields("messages", &["subject", "amount", "parent"]), stream("accounts")]).await;
    let scopes = world.store.catalogue(&caller).await.unwrap();
    let messages = scopes.iter().find(|scope| scope.stream.as_str() == "messages").unwrap();
    assert!(messages.primary_key.is_empty() && messages.cursor_field.is_none());
    let amount = messages.field("amount").unwrap();
    assert_eq!(
        (&amount.ranges[..], &amount.aggregations[..]),
        (&["gte".to_owned(), "lt".to_owned()][..], &["sum"][..])
    );
    assert!(amount.exact && amount.sortable);
    let subject = messages.field("subject").unwrap();
    assert!(subject.searchable && subject.exact && !subject.sortable && subject.ranges.is_empty());
    let views: Vec<(&str, &[String], bool)> =
        messages.views.iter().map(|view| (view.id.as_str(), &view.fields[..], view.complete)).collect();
    assert_eq!(
        views,
        [("brief", &["subject".to_owned()][..], false), ("money", &["amount".to_owned()][..], false)]
    );
    // The key to the accounts is not granted, so nothing leads there.
    let related: Vec<&str> = messages.relationships.iter().map(|related| related.name.as_str()).collect();
    assert_eq!(related, ["replies"]);
    let whole = world.grant(vec![stream("messages"), stream("accounts")]).await;
    let scopes = world.store.catalogue(&whole).await.unwrap();
    let messages = scopes.iter().find(|scope| scope.stream.as_str() == "messages").unwrap();
    assert_eq!(messages.relationships.len(), 2);
    assert_eq!(
        (messages.cursor_field.as_deref(), &messages.primary_key[..]),
        (Some("sent_at"), &["id".to_owned()][..])
    );
    assert!(messages.views.iter().all(|view| view.complete) && messages.views.len() == 3);
    let inferred = scopes.iter().find(|scope| scope.stream.as_str() == "accounts").unwrap();
    assert!(!inferred.declared && inferred.field("name").unwrap().ranges.len() == 4);
}

async fn another_order_forgets_the_one_before(world: World) {
    fill(&world).await;
    let other = r#"{"cursor_field":"updated"}"#;
    let caller = world.grant(vec![fields("messages", &["subject"])]).await;
    let by_emission = ["a", "bb", "ccc", "dddd"];
    world.fill("home/messages", Some(other), &[""; 0]).await;
    // The field that orders the stream is none that these records have, and the old one tells nothing any more.
    world.behind_its_back("INSERT INTO grant_field SELECT grant_id, scope, 'updated' FROM grant_field").await;
    assert_eq!(ids(&world, &caller, &list(10, Order::Ascending, None)).await, by_emission);
    // An import brings times again.
    let again = mail("a", "2026-01-03", json!(10), "s1")
        .replace("\"sent_at\"", "\"updated\":\"2030-01-01\",\"sent_at\"");
    world.fill("home/messages", None, &[again]).await;
    assert_eq!(ids(&world, &caller, &list(10, Order::Ascending, None)).await, ["bb", "ccc", "dddd", "a"]);
}
