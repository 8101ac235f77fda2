//! Making, listing and ending grants; the two engines say the same.

use crate::on_both_engines;
use crate::world::{World, code, connection, fields, line, request, stream};
use serde_json::{Value, json};
use stepwell_contract::{Code, RecordId};
use stepwell_source::Source;
use stepwell_source::grant::{Grant, GrantError, GrantRequest, GrantState, StreamRequest};
use stepwell_source::time;

on_both_engines!(
    a_request_for_everything_is_settled_when_it_is_made,
    a_mistake_in_a_request_names_what_there_is,
    a_grant_is_shown_as_it_was_made,
    a_grant_ends_once_and_stays_listed,
    grants_do_not_mix,
    a_grant_that_someone_vouched_for_is_admitted_while_it_counts,
);

async fn fill(world: &World) {
    let manifest = r#"{"cursor_field":"at","schema":{"properties":{"at":{},"declared":{}}}}"#;
    let message =
        line("k", &json!({ "at": "2026-01-01", "subject": "s", "body": "b", "Ärger": "ä", "Zebra": "z" }));
    world.fill("home/messages", Some(manifest), &[&message]).await;
    world.fill("work/messages", None, &[line("k", &json!({ "body": "b", "extra": 1 }))]).await;
    world.fill("home/calls", None, &[line("k", &json!({ "who": "w" }))]).await;
    world.fill("home/empty", None, &[""; 0]).await;
}

fn settled(grant: &Grant) -> Vec<(String, String)> {
    let of = |stream: &stepwell_source::grant::GrantedStream| {
        (format!("{}/{}", stream.connection_id, stream.name), stream.fields.join(" "))
    };
    grant.streams.iter().map(of).collect()
}

async fn a_request_for_everything_is_settled_when_it_is_made(world: World) {
    fill(&world).await;
    let asked = request(vec![stream("messages"), stream("empty")]);
    let (grant, token) = world.store.create_grant(&asked).await.unwrap();
    let expected = [
        ("home/empty", ""),
        ("home/messages", "Zebra at body declared subject Ärger"),
        ("work/messages", "body extra"),
    ];
    assert_eq!(settled(&grant), expected.map(|(place, fields)| (place.to_owned(), fields.to_owned())));
    assert_eq!(world.store.plan_grant(&asked).await.unwrap(), grant.streams);
    // Fields, connections and streams that come later are not in it.
    world.fill("home/messages", None, &[line("k2", &json!({ "body": "b", "new": "n" }))]).await;
    world.fill("late/messages", None, &[line("k", &json!({ "body": "b" }))]).await;
    let caller = world.store.authenticate(&token).await.unwrap();
    assert!(world.field(&caller, "home/messages:k2", "body").await.is_ok(), "new records are");
    assert_eq!(code(world.field(&caller, "home/messages:k2", "new").await), Code::FieldNotGranted);
    assert_eq!(code(world.field(&caller, "late/messages:k", "body").await), Code::ConnectionNotFound);
    assert_eq!(code(world.field(&caller, "home/calls:k", "who").await), Code::GrantStreamNotAllowed);
    assert_eq!(world.store.grant(&grant.grant_id).await.unwrap(), grant);
}

