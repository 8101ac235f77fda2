//! Records, hits and numbers: what is asked for, and what comes of the answer.

use super::desk::{Desk, mail, refusal};
use crate::world::{connection, record};
use serde_json::json;
use stepwell_contract::{Chars, Code, StreamName};
use stepwell_source::filter::{Condition, Scalar, Test};
use stepwell_source::query::{
    AggregateQuery, ExpandQuery, Group, Metric, Order, Ranking, RecordsQuery, SearchMode, SearchQuery,
};
use stepwell_source::{FieldKind, Source as _};
use stepwell_testkit::resource_server::{Fault, ResourceServer};

fn stream(name: &str) -> StreamName {
    StreamName::new(name).unwrap()
}

fn all(name: &str) -> RecordsQuery {
    RecordsQuery {
        stream: stream(name),
        connection: None,
        fields: None,
        view: None,
        conditions: Vec::new(),
        sort: None,
        order: Order::Descending,
        limit: 25,
        cursor: None,
        changes_since: None,
    }
}

fn words(q: &str) -> SearchQuery {
    SearchQuery {
        q: q.into(),
        streams: Vec::new(),
        conditions: Vec::new(),
        connection: None,
        limit: 25,
        cursor: None,
    }
}

#[tokio::test]
async fn a_record_comes_with_its_granted_fields_measured() {
    let desk = Desk::new(mail()).await;
    let view = desk.remote.record(&desk.caller, &record("cin_a/inbox:m1"), None).await.unwrap();
    let names: Vec<&str> = view.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["body", "file", "id", "none", "read", "size", "subject", "to"]);
    let kinds: Vec<FieldKind> = view.fields.iter().map(|field| field.shape.kind).collect();
    use FieldKind::{Binary, Boolean, Empty, Json, Number, Text};
    assert_eq!(kinds, [Text, Binary, Text, Empty, Boolean, Number, Text, Json]);
    assert_eq!((view.connector.as_deref(), view.label.as_deref()), (Some("mail"), Some("The cin_a")));
    let long = desk.remote.record(&desk.caller, &record("cin_a/inbox:m2"), None).await.unwrap();
    let body = long.fields.iter().find(|field| field.name == "body").unwrap();
    let text = super::desk::scripts().repeat(3_000);
    assert_eq!(
        (body.shape.chars, body.shape.bytes.unwrap().get()),
        (Some(Chars::of(&text)), text.len() as u64)
    );
    assert_eq!(body.shape.digest.unwrap().to_string(), super::desk::digest(&text));
    assert_eq!(Chars::of(body.head.as_ref().unwrap()), Chars(4_096));
    assert!(text.starts_with(body.head.as_deref().unwrap()) && !body.is_whole());
    // The revision speaks for the whole, so a part has none.
    let part =
        desk.remote.record(&desk.caller, &record("cin_a/inbox:m2"), Some(&["subject".into()])).await.unwrap();
    assert!(long.revision.is_some() && part.revision.is_none() && part.fields.len() == 1);
    assert_eq!(
        refusal(desk.remote.record(&desk.caller, &record("inbox:m2"), None).await).code,
        Code::AmbiguousConnection
    );
}

