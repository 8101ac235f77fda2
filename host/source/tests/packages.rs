//! Several grants under one token: one answer over all of them, and each decides about its own.

use crate::on_both_engines;
use crate::world::{World, code, connection, fields, line, record, request, stream};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use stepwell_contract::selector::Query;
use stepwell_contract::{Bytes, Chars, Code, Span, StreamName};
use stepwell_source::embedded::observe::{Observer, Seen};
use stepwell_source::embedded::statement::Statement;
use stepwell_source::filter::{Condition, Scalar, Test};
use stepwell_source::grant::{GrantError, GrantRequest, GrantState, PackageRequest, StreamRequest, Terms};
use stepwell_source::ledger::{Disclosure, LedgerFilter};
use stepwell_source::query::{
    AggregateQuery, ExpandQuery, Metric, Order, RecordsPage, RecordsQuery, SearchQuery,
};
use stepwell_source::{Caller, Source as _, time};

on_both_engines!(
    a_package_shows_what_its_grants_cover_in_one_order,
    each_grant_decides_about_its_own_records,
    a_number_about_a_package_is_exact,
    relationships_lead_from_one_grant_to_another,
    changes_are_told_across_the_grants_of_a_package,
    a_grant_that_ends_drops_out_and_the_last_one_closes_the_package,
    a_package_that_is_revoked_is_closed_at_the_next_call,
    grants_that_do_not_go_together_are_refused,
    the_ledger_names_the_grant_that_covers_a_record,
    a_field_is_read_only_by_those_who_found_it,
);

const AT: i64 = 1_767_225_600_000;

async fn fill(world: &World) {
    let manifest = r#"{"cursor_field":"at","schema":{"properties":{"at":{},"body":{},"who":{},"file":{}}},
        "relationships":[{"name":"caller","stream":"people","foreign_key":"who","cardinality":"has_one"}],
        "query":{"expand":[{"name":"caller"}]}}"#;
    for (place, odd) in [("home/calls", 0), ("work/calls", 1)] {
        let lines: Vec<String> = (0..10)
            .map(|number| {
                let at = time::print(AT + (number * 2 + odd) * 1_000);
                let body = format!("a heron calls for the {number} time {}", "and waits ".repeat(600));
                let file = json!({ "$blob": { "mime_type": "a/b", "base64": "aGVyb24=" } });
                line(
                    &format!("k{number}"),
                    &json!({ "at": at, "body": body, "who": format!("p{number}"), "file": file }),
                )
            })
            .collect();
        world.fill(place, Some(manifest), &lines).await;
    }
    let people: Vec<String> = (0..10)
        .map(|number| line(&format!("p{number}"), &json!({ "name": format!("name {number}") })))
        .collect();
    world.fill("home/people", None, &people).await;
}

fn at(name: &str, id: &str, names: &[&str]) -> StreamRequest {
    StreamRequest { connections: vec![connection(id)], ..fields(name, names) }
}

fn calls(id: &str) -> StreamRequest {
    at("calls", id, &["at", "body", "who", "file"])
}

async fn of(world: &World, streams: Vec<StreamRequest>) -> String {
    let wanted = request(streams);
    world.store.create_grant_without_token(&wanted, &Terms::default()).await.unwrap().grant_id
}

async fn package(world: &World, grants: &[&String]) -> (String, Caller) {
    let wanted = PackageRequest {
        client: "a package's client".to_owned(),
        expires_at: None,
        grants: grants.iter().map(|&id| id.clone()).collect(),
    };
    let (package, token) = world.store.create_package(&wanted).await.unwrap();
    assert!(token.reveal().starts_with("swp_"));
    (package.package_id, world.store.authenticate(&token).await.unwrap())
}

fn records(name: &str) -> RecordsQuery {
    RecordsQuery {
        stream: StreamName::new(name).unwrap(),
        connection: None,
        fields: None,
        view: None,
        conditions: Vec::new(),
        sort: None,
        order: Order::Descending,
        limit: 3,
        cursor: None,
        changes_since: None,
    }
}

fn ids(page: &RecordsPage) -> Vec<String> {
    page.records.iter().map(|view| view.identity.id().to_string()).collect()
}

