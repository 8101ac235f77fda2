//! Every way to be refused has its code, and nothing is selected on the way to it.

use crate::on_both_engines;
use crate::vault::{self, OPEN, REFUSED, narrow, narrow_caller};
use crate::world::{World, code, connection, fields, line, record, request, stream};
use serde_json::json;
use std::time::Duration;
use stepwell_contract::selector::Query;
use stepwell_contract::{Chars, Code, ConnectionId, FieldPath, RecordId, Span, StreamName};
use stepwell_source::embedded::IngestTarget;
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::prepare::Manifest;
use stepwell_source::{RecordRef, Source, Token, time};

on_both_engines!(
    what_a_narrow_grant_does_not_cover_is_refused_by_its_code_and_never_selected,
    the_edges_of_the_time_range_are_since_inclusive_and_until_exclusive,
    a_field_outside_the_grant_is_refused_in_the_same_words_whether_it_exists_or_not,
    a_record_outside_the_grant_is_refused_in_the_same_words_whether_it_exists_or_not,
    a_revoked_grant_ends_every_read_from_the_next_one_on,
    an_expired_grant_ends_every_read,
    tokens_of_strangers_and_owners_open_nothing,
    a_field_that_one_caller_found_is_no_key_for_another,
    an_id_in_several_granted_connections_is_ambiguous,
    an_ambiguity_lists_twelve_connections_and_counts_the_rest,
    names_with_nul_find_nothing_and_break_nothing,
);

async fn what_a_narrow_grant_does_not_cover_is_refused_by_its_code_and_never_selected(world: World) {
    let caller = narrow_caller(&world).await;
    for &(id, path, expected) in REFUSED {
        let what = format!("{id} {path}");
        world.seen.take();
        assert_eq!(code(world.text(&caller, id, path, 0, 100).await), expected, "text {what}");
        if let Ok(field) = world.field(&caller, id, path).await {
            let found = world.store.find(&caller, &field, &Query::new("a").unwrap(), Chars(0)).await;
            assert_eq!(code(found), expected, "find {what}");
        } else if !matches!(expected, Code::FieldNotGranted | Code::FieldNotFound) {
            assert_eq!(code(world.record(&caller, id, None).await), expected, "record {what}");
        }
        world.assert_no_content_was_selected(&what);
    }
    let only = Some(&["secret".to_owned()][..]);
    assert_eq!(code(world.record(&caller, "home/messages:in", only).await), Code::FieldNotGranted);
    world.assert_no_content_was_selected("a list of fields with one that was not granted");
    // The same questions about what is granted are answered, so the refusals above are not for another reason.
    assert_eq!(world.whole(&caller, "home/messages:in", "subject").await.unwrap(), OPEN);
    assert!(world.whole(&caller, "messages:in", "body").await.unwrap().ends_with(OPEN));
    assert!(world.content_seen().iter().any(|seen| seen.bytes > 9_000));
}

async fn the_edges_of_the_time_range_are_since_inclusive_and_until_exclusive(world: World) {
    let caller = narrow_caller(&world).await;
    for key in ["first", "last"] {
        let id = format!("home/messages:{key}");
        assert_eq!(world.whole(&caller, &id, "subject").await.unwrap(), OPEN, "{key}");
    }
    // Without a range the same records are open, those without a time among them.
    let open = world.grant(vec![StreamRequest { since: None, until: None, ..narrow() }]).await;
    for key in ["early", "late", "timeless", "unreadable-time"] {
        assert!(world.whole(&open, &format!("home/messages:{key}"), "subject").await.is_ok(), "{key}");
    }
    // Either end alone hides what has no time.
    for half in [StreamRequest { since: None, ..narrow() }, StreamRequest { until: None, ..narrow() }] {
        let caller = world.grant(vec![half]).await;
        assert_eq!(code(world.whole(&caller, "home/messages:timeless", "subject").await), Code::NotFound);
    }
}

async fn a_field_outside_the_grant_is_refused_in_the_same_words_whether_it_exists_or_not(world: World) {
    let caller = narrow_caller(&world).await;
    let refusal = async |id: &str| {
        let error = world.field(&caller, id, "secret").await.unwrap_err();
        error.refusal().unwrap().to_json().to_string()
    };
    let existing = refusal("home/messages:in").await;
    for id in ["home/messages:first", "home/messages:absent", "home/messages:unlisted", "messages:in"] {
        assert_eq!(refusal(id).await, existing, "{id}");
    }
}

async fn a_record_outside_the_grant_is_refused_in_the_same_words_whether_it_exists_or_not(world: World) {
    let caller = narrow_caller(&world).await;
    let refusal = async |id: &str| {
        let error = world.field(&caller, id, "subject").await.unwrap_err();
        error.refusal().unwrap().to_json().to_string()
    };
    for (existing, other) in [
        ("home/messages:unlisted", "home/messages:no-such"),
        ("home/messages:early", "home/messages:no-such"),
        ("home/orders:in", "home/no-such:in"),
        ("work/messages:in", "no-such/messages:in"),
    ] {
        let existing_word = existing.split(['/', ':']).find(|word| !other.contains(word)).unwrap();
        assert_eq!(
            refusal(existing).await.replace(existing_word, "no-such"),
            refusal(other).await,
            "{existing}"
        );
    }
}