async fn a_mistake_in_a_request_names_what_there_is(world: World) {
    let fault = async |streams: Vec<StreamRequest>| {
        let error = world.store.create_grant(&request(streams)).await.unwrap_err();
        (format!("{error:?}").split([' ', '(', '{']).next().unwrap().to_owned(), error.to_string())
    };
    let (kind, _) = fault(vec![stream("messages")]).await;
    assert_eq!(kind, "UnknownStream", "nothing is there yet");
    fill(&world).await;
    let at = |name: &str, id: &str| StreamRequest { connections: vec![connection(id)], ..stream(name) };
    for (streams, expected, names) in [
        (vec![], "Empty", ""),
        (vec![stream("orders")], "UnknownStream", "calls, empty, messages"),
        (vec![stream("Messages")], "UnknownStream", "calls, empty, messages"),
        (vec![at("messages", "late")], "UnknownConnection", "home, work"),
        (vec![at("calls", "work")], "UnknownConnection", "home"),
        (vec![fields("messages", &["body", "subject"])], "UnknownField", "body, extra"),
        (
            vec![StreamRequest { connections: vec![connection("home")], ..fields("messages", &["nope\0"]) }],
            "UnknownField",
            "Zebra, at, body, declared, subject, Ärger",
        ),
        (vec![stream("calls"), stream("calls")], "StreamTwice", "calls"),
        (vec![at("messages", "home"), stream("messages")], "StreamTwice", "messages"),
        (
            vec![StreamRequest { since: Some(5), until: Some(5), ..stream("calls") }],
            "EmptyTimeRange",
            "calls",
        ),
    ] {
        let (kind, message) = fault(streams).await;
        assert_eq!(kind, expected, "{message}");
        assert!(message.contains(names), "{message}");
    }
    assert!(world.store.grants().await.unwrap().is_empty(), "nothing of a refused request is left");
}

async fn a_grant_is_shown_as_it_was_made(world: World) {
    fill(&world).await;
    let key = |key: &str| RecordId::new(key).unwrap();
    let asked = GrantRequest {
        purpose: Some("to test".to_owned()),
        expires_at: Some(4_000_000_000_000),
        ..request(vec![
            StreamRequest {
                since: Some(1),
                until: time::parse("2026-02-01"),
                ..fields("messages", &["body", "body"])
            },
            StreamRequest {
                resources: Some(vec![key("b"), key("a"), key("ä"), key("B"), key("a")]),
                ..stream("calls")
            },
            StreamRequest { resources: Some(vec![]), ..stream("empty") },
        ])
    };
    let (grant, token) = world.store.create_grant(&asked).await.unwrap();
    assert_eq!(world.store.grant(&grant.grant_id).await.unwrap(), grant);
    assert_eq!(world.store.grants().await.unwrap(), std::slice::from_ref(&grant));
    let mut shown = serde_json::to_value(&grant).unwrap();
    let until = time::parse("2026-02-01");
    for random in ["grant_id", "issued_at"] {
        shown.as_object_mut().unwrap().remove(random).unwrap();
    }
    let messages = |id: &str, field: &str| {
        json!({ "name": "messages", "connection_id": id, "fields": ["body"],
                "time_constraint": { "field": field, "since": 1, "until": until } })
    };
    let expected = json!({
        "client": "a client", "subject": "the owner", "purpose": "to test", "access_mode": "continuous",
        "expires_at": 4_000_000_000_000_i64, "revoked_at": null,
        "streams": [
            { "name": "calls", "connection_id": "home", "fields": ["who"], "resources": ["B", "a", "b", "ä"] },
            { "name": "empty", "connection_id": "home", "fields": [], "resources": [] },
            messages("home", "at"), messages("work", "emitted_at"),
        ],
    });
    assert_eq!(shown, expected);
    let all = format!("{grant:?} {} {:?}", serde_json::to_string(&grant).unwrap(), world.store);
    assert!(!all.contains(token.reveal()), "the token is shown once, by its maker");
}

async fn a_grant_ends_once_and_stays_listed(world: World) {
    fill(&world).await;
    let (one, _) = world.store.create_grant(&request(vec![stream("calls")])).await.unwrap();
    let (two, token) = world.store.create_grant(&request(vec![stream("calls")])).await.unwrap();
    assert!(world.store.revoke_grant(&one.grant_id).await.unwrap());
    let revoked = world.store.grant(&one.grant_id).await.unwrap();
    assert_eq!(revoked.state(time::now()), GrantState::Revoked);
    assert!(!world.store.revoke_grant(&one.grant_id).await.unwrap(), "the second time changes nothing");
    assert_eq!(world.store.grant(&one.grant_id).await.unwrap(), revoked);
    assert_eq!(world.store.grants().await.unwrap().len(), 2);
    for unknown in ["grt_0000000000000000", "", "%", &one.grant_id.to_uppercase()] {
        assert!(matches!(world.store.grant(unknown).await, Err(GrantError::NotFound(_))), "{unknown:?}");
        assert!(
            matches!(world.store.revoke_grant(unknown).await, Err(GrantError::NotFound(_))),
            "{unknown:?}"
        );
    }
    let caller = world.store.authenticate(&token).await.unwrap();
    assert_eq!(caller.grant(), two.grant_id);
    assert_eq!(world.whole(&caller, "home/calls:k", "who").await.unwrap(), "w");
}