#[tokio::test]
async fn the_query_is_spelled_as_the_interface_has_it() {
    let desk = Desk::new(mail()).await;
    desk.server.behave(|habits| habits.filters = true);
    let query = RecordsQuery {
        connection: Some(connection("cin_a")),
        fields: Some(vec!["id".into(), "subject".into()]),
        conditions: vec![
            Condition { field: "size".into(), test: Test::AtLeast, value: Scalar::Number("3".into()) },
            Condition { field: "to".into(), test: Test::Equal, value: Scalar::Text("a&b".into()) },
        ],
        order: Order::Ascending,
        limit: 7,
        changes_since: Some("beginning".into()),
        ..all("inbox")
    };
    let page = desk.remote.records(&desk.caller, &query).await.unwrap();
    assert_eq!((page.records.len(), page.next_changes_since.as_deref()), (2, Some("now")));
    let asked = desk.server.asked().remove(0);
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("GET", "/v1/streams/inbox/records"));
    for (name, value) in [
        ("limit", "7"),
        ("order", "asc"),
        ("fields", "id,subject"),
        ("changes_since", "beginning"),
        ("connection_id", "cin_a"),
        ("filter[size][gte]", "3"),
        ("filter[to]", "a&b"),
    ] {
        assert_eq!(asked.param(name), Some(value), "{name}");
    }
    assert_eq!(asked.query.len(), 7);
    for (name, value) in
        [("pdpp-version", "2026-04-06"), ("accept", "application/json"), ("accept-encoding", "identity")]
    {
        assert_eq!(asked.header(name), Some(value), "{name}");
    }
    assert!(asked.header("user-agent").unwrap().starts_with("stepwell/"));
    assert!(asked.header("cookie").is_none() && asked.header("referer").is_none());
    let sorted = RecordsQuery { view: Some("short".into()), ..all("inbox") };
    assert_eq!(refusal(desk.remote.records(&desk.caller, &sorted).await).code, Code::InvalidRequest);
    assert_eq!(desk.server.asked()[0].param("view"), Some("short"));
}

#[tokio::test]
async fn pages_and_changes_go_on_by_the_servers_own_bookmarks() {
    let desk = Desk::new(mail()).await;
    let first = desk.remote.records(&desk.caller, &RecordsQuery { limit: 1, ..all("inbox") }).await.unwrap();
    // The limit counts in each connection over there; nothing is dropped here, or it would be lost.
    assert_eq!(first.records.len(), 2);
    let cursor = first.next_cursor.clone();
    let next =
        desk.remote.records(&desk.caller, &RecordsQuery { limit: 1, cursor, ..all("inbox") }).await.unwrap();
    let ids = |page: &stepwell_source::query::RecordsPage| -> Vec<String> {
        page.records.iter().map(|view| view.identity.id().to_string()).collect()
    };
    assert_eq!(ids(&first), ["cin_a/inbox:m2", "cin_b/inbox:m3"]);
    assert_eq!(
        (ids(&next), next.next_cursor),
        (vec!["cin_a/inbox:m1".into(), "cin_b/inbox:m2".into()], None)
    );
    let old = RecordsQuery { changes_since: Some("long ago".into()), ..all("inbox") };
    let told = refusal(desk.remote.records(&desk.caller, &old).await);
    assert_eq!((told.code, &told.extras["http_status"]), (Code::CursorExpired, &json!(410)));
    let gone = json!({ "data": [{ "id": "m8", "stream": "inbox", "connection_id": "cin_a", "deleted": true }],
        "has_more": false, "next_cursor": "stale" });
    desk.server.breaks("/records", Fault::json(200, &gone.to_string()), 1);
    let page = desk.remote.records(&desk.caller, &all("inbox")).await.unwrap();
    assert_eq!((page.removed[0].id().to_string(), page.next_cursor), ("cin_a/inbox:m8".to_owned(), None));
    assert_eq!(
        refusal(desk.remote.records(&desk.caller, &all("orders")).await).code,
        Code::GrantStreamNotAllowed
    );
}

#[tokio::test]
async fn names_are_escaped_and_a_prefix_is_kept() {
    let server = ResourceServer::start_below(mail(), "/pdpp/rs");
    let desk = Desk::at(server).await;
    desk.remote.record(&desk.caller, &record("cin_a/notes:n:1"), None).await.unwrap();
    assert_eq!(desk.server.asked()[0].path, "/pdpp/rs/v1/streams/notes/records/n%3A1");
    let _ = desk.remote.record(&desk.caller, &record("cin_a/no?te#s:a b%2F"), None).await;
    assert_eq!(desk.server.asked()[0].path, "/pdpp/rs/v1/streams/no%3Fte%23s/records/a%20b%252F");
}

