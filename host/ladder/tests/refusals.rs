//! What is outside the grant is refused by name, and never selected.

use crate::on_both_engines;
use crate::world::{Ask, World, fields, long_text, request, stream};
use serde_json::json;
use stepwell_contract::{Code, ConnectionId, RecordId};
use stepwell_source::grant::StreamRequest;
use stepwell_source::prepare::Manifest;
use stepwell_source::{Source as _, SourceError, time};

on_both_engines!(
    what_the_grant_does_not_cover_is_refused_and_never_selected,
    a_field_that_holds_no_text_is_refused_without_being_read,
    records_outside_the_time_range_are_not_there,
    records_outside_the_list_are_not_there,
    a_revoked_grant_reads_nothing_from_the_next_call_on,
    an_expired_grant_reads_nothing,
    an_owner_token_reads_nothing,
    an_id_without_a_connection_is_ambiguous_only_if_the_grant_sees_both,
);

async fn two_accounts(world: &World) {
    for connection in ["home", "work"] {
        let data = |n: u64| json!({ "body": long_text(9_000), "subject": "s", "note": "n", "n": n });
        let records = [("m1", data(1)), ("m2", data(2))];
        world.fill(&format!("{connection}/messages"), &records).await;
        world.fill(&format!("{connection}/drafts"), &[("m1", data(3))]).await;
    }
}

async fn what_the_grant_does_not_cover_is_refused_and_never_selected(world: World) {
    two_accounts(&world).await;
    let caller = world.grant(vec![fields("home", "messages", &["body"])]).await;
    world.content_seen();
    for (what, id, path, code) in [
        ("a field that was not granted", "home/messages:m1", "note", Code::FieldNotGranted),
        ("a long field that was not granted", "home/drafts:m1", "body", Code::GrantStreamNotAllowed),
        ("a field that does not exist", "home/messages:m1", "nowhere", Code::FieldNotGranted),
        ("another stream", "home/drafts:m1", "body", Code::GrantStreamNotAllowed),
        ("a stream that does not exist", "home/nowhere:m1", "body", Code::GrantStreamNotAllowed),
        ("another connection", "work/messages:m1", "body", Code::ConnectionNotFound),
        ("a connection that does not exist", "nowhere/messages:m1", "body", Code::ConnectionNotFound),
        ("a record that does not exist", "home/messages:m9", "body", Code::NotFound),
        ("an ungranted field of a missing record", "home/messages:m9", "note", Code::FieldNotGranted),
    ] {
        for ask in [Ask::new(id, path), Ask::new(id, path).q("the start"), Ask::new(id, path).offset(8_999)] {
            let refusal = world.refusal(&caller, &ask).await;
            assert_eq!(refusal.code, code, "{what}");
            assert!(!refusal.to_json().to_string().contains("work") || id.contains("work"), "{refusal}");
            world.assert_nothing_was_selected(what);
        }
    }
    // The same words for what exists and for what does not: an answer is no oracle.
    let said = async |id: &str, path: &str| world.refusal(&caller, &Ask::new(id, path)).await.message;
    let there = said("work/messages:m1", "body").await;
    assert_eq!(there.replace("work", "nowhere"), said("nowhere/messages:m1", "body").await);
    let there = said("home/messages:m1", "note").await;
    assert_eq!(there.replace("note", "nowhere"), said("home/messages:m1", "nowhere").await);
    // A granted field that the record lacks is another matter.
    world.fill("home/messages", &[("m3", json!({ "subject": "no body" }))]).await;
    assert_eq!(world.code(&caller, &Ask::new("home/messages:m3", "body")).await, Code::FieldNotFound);
    world.assert_nothing_was_selected("a granted field that is absent");
}

async fn a_field_that_holds_no_text_is_refused_without_being_read(world: World) {
    let blob =
        json!({ "$blob": { "mime_type": "image/png", "file_name": "a.png", "base64": "iVBORw0KGgo=" } });
    let data = json!({ "number": 1.5, "yes": true, "nothing": null, "file": blob });
    world.fill("home/messages", &[("m1", data)]).await;
    let caller = world.grant(vec![stream("messages")]).await;
    world.content_seen();
    for (field, kind) in [("number", "number"), ("yes", "boolean"), ("nothing", "null"), ("file", "binary")] {
        for ask in [Ask::new("home/messages:m1", field), Ask::new("home/messages:m1", field).q("1")] {
            let refusal = world.refusal(&caller, &ask).await;
            assert_eq!((refusal.code, &refusal.extras["kind"]), (Code::FieldNotText, &json!(kind)));
            assert!(refusal.hint.is_some());
            world.assert_nothing_was_selected(field);
        }
    }
}