async fn a_revoked_grant_ends_every_read_from_the_next_one_on(world: World) {
    vault::fill(&world).await;
    world.fill("home/trees", None, &[line("in", &json!({ "tree": { "leaf": "green" } }))]).await;
    let streams = vec![stream("messages"), stream("trees")];
    let (grant, token) = world.store.create_grant(&request(streams)).await.unwrap();
    let caller = world.store.authenticate(&token).await.unwrap();
    let body = world.field(&caller, "home/messages:in", "body").await.unwrap();
    let leaf = world.field(&caller, "home/trees:in", "/tree/leaf").await.unwrap();
    assert_eq!(world.store.text(&caller, &leaf, leaf.whole()).await.unwrap(), "green");

    assert!(world.store.revoke_grant(&grant.grant_id).await.unwrap());
    world.seen.take();
    assert_eq!(code(world.store.authenticate(&token).await), Code::GrantRevoked);
    assert_eq!(code(world.field(&caller, "home/messages:in", "body").await), Code::GrantRevoked);
    assert_eq!(code(world.field(&caller, "home/messages:in", "nowhere").await), Code::GrantRevoked);
    assert_eq!(code(world.field(&caller, "home/nowhere:in", "body").await), Code::GrantRevoked);
    assert_eq!(code(world.record(&caller, "home/messages:in", None).await), Code::GrantRevoked);
    // What was found before opens no more than what is looked for now, however small the window.
    let q = Query::new("open").unwrap();
    for field in [&body, &leaf] {
        for span in [field.whole(), Span::at(Chars(0), Chars(0)), Span::at(Chars(u64::MAX), Chars(9))] {
            assert_eq!(
                code(world.store.text(&caller, field, span).await),
                Code::GrantRevoked,
                "{:?} {span:?}",
                field.path
            );
        }
        assert_eq!(code(world.store.find(&caller, field, &q, Chars(0)).await), Code::GrantRevoked);
    }
    assert_eq!(world.content_seen().iter().map(|seen| seen.rows).sum::<usize>(), 0);
}

async fn an_expired_grant_ends_every_read(world: World) {
    vault::fill(&world).await;
    let soon = GrantRequest { expires_at: Some(time::now() + 1_500), ..request(vec![stream("messages")]) };
    let (_, token) = world.store.create_grant(&soon).await.unwrap();
    let caller = world.store.authenticate(&token).await.unwrap();
    let field = world.field(&caller, "home/messages:in", "body").await.unwrap();
    let left = soon.expires_at.unwrap() - time::now();
    tokio::time::sleep(Duration::from_millis(left.max(0) as u64 + 5)).await;
    world.seen.take();
    assert_eq!(code(world.store.authenticate(&token).await), Code::GrantExpired);
    assert_eq!(code(world.field(&caller, "home/messages:in", "body").await), Code::GrantExpired);
    assert_eq!(code(world.record(&caller, "home/messages:in", None).await), Code::GrantExpired);
    assert_eq!(code(world.store.text(&caller, &field, field.whole()).await), Code::GrantExpired);
    assert_eq!(world.content_seen().iter().map(|seen| seen.rows).sum::<usize>(), 0);
}

async fn tokens_of_strangers_and_owners_open_nothing(world: World) {
    vault::fill(&world).await;
    let (grant, token) = world.store.create_grant(&request(vec![stream("messages")])).await.unwrap();
    let owner = world.store.create_owner_token(None).await.unwrap();
    assert_eq!(code(world.store.authenticate(&owner).await), Code::OwnerTokenRefused);
    let ended = world.store.create_owner_token(Some(time::now())).await.unwrap();
    assert_eq!(code(world.store.authenticate(&ended).await), Code::InvalidToken);
    let real = token.reveal();
    let upper = real.to_uppercase();
    for stranger in
        ["", "swc_", " ", "\0", "' OR 1=1 --", &grant.grant_id, &real[4..], &format!("{real} "), &upper]
    {
        assert_eq!(
            code(world.store.authenticate(&Token::new(stranger)).await),
            Code::InvalidToken,
            "{stranger:?}"
        );
    }
    world.assert_no_content_was_selected("tokens");
    assert_eq!(world.store.authenticate(&token).await.unwrap().grant(), grant.grant_id);
}