#[tokio::test]
async fn hits_come_as_the_server_ranks_them_with_its_marks_as_places() {
    let desk = Desk::new(mail()).await;
    let page = desk.remote.search(&desk.caller, &words("heron")).await.unwrap();
    assert_eq!((page.ranking, page.hits.len(), page.next_cursor.as_deref()), (Ranking::Best, 1, None));
    let hit = &page.hits[0];
    assert_eq!(hit.record.identity.id().to_string(), "cin_a/inbox:m1");
    assert_eq!((hit.record.revision.as_ref(), hit.matches.len(), hit.excerpts.len()), (None, 0, 1));
    let excerpt = &hit.excerpts[0];
    assert_eq!(excerpt.text, "The heron keeps the ferry key.");
    assert_eq!(stepwell_contract::unit::slice(&excerpt.text, excerpt.marks[0]), "heron");
    let narrowed = SearchQuery {
        streams: vec![stream("inbox"), stream("notes")],
        connection: Some(connection("cin_a")),
        limit: 3,
        ..words("a note")
    };
    let page = desk.remote.search(&desk.caller, &narrowed).await.unwrap();
    assert_eq!(page.hits[0].record.identity.id().to_string(), "cin_a/notes:n:1");
    let asked = desk.server.asked().remove(1);
    let streams: Vec<&str> =
        asked.query.iter().filter(|(name, _)| name == "streams").map(|(_, value)| value.as_str()).collect();
    assert_eq!((streams, asked.param("limit")), (vec!["inbox", "notes"], Some("3")));
    let foreign = SearchQuery { streams: vec![stream("orders")], ..words("x") };
    assert_eq!(refusal(desk.remote.search(&desk.caller, &foreign).await).code, Code::GrantStreamNotAllowed);
}

#[tokio::test]
async fn other_ways_of_searching_are_offered_where_the_server_has_them() {
    let desk = Desk::new(mail()).await;
    for mode in [SearchMode::Semantic, SearchMode::Hybrid] {
        let told = refusal(desk.remote.search_by(&desk.caller, mode, &words("heron")).await);
        assert_eq!(told.code, Code::UnsupportedSearchMode);
    }
    desk.server.behave(|habits| habits.semantic = true);
    let page = desk.remote.search_by(&desk.caller, SearchMode::Semantic, &words("heron")).await.unwrap();
    assert_eq!(page.hits.len(), 1);
    assert_eq!(desk.server.asked().pop().unwrap().path, "/v1/search/semantic");
}

#[tokio::test]
async fn numbers_are_the_servers() {
    let desk = Desk::new(mail()).await;
    let count = AggregateQuery {
        stream: stream("inbox"),
        connection: None,
        metric: Metric::Count,
        field: None,
        group: None,
        conditions: Vec::new(),
        limit: 25,
    };
    let all = desk.remote.aggregate(&desk.caller, &count).await.unwrap();
    assert_eq!((all.records, all.value), (4, json!(4)));
    let grouped = AggregateQuery { group: Some(Group::Field("id".into())), ..count.clone() };
    let grouped = desk.remote.aggregate(&desk.caller, &grouped).await.unwrap();
    assert_eq!((grouped.groups.len(), grouped.groups[1].count), (3, 2));
    let sum = AggregateQuery { metric: Metric::Sum, field: Some("size".into()), ..count };
    assert_eq!(refusal(desk.remote.aggregate(&desk.caller, &sum).await).code, Code::InvalidRequest);
}

#[tokio::test]
async fn what_the_server_cannot_give_is_refused_and_not_invented() {
    let desk = Desk::new(mail()).await;
    let query = ExpandQuery {
        stream: stream("inbox"),
        connection: None,
        records: Vec::new(),
        relationships: vec![("files".into(), None)],
    };
    assert_eq!(refusal(desk.remote.expand(&desk.caller, &query).await).code, Code::UnsupportedBySource);
    assert!(desk.server.asked().is_empty());
}