async fn records_outside_the_time_range_are_not_there(world: World) {
    let manifest = r#"{"name":"messages","consent_time_field":"sent_at"}"#;
    let manifest = Manifest::parse(manifest, "messages").unwrap();
    let days = ["2026-01-01T00:00:00Z", "2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00Z", "never"];
    let lines = days.iter().enumerate().map(|(n, day)| {
        json!({ "key": format!("m{n}"), "data": { "body": "text", "sent_at": day }, "emitted_at": "2026-01-15" })
            .to_string()
    });
    world.fill_lines("home/messages", None, manifest, lines).await;
    let january = StreamRequest {
        since: time::parse("2026-01-01"),
        until: time::parse("2026-02-01"),
        ..stream("messages")
    };
    let caller = world.grant(vec![january]).await;
    for (key, inside) in [("m0", true), ("m1", true), ("m2", false), ("m3", false)] {
        let ask = Ask::new(&format!("home/messages:{key}"), "body");
        world.content_seen();
        if inside {
            assert_eq!(world.window(&caller, &ask).await.text, "text", "{key}");
        } else {
            assert_eq!(world.code(&caller, &ask).await, Code::NotFound, "{key}");
            world.assert_nothing_was_selected(key);
        }
    }
}

async fn records_outside_the_list_are_not_there(world: World) {
    two_accounts(&world).await;
    let listed = StreamRequest {
        resources: Some(vec![RecordId::new("m2").unwrap()]),
        connections: vec![ConnectionId::new("home").unwrap()],
        ..stream("messages")
    };
    let caller = world.grant(vec![listed]).await;
    world.window(&caller, &Ask::new("home/messages:m2", "body")).await;
    world.content_seen();
    assert_eq!(world.code(&caller, &Ask::new("home/messages:m1", "body")).await, Code::NotFound);
    world.assert_nothing_was_selected("outside the list");
}

async fn a_revoked_grant_reads_nothing_from_the_next_call_on(world: World) {
    two_accounts(&world).await;
    let (grant, token) = world.store.create_grant(&request(vec![stream("messages")])).await.unwrap();
    let caller = world.store.authenticate(&token).await.unwrap();
    let ask = Ask::new("home/messages:m1", "body");
    let next = world.window(&caller, &ask).await.next_cursor.unwrap();
    assert!(world.store.revoke_grant(&grant.grant_id).await.unwrap());
    world.content_seen();
    for ask in
        [ask.clone(), ask.clone().q("the end"), ask.clone().cursor(&next), Ask::new("home/none:x", "y")]
    {
        assert_eq!(world.code(&caller, &ask).await, Code::GrantRevoked);
        world.assert_nothing_was_selected("revoked");
    }
    let refused = world.store.authenticate(&token).await;
    assert!(matches!(refused, Err(SourceError::Refused(refusal)) if refusal.code == Code::GrantRevoked));
}

async fn an_expired_grant_reads_nothing(world: World) {
    two_accounts(&world).await;
    let expires_at = time::now() + 1_500;
    let wanted = || request(vec![stream("messages")]);
    let soon = stepwell_source::grant::GrantRequest { expires_at: Some(expires_at), ..wanted() };
    let (_, token) = world.store.create_grant(&soon).await.unwrap();
    let caller = world.store.authenticate(&token).await.unwrap();
    let left = u64::try_from(expires_at - time::now()).unwrap_or_default();
    tokio::time::sleep(std::time::Duration::from_millis(left + 5)).await;
    world.content_seen();
    assert_eq!(world.code(&caller, &Ask::new("home/messages:m1", "body")).await, Code::GrantExpired);
    world.assert_nothing_was_selected("expired");
    let refused = world.store.authenticate(&token).await;
    assert!(matches!(refused, Err(SourceError::Refused(refusal)) if refusal.code == Code::GrantExpired));
}

async fn an_owner_token_reads_nothing(world: World) {
    two_accounts(&world).await;
    let token = world.store.create_owner_token(None).await.unwrap();
    world.content_seen();
    let refused = world.store.authenticate(&token).await;
    assert!(matches!(refused, Err(SourceError::Refused(refusal)) if refusal.code == Code::OwnerTokenRefused));
    world.assert_nothing_was_selected("an owner token");
}

async fn an_id_without_a_connection_is_ambiguous_only_if_the_grant_sees_both(world: World) {
    two_accounts(&world).await;
    let both = world.grant(vec![stream("messages")]).await;
    let refusal = world.refusal(&both, &Ask::new("messages:m1", "body")).await;
    assert_eq!(refusal.code, Code::AmbiguousConnection);
    let listed = refusal.extras["available_connections"].as_array().unwrap();
    let listed: Vec<&str> = listed.iter().map(|one| one["connection_id"].as_str().unwrap()).collect();
    assert_eq!(listed, ["home", "work"]);
    let one = world.grant(vec![fields("work", "messages", &["body"])]).await;
    let window = world.window(&one, &Ask::new("messages:m1", "body")).await;
    assert_eq!(window.field.record.id().to_string(), "work/messages:m1");
}