async fn a_package_shows_what_its_grants_cover_in_one_order(world: World) {
    fill(&world).await;
    let (home, work) = (of(&world, vec![calls("home")]).await, of(&world, vec![calls("work")]).await);
    let (id, caller) = package(&world, &[&home, &work]).await;
    assert_eq!((caller.grant(), caller.client()), (id.as_str(), "a package's client"));
    let places: Vec<String> =
        world.store.catalogue(&caller).await.unwrap().iter().map(|s| s.connection.to_string()).collect();
    assert_eq!(places, ["home", "work"]);
    let expected: Vec<String> =
        (0..10).rev().flat_map(|n| [format!("work/calls:k{n}"), format!("home/calls:k{n}")]).collect();
    // Records and hits: the newest first whichever grant they are under, none twice and none left out.
    let mut query = records("calls");
    let mut listed = Vec::new();
    loop {
        let page = world.store.records(&caller, &query).await.unwrap();
        assert!(page.records.len() <= 3);
        listed.extend(ids(&page));
        query.cursor = page.next_cursor;
        if query.cursor.is_none() {
            break;
        }
    }
    assert_eq!(listed, expected);
    let sorted =
        RecordsQuery { sort: Some("who".into()), order: Order::Ascending, limit: 4, ..records("calls") };
    let page = world.store.records(&caller, &sorted).await.unwrap();
    assert_eq!(ids(&page), ["home/calls:k0", "work/calls:k0", "home/calls:k1", "work/calls:k1"]);
    let mut search = SearchQuery {
        q: "\"heron calls\"".into(),
        streams: Vec::new(),
        connection: None,
        conditions: Vec::new(),
        limit: 7,
        cursor: None,
    };
    let mut found = Vec::new();
    loop {
        let page = world.store.search(&caller, &search).await.unwrap();
        assert!(page.hits.iter().all(|hit| !hit.matches.is_empty()));
        found.extend(page.hits.iter().map(|hit| hit.record.identity.id().to_string()));
        search.cursor = page.next_cursor;
        if search.cursor.is_none() {
            break;
        }
    }
    assert_eq!(found, expected);
    // One record, its text and its bytes; without a connection it is ambiguous, as under one grant.
    for id in ["home/calls:k3", "work/calls:k3"] {
        assert_eq!(world.record(&caller, id, None).await.unwrap().fields.len(), 4);
        assert!(world.whole(&caller, id, "body").await.unwrap().starts_with("a heron calls for the 3 time"));
        let field = world.field(&caller, id, "body").await.unwrap();
        assert_eq!(world.find(&caller, &field, "HERON", 0).await, Some(2));
        let file = world.field(&caller, id, "file").await.unwrap();
        assert_eq!(world.store.bytes(&caller, &file, Bytes(1), Bytes(3)).await.unwrap(), b"ero");
    }
    let error = world.store.record(&caller, &record("calls:k3"), None).await.unwrap_err();
    let refusal = error.refusal().unwrap();
    assert_eq!(refusal.code, Code::AmbiguousConnection);
    assert!(
        refusal
            .to_json()
            .to_string()
            .contains(r#""available_connections":[{"connection_id":"home"},{"connection_id":"work"}]"#),
        "{}",
        refusal.to_json()
    );
}

async fn each_grant_decides_about_its_own_records(world: World) {
    fill(&world).await;
    let wide = of(&world, vec![calls("home")]).await;
    let until = StreamRequest { until: Some(AT + 4_000), ..at("calls", "work", &["body"]) };
    let narrow = of(&world, vec![until]).await;
    let (_, caller) = package(&world, &[&wide, &narrow]).await;
    assert!(world.field(&caller, "home/calls:k1", "who").await.is_ok());
    assert_eq!(code(world.field(&caller, "work/calls:k1", "who").await), Code::FieldNotGranted);
    assert!(world.field(&caller, "work/calls:k1", "body").await.is_ok());
    assert_eq!(code(world.field(&caller, "work/calls:k9", "body").await), Code::NotFound);
    let who = Condition { field: "who".into(), test: Test::Equal, value: Scalar::Text("p1".into()) };
    let mut query = RecordsQuery { conditions: vec![who], limit: 50, ..records("calls") };
    assert_eq!(code(world.store.records(&caller, &query).await), Code::FieldNotGranted);
    query.connection = Some(connection("home"));
    assert_eq!(ids(&world.store.records(&caller, &query).await.unwrap()), ["home/calls:k1"]);
    let all = RecordsQuery { limit: 50, ..records("calls") };
    let page = world.store.records(&caller, &all).await.unwrap();
    assert_eq!(page.records.len(), 12, "ten of home, and of work those before the grant's end");
    for view in &page.records {
        let names: Vec<&str> = view.fields.iter().map(|field| field.name.as_str()).collect();
        match view.identity.connection.as_str() {
            "home" => assert_eq!(names, ["at", "body", "file", "who"]),
            _ => assert_eq!(names, ["body"]),
        }
    }
    let only = Some(&["who".to_owned()][..]);
    assert_eq!(code(world.record(&caller, "work/calls:k1", only).await), Code::FieldNotGranted);
    assert_eq!(code(world.record(&caller, "home/people:p1", None).await), Code::GrantStreamNotAllowed);
}

async fn a_number_about_a_package_is_exact(world: World) {
    fill(&world).await;
    let (home, work) = (of(&world, vec![calls("home")]).await, of(&world, vec![calls("work")]).await);
    let (_, caller) = package(&world, &[&home, &work]).await;
    let both = world.grant(vec![calls("home"), calls("work")]).await;
    for (metric, field, expected) in [
        (Metric::Count, None, json!(20)),
        // The same ten names stand under both grants.
        (Metric::CountDistinct, Some("who"), json!(10)),
        (Metric::Min, Some("who"), json!("p0")),
        (Metric::Max, Some("at"), json!(time::print(AT + 19_000))),
    ] {
        let query = AggregateQuery {
            stream: StreamName::new("calls").unwrap(),
            connection: None,
            metric,
            field: field.map(str::to_owned),
            group: None,
            conditions: Vec::new(),
            limit: 10,
        };
        let answer = world.store.aggregate(&caller, &query).await.unwrap();
        assert_eq!((&answer.value, answer.records), (&expected, 20));
        assert_eq!(
            format!("{answer:?}"),
            format!("{:?}", world.store.aggregate(&both, &query).await.unwrap())
        );
    }
}

async fn relationships_lead_from_one_grant_to_another(world: World) {
    fill(&world).await;
    let call = of(&world, vec![calls("home")]).await;
    let people = of(&world, vec![at("people", "home", &["name"])]).await;
    let (_, caller) = package(&world, &[&call, &people]).await;
    let page = world.store.records(&caller, &RecordsQuery { limit: 2, ..records("calls") }).await.unwrap();
    let query = ExpandQuery {
        stream: StreamName::new("calls").unwrap(),
        connection: None,
        records: page.records.iter().map(|view| view.identity.clone()).collect(),
        relationships: vec![("caller".to_owned(), None)],
    };
    let expanded = world.store.expand(&caller, &query).await.unwrap();
    let names: Vec<_> = expanded.iter().map(|of| of[0].records[0].fields[0].head.clone().unwrap()).collect();
    assert_eq!(names, ["name 9", "name 8"]);
    world.store.revoke_grant(&people).await.unwrap();
    assert_eq!(code(world.store.expand(&caller, &query).await), Code::InvalidExpand);
}

async fn changes_are_told_across_the_grants_of_a_package(world: World) {
    fill(&world).await;
    let (home, work) = (of(&world, vec![calls("home")]).await, of(&world, vec![calls("work")]).await);
    let (_, caller) = package(&world, &[&home, &work]).await;
    let sync = async |since: &str| {
        let mut query = RecordsQuery { changes_since: Some(since.to_owned()), limit: 6, ..records("calls") };
        let (mut changed, mut removed) = (Vec::new(), Vec::new());
        loop {
            let page = world.store.records(&caller, &query).await.unwrap();
            changed.extend(ids(&page));
            removed.extend(page.removed.iter().map(|one| one.id().to_string()));
            if let Some(next) = page.next_changes_since {
                return (changed, removed, next);
            }
            query.cursor = page.next_cursor;
        }
    };
    let (first, _, since) = sync("beginning").await;
    assert_eq!(first.len(), 20);
    world.fill("home/calls", None, &[line("k1", &json!({ "at": "2026-01-01", "body": "new" }))]).await;
    world.fill("work/calls", None, &[r#"{"key":"k2","deleted":true}"#]).await;
    let (changed, removed, next) = sync(&since).await;
    assert_eq!((changed, removed), (vec!["home/calls:k1".to_owned()], vec!["work/calls:k2".to_owned()]));
    // A session belongs to the package, and not to a grant in it.
    let (_, token) = world.store.issue_token(&home, &Default::default()).await.unwrap();
    let alone = world.store.authenticate(&token).await.unwrap();
    let query = RecordsQuery { changes_since: Some(next.clone()), ..records("calls") };
    assert_eq!(code(world.store.records(&alone, &query).await), Code::InvalidCursor);
    world.store.revoke_grant(&work).await.unwrap();
    world.fill("work/calls", None, &[line("k3", &json!({ "body": "new" }))]).await;
    world.fill("home/calls", None, &[line("k3", &json!({ "body": "new" }))]).await;
    let (changed, removed, _) = sync(&next).await;
    assert_eq!((changed, removed.len()), (vec!["home/calls:k3".to_owned()], 0));
}

async fn a_grant_that_ends_drops_out_and_the_last_one_closes_the_package(world: World) {
    fill(&world).await;
    let home = of(&world, vec![calls("home")]).await;
    let soon = GrantRequest { expires_at: Some(time::now() + 1_500), ..request(vec![calls("work")]) };
    let work = world.store.create_grant_without_token(&soon, &Terms::default()).await.unwrap().grant_id;
    let wanted =
        PackageRequest { client: "c".into(), expires_at: None, grants: vec![home.clone(), work.clone()] };
    let (_, token) = world.store.create_package(&wanted).await.unwrap();
    let caller = world.store.authenticate(&token).await.unwrap();
    let field = world.field(&caller, "work/calls:k1", "body").await.unwrap();
    while world.store.grant(&work).await.unwrap().state(time::now()) == GrantState::Active {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let page = world.store.records(&caller, &RecordsQuery { limit: 50, ..records("calls") }).await.unwrap();
    assert_eq!(page.records.len(), 10);
    assert!(page.records.iter().all(|view| view.identity.connection.as_str() == "home"));
    assert_eq!(world.record(&caller, "calls:k1", None).await.unwrap().identity.connection.as_str(), "home");
    assert_eq!(code(world.field(&caller, "work/calls:k1", "body").await), Code::ConnectionNotFound);
    assert_eq!(
        code(world.store.text(&caller, &field, Span::at(Chars(0), Chars(5))).await),
        Code::GrantExpired
    );
    assert!(world.store.authenticate(&token).await.is_ok());
    world.store.revoke_grant(&home).await.unwrap();
    // One of them expired, and that says more than the other's revocation.
    assert_eq!(code(world.store.authenticate(&token).await), Code::GrantExpired);
    assert_eq!(code(world.store.catalogue(&caller).await), Code::GrantExpired);
    assert_eq!(code(world.record(&caller, "home/calls:k1", None).await), Code::GrantExpired);
}

/// Ends a grant behind the store's back as soon as the grants' streams were listed.
#[derive(Debug)]
struct EndsInTheMiddle {
    path: std::path::PathBuf,
    sql: Mutex<Option<String>>,
    listed: AtomicUsize,
}

impl Observer for EndsInTheMiddle {
    fn seen(&self, seen: Seen) {
        if seen.statement == Statement::GrantedScopes && self.listed.fetch_add(1, Ordering::Relaxed) == 1 {
            let sql = self.sql.lock().unwrap().take().unwrap();
            rusqlite::Connection::open(&self.path).unwrap().execute_batch(&sql).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_grant_that_ends_in_the_middle_of_a_call_takes_nothing_with_it() {
    let world = World::sqlite().await;
    fill(&world).await;
    let (home, work) = (of(&world, vec![calls("home")]).await, of(&world, vec![calls("work")]).await);
    let (_, caller) = package(&world, &[&home, &work]).await;
    let ends = EndsInTheMiddle {
        path: world.url.strip_prefix("sqlite:").unwrap().into(),
        sql: Mutex::new(Some(format!("UPDATE grants SET revoked_at = 1 WHERE id = '{work}'"))),
        listed: AtomicUsize::new(0),
    };
    let ends = Arc::new(ends);
    let store = world.again().await.observed_by(ends.clone());
    let query = RecordsQuery { fields: Some(vec!["who".into()]), limit: 50, ..records("calls") };
    let page = store.records(&caller, &query).await.unwrap();
    assert!(ends.sql.lock().unwrap().is_none(), "it ended");
    assert_eq!(page.records.len(), 10);
    assert!(page.records.iter().all(|view| view.identity.connection.as_str() == "home"));
}

async fn a_package_that_is_revoked_is_closed_at_the_next_call(world: World) {
    fill(&world).await;
    let (home, work) = (of(&world, vec![calls("home")]).await, of(&world, vec![calls("work")]).await);
    let (id, caller) = package(&world, &[&home, &work]).await;
    let (_, token) = world.store.issue_token(&home, &Default::default()).await.unwrap();
    let alone = world.store.authenticate(&token).await.unwrap();
    let field = world.field(&caller, "home/calls:k1", "body").await.unwrap();
    let file = world.field(&caller, "home/calls:k1", "file").await.unwrap();
    assert!(world.store.revoke_package(&id).await.unwrap());
    assert!(!world.store.revoke_package(&id).await.unwrap(), "the second time changes nothing");
    assert_eq!(world.store.package(&id).await.unwrap().state(time::now()), GrantState::Revoked);
    let span = Span::at(Chars(0), Chars(5));
    assert_eq!(code(world.store.text(&caller, &field, span).await), Code::GrantRevoked);
    assert_eq!(code(world.store.bytes(&caller, &file, Bytes(0), Bytes(1)).await), Code::GrantRevoked);
    let q = Query::new("heron").unwrap();
    assert_eq!(code(world.store.find(&caller, &field, &q, Chars(0)).await), Code::GrantRevoked);
    assert_eq!(code(world.store.catalogue(&caller).await), Code::GrantRevoked);
    assert_eq!(code(world.store.records(&caller, &records("calls")).await), Code::GrantRevoked);
    // The grants themselves go on.
    assert!(world.record(&alone, "home/calls:k1", None).await.is_ok());
    assert!(matches!(world.store.revoke_package("pkg_0").await, Err(GrantError::NotFound(_))));
}

async fn grants_that_do_not_go_together_are_refused(world: World) {
    fill(&world).await;
    let home = of(&world, vec![calls("home")]).await;
    let both = of(&world, vec![at("calls", "home", &["body"]), calls("work")]).await;
    let ended = of(&world, vec![calls("work")]).await;
    world.store.revoke_grant(&ended).await.unwrap();
    let once = Terms { access_mode: stepwell_source::grant::AccessMode::SingleUse, ..Terms::default() };
    let once = world.store.create_grant_without_token(&request(vec![stream("people")]), &once).await.unwrap();
    for (grants, expected) in [
        (vec![], "at least one grant"),
        (vec![home.clone(), "grt_nope".into()], "no grant \"grt_nope\""),
        (vec![home.clone(), home.clone()], "named twice"),
        (
            vec![home.clone(), both.clone()],
            "both cover the stream \"calls\" of \"home\": in a package one grant decides",
        ),
        (vec![home.clone(), ended.clone()], "has ended"),
        (vec![home.clone(), once.grant_id.clone()], "is for single use"),
    ] {
        let wanted = PackageRequest { client: "c".into(), expires_at: None, grants };
        let error = world.store.create_package(&wanted).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(world.store.packages().await.unwrap(), [], "nothing of a refused package is left");
    assert_eq!(world.store.tokens().await.unwrap(), []);
}

async fn the_ledger_names_the_grant_that_covers_a_record(world: World) {
    fill(&world).await;
    let (home, work) = (of(&world, vec![calls("home")]).await, of(&world, vec![calls("work")]).await);
    let (id, caller) = package(&world, &[&home, &work]).await;
    let page = world.store.records(&caller, &RecordsQuery { limit: 3, ..records("calls") }).await.unwrap();
    let mut shown: Vec<Disclosure> =
        page.records.iter().map(|view| Disclosure::of_record(&view.identity, Bytes(7))).collect();
    shown.push(Disclosure { stream: Some(StreamName::new("calls").unwrap()), ..Disclosure::default() });
    shown.push(Disclosure::default());
    // A grant that ends between the read and the entry still is the one that it was read under.
    world.store.revoke_grant(&work).await.unwrap();
    world.store.disclose(&caller, "query_records", &shown).await.unwrap();
    let mut entries = world.store.ledger_page(&LedgerFilter::default(), None, 10).await.unwrap();
    entries.reverse();
    let told: Vec<(&str, &str)> =
        entries.iter().map(|entry| (entry.grant.as_str(), entry.client.as_str())).collect();
    let (of_grant, of_package) = ("a client", "a package's client");
    let expected = [
        (work.as_str(), of_grant),
        (home.as_str(), of_grant),
        (work.as_str(), of_grant),
        (id.as_str(), of_package),
        (id.as_str(), of_package),
    ];
    assert_eq!(told, expected);
    let of_home = LedgerFilter { grant: Some(home), ..LedgerFilter::default() };
    assert_eq!(world.store.ledger_sum(&of_home).await.unwrap().entries, 1);
}

async fn a_field_is_read_only_by_those_who_found_it(world: World) {
    fill(&world).await;
    let (home, work) = (of(&world, vec![calls("home")]).await, of(&world, vec![calls("work")]).await);
    let (_, caller) = package(&world, &[&home]).await;
    let (_, other) = package(&world, &[&work]).await;
    let single = world.grant(vec![calls("work")]).await;
    let field = world.field(&caller, "home/calls:k1", "body").await.unwrap();
    let span = Span::at(Chars(0), Chars(5));
    assert_eq!(world.store.text(&caller, &field, span).await.unwrap(), "a her");
    for stranger in [&other, &single] {
        assert!(world.store.text(stranger, &field, span).await.is_err());
    }
}