async fn a_field_that_one_caller_found_is_no_key_for_another(world: World) {
    vault::fill(&world).await;
    let wide = world.grant(vec![stream("messages"), stream("orders")]).await;
    let narrow = world.grant(vec![narrow()]).await;
    for (id, path) in [
        ("home/messages:in", "secret"),
        ("home/messages:in", "diary"),
        ("home/messages:in", "/tree/long"),
        ("home/messages:in", "/tree/leaf"),
        ("home/messages:unlisted", "subject"),
        ("work/messages:in", "subject"),
        ("home/orders:in", "subject"),
    ] {
        let field = world.field(&wide, id, path).await.unwrap();
        assert!(world.store.text(&wide, &field, field.whole()).await.unwrap().contains(vault::CANARY));
        world.seen.take();
        let stolen = world.store.text(&narrow, &field, field.whole()).await;
        assert!(stolen.is_err(), "{id} {path}");
        let found = world.store.find(&narrow, &field, &Query::new("c").unwrap(), Chars(0)).await;
        assert!(found.is_err(), "{id} {path}");
        assert_eq!(world.content_seen().iter().map(|seen| seen.rows).sum::<usize>(), 0, "{id} {path}");
    }
}

async fn an_id_in_several_granted_connections_is_ambiguous(world: World) {
    vault::fill(&world).await;
    let target = IngestTarget {
        connection: connection("work"),
        connector: None,
        label: Some("At work".to_owned()),
        stream: StreamName::new("messages").unwrap(),
        manifest: Manifest::default(),
    };
    world.store.ingest(&target).await.unwrap();
    let both = world.grant(vec![fields("messages", &["subject"])]).await;
    world.seen.take();
    let error = world.field(&both, "messages:in", "subject").await.unwrap_err();
    let refusal = error.refusal().unwrap();
    assert_eq!(refusal.code, Code::AmbiguousConnection);
    let listed = json!([{ "connection_id": "home" }, { "connection_id": "work", "display_name": "At work" }]);
    assert_eq!(refusal.extras["available_connections"], listed);
    assert_eq!(refusal.extras["retry_with"], "connection_id");
    assert!(!refusal.extras.contains_key("truncated"));
    assert_eq!(code(world.record(&both, "messages:in", None).await), Code::AmbiguousConnection);
    world.assert_no_content_was_selected("an ambiguous id");
    assert_eq!(world.whole(&both, "home/messages:in", "subject").await.unwrap(), OPEN);
    // Ambiguous only if it really is: what one grant cannot see does not count.
    assert_eq!(world.whole(&both, "messages:first", "subject").await.unwrap(), OPEN);
    let one = world
        .grant(vec![StreamRequest { connections: vec![connection("home")], ..stream("messages") }])
        .await;
    assert_eq!(world.whole(&one, "messages:in", "subject").await.unwrap(), OPEN);
}

async fn an_ambiguity_lists_twelve_connections_and_counts_the_rest(world: World) {
    for number in 0..14 {
        world.fill(&format!("c{number:02}/s"), None, &[line("k", &json!({ "a": number.to_string() }))]).await;
    }
    let of = |count: usize| {
        let connections = (0..count).map(|number| connection(&format!("c{number:02}"))).collect();
        vec![StreamRequest { connections, ..stream("s") }]
    };
    for (count, truncated) in [(12, false), (13, true), (14, true)] {
        let caller = world.grant(of(count)).await;
        let error = world.field(&caller, "s:k", "a").await.unwrap_err();
        let extras = &error.refusal().unwrap().extras;
        assert_eq!(extras["available_connections"].as_array().unwrap().len(), 12);
        assert_eq!(extras["available_connections"][11]["connection_id"], "c11");
        assert_eq!(extras.get("truncated").is_some(), truncated);
        assert_eq!(
            extras.get("available_connections_count").and_then(|n| n.as_u64()),
            truncated.then_some(count as u64)
        );
    }
}

async fn names_with_nul_find_nothing_and_break_nothing(world: World) {
    let caller = narrow_caller(&world).await;
    let at = |connection: Option<&str>, stream: &str, key: &str| RecordRef {
        connection: connection.map(|id| ConnectionId::new(id).unwrap()),
        stream: StreamName::new(stream).unwrap(),
        record: RecordId::new(key).unwrap(),
    };
    let subject = FieldPath::parse("subject").unwrap();
    world.seen.take();
    for (record, expected) in [
        (at(Some("home"), "messages", "in\0"), Code::NotFound),
        (at(None, "messages", "\0"), Code::NotFound),
        (at(Some("home"), "messages\0", "in"), Code::GrantStreamNotAllowed),
        (at(Some("home\0"), "messages", "in"), Code::ConnectionNotFound),
    ] {
        assert_eq!(code(world.store.field(&caller, &record, &subject).await), expected, "{record:?}");
        assert_eq!(code(world.store.record(&caller, &record, None).await), expected, "{record:?}");
    }
    let path = FieldPath::top_level("subject\0");
    let outcome = world.store.field(&caller, &record("home/messages:in"), &path).await;
    assert_eq!(code(outcome), Code::FieldNotGranted);
    let only = ["subject\0".to_owned()];
    assert_eq!(code(world.record(&caller, "home/messages:in", Some(&only)).await), Code::FieldNotGranted);
    world.assert_no_content_was_selected("names with NUL");
}