/// Two grants on the same stream: one's fields, records and times are never the other's.
async fn grants_do_not_mix(world: World) {
    let lines: Vec<String> = ["1", "2"].iter().map(|key| line(key, &json!({ "a": "a", "b": "b" }))).collect();
    for place in ["x/s", "y/s"] {
        world.fill(place, None, &lines).await;
    }
    let listed = |keys: &[&str]| Some(keys.iter().map(|&key| RecordId::new(key).unwrap()).collect());
    let at = |id: &str, resources, names: &[&str]| StreamRequest {
        connections: vec![connection(id)],
        resources,
        ..fields("s", names)
    };
    let one = world.grant(vec![at("x", listed(&["1"]), &["a"]), at("y", None, &["b"])]).await;
    let two = world.grant(vec![at("x", None, &["b"]), at("y", listed(&["2"]), &["a"])]).await;
    let mut open = Vec::new();
    for (name, caller) in [("one", &one), ("two", &two)] {
        for id in ["x/s:1", "x/s:2", "y/s:1", "y/s:2"] {
            for field in ["a", "b"] {
                if let Ok(text) = world.whole(caller, id, field).await {
                    assert_eq!(text, field);
                    open.push(format!("{name} {id} {field}"));
                }
            }
        }
    }
    let expected = ["one x/s:1 a", "one y/s:1 b", "one y/s:2 b", "two x/s:1 b", "two x/s:2 b", "two y/s:2 a"];
    assert_eq!(open, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_engines_list_the_same_grants() {
    let mut lists = Vec::new();
    for world in [World::sqlite().await, World::postgres().await] {
        fill(&world).await;
        let resources = Some(["b", "a", "Ä"].map(|key| RecordId::new(key).unwrap()).to_vec());
        for streams in [
            vec![stream("messages"), stream("calls")],
            vec![StreamRequest { resources, until: Some(9), ..stream("calls") }],
            vec![fields("messages", &["body"]), stream("empty")],
        ] {
            let (grant, _) = world.store.create_grant(&request(streams)).await.unwrap();
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            assert_eq!(world.store.grant(&grant.grant_id).await.unwrap(), grant);
        }
        let mut list = serde_json::to_value(world.store.grants().await.unwrap()).unwrap();
        for grant in list.as_array_mut().unwrap() {
            grant["grant_id"] = Value::Null;
            grant["issued_at"] = Value::Null;
        }
        lists.push(serde_json::to_string_pretty(&list).unwrap());
    }
    assert_eq!(lists[0], lists[1]);
}

async fn a_grant_that_someone_vouched_for_is_admitted_while_it_counts(world: World) {
    fill(&world).await;
    let (grant, token) = world.store.create_grant(&request(vec![stream("calls")])).await.unwrap();
    let caller = world.store.admit(&grant.grant_id).await.unwrap();
    assert_eq!(caller, world.store.authenticate(&token).await.unwrap());
    assert!(world.field(&caller, "home/calls:k", "who").await.is_ok());
    assert_eq!(code(world.field(&caller, "home/messages:k", "body").await), Code::GrantStreamNotAllowed);
    for unknown in ["", "grt_0000000000000000", "%", token.reveal(), "grt_' OR 1=1"] {
        assert_eq!(code(world.store.admit(unknown).await), Code::InvalidToken, "{unknown}");
    }
    world.store.revoke_grant(&grant.grant_id).await.unwrap();
    assert_eq!(code(world.store.admit(&grant.grant_id).await), Code::GrantRevoked);
    let ended = GrantRequest { expires_at: Some(time::now() - 1), ..request(vec![stream("calls")]) };
    let (ended, _) = world.store.create_grant(&ended).await.unwrap();
    assert_eq!(code(world.store.admit(&ended.grant_id).await), Code::GrantExpired);
}
