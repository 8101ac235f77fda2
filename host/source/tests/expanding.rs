//! Following relationships, inside the grant on both sides.

use crate::on_both_engines;
use crate::world::{World, code, connection, fields, line, stream};
use serde_json::json;
use stepwell_contract::{Code, StreamName};
use stepwell_source::query::{ExpandQuery, Expanded};
use stepwell_source::{Caller, Source as _};

on_both_engines!(
    records_lead_to_one_and_to_many,
    nothing_leads_out_of_the_grant,
    limits_are_the_declared_ones,
);

const ROOMS: &str = r#"{"relationships":[
    {"name":"talk","stream":"messages","foreign_key":"room","cardinality":"has_many"}],
    "query":{"expand":[{"name":"talk","default_limit":2,"max_limit":3}]}}"#;
const MESSAGES: &str = r#"{"cursor_field":"at","relationships":[
    {"name":"room","stream":"rooms","foreign_key":"room","cardinality":"has_one"},
    {"name":"quiet","stream":"rooms","foreign_key":"room","cardinality":"has_one"}],
    "query":{"expand":[{"name":"room"}]}}"#;

async fn fill(world: &World) {
    for place in ["chat", "other"] {
        let room = |key: &str| line(key, &json!({ "title": format!("{place} {key}"), "secret": "s" }));
        world.fill(&format!("{place}/rooms"), Some(ROOMS), &[room("r1"), room("7")]).await;
        let say = |n: u32, room: serde_json::Value| {
            line(
                &format!("m{n}"),
                &json!({ "room": room, "at": format!("2026-01-0{n}"), "text": "hello", "secret": "r1" }),
            )
        };
        let lines = [
            say(1, json!("r1")),
            say(2, json!("r1")),
            say(3, json!(7)),
            say(4, json!("r1")),
            say(5, json!("none")),
            say(6, json!(null)),
            say(7, json!("r1")),
        ];
        world.fill(&format!("{place}/messages"), Some(MESSAGES), &lines).await;
    }
}

async fn expand(
    world: &World,
    caller: &Caller,
    id: &str,
    name: &str,
    limit: Option<usize>,
) -> stepwell_source::error::Result<Expanded> {
    let identity = world.record(caller, id, None).await?.identity;
    let query = ExpandQuery {
        stream: identity.stream.clone(),
        connection: Some(identity.connection.clone()),
        records: vec![identity],
        relationships: vec![(name.to_owned(), limit)],
    };
    Ok(world.store.expand(caller, &query).await?.remove(0).remove(0))
}

fn ids(expanded: &Expanded) -> Vec<String> {
    expanded.records.iter().map(|view| view.identity.id().to_string()).collect()
}

async fn records_lead_to_one_and_to_many(world: World) {
    fill(&world).await;
    let caller = world.grant(vec![stream("rooms"), stream("messages")]).await;
    let many = expand(&world, &caller, "chat/rooms:r1", "talk", Some(3)).await.unwrap();
    assert_eq!(ids(&many), ["chat/messages:m7", "chat/messages:m4", "chat/messages:m2"], "the newest first");
    assert!(many.has_more);
    let number = expand(&world, &caller, "chat/rooms:7", "talk", None).await.unwrap();
    assert_eq!((ids(&number), number.has_more), (vec!["chat/messages:m3".to_owned()], false));
    let one = expand(&world, &caller, "chat/messages:m2", "room", None).await.unwrap();
    assert_eq!(ids(&one), ["chat/rooms:r1"]);
    assert_eq!(
        ids(&expand(&world, &caller, "chat/messages:m3", "room", None).await.unwrap()),
        ["chat/rooms:7"]
    );
    for nowhere in ["chat/messages:m5", "chat/messages:m6"] {
        assert!(ids(&expand(&world, &caller, nowhere, "room", None).await.unwrap()).is_empty());
    }
    // Several records at once, over all connections.
    let mut records = Vec::new();
    for id in ["chat/messages:m1", "other/messages:m3"] {
        records.push(world.record(&caller, id, None).await.unwrap().identity);
    }
    let stream = StreamName::new("messages").unwrap();
    let query = ExpandQuery { stream, connection: None, records, relationships: vec![("room".into(), None)] };
    let expanded = world.store.expand(&caller, &query).await.unwrap();
    let found: Vec<String> = expanded.iter().flat_map(|of| of.iter().flat_map(ids)).collect();
    assert_eq!(found, ["chat/rooms:r1", "other/rooms:7"]);
}

async fn nothing_leads_out_of_the_grant(world: World) {
    fill(&world).await;
    // The other stream, the key, or the other connection is not granted.
    let only = |requests: Vec<stepwell_source::grant::StreamRequest>| world.grant(requests);
    let rooms = only(vec![stream("rooms")]).await;
    let no_key = only(vec![stream("rooms"), fields("messages", &["text"])]).await;
    let elsewhere = only(vec![
        stepwell_source::grant::StreamRequest { connections: vec![connection("chat")], ..stream("rooms") },
        stepwell_source::grant::StreamRequest {
            connections: vec![connection("other")],
            ..stream("messages")
        },
    ])
    .await;
    for caller in [&rooms, &no_key, &elsewhere] {
        let error = expand(&world, caller, "chat/rooms:r1", "talk", None).await.unwrap_err();
        let refusal = error.refusal().unwrap();
        assert_eq!((refusal.code, refusal.param.as_deref()), (Code::InvalidExpand, Some("expand")));
        assert_eq!(refusal.to_json()["error"]["available_expansions"], json!([]));
    }
    assert_eq!(code(expand(&world, &no_key, "chat/messages:m1", "room", None).await), Code::InvalidExpand);
    // What is expanded shows its granted fields, and its records are those in sight.
    let listed = stepwell_source::grant::StreamRequest {
        resources: Some(vec![stepwell_contract::RecordId::new("m2").unwrap()]),
        ..fields("messages", &["room", "text"])
    };
    let caller = only(vec![fields("rooms", &["title"]), listed]).await;
    let many = expand(&world, &caller, "chat/rooms:r1", "talk", None).await.unwrap();
    assert_eq!((ids(&many), many.has_more), (vec!["chat/messages:m2".to_owned()], false));
    let names: Vec<&str> = many.records[0].fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["room", "text"]);
    let one = expand(&world, &caller, "chat/messages:m2", "room", None).await.unwrap();
    assert_eq!(one.records[0].fields.len(), 1);
    // A relationship that was not declared for it, and one that was not declared at all.
    for name in ["quiet", "none"] {
        assert_eq!(code(expand(&world, &caller, "chat/messages:m2", name, None).await), Code::InvalidExpand);
    }
}

async fn limits_are_the_declared_ones(world: World) {
    fill(&world).await;
    let caller = world.grant(vec![stream("rooms"), stream("messages")]).await;
    assert_eq!(expand(&world, &caller, "chat/rooms:r1", "talk", None).await.unwrap().records.len(), 2);
    let error = expand(&world, &caller, "chat/rooms:r1", "talk", Some(4)).await.unwrap_err();
    let refusal = error.refusal().unwrap();
    assert_eq!((refusal.code, refusal.param.as_deref()), (Code::InvalidExpand, Some("expand_limit")));
    assert_eq!(refusal.to_json()["error"]["max_limit"], 3);
}
