//! `stepwell grant`: made once, shown as it is, ended at once.

use crate::on_both_engines;
use crate::program::Store;
use serde_json::json;

on_both_engines!(
    a_grant_prints_its_token_once_and_says_what_it_discloses,
    a_token_file_is_new_and_private,
    grants_are_listed_and_shown_and_a_revoked_one_stops_working,
    a_grant_covers_what_is_there_now_and_does_not_grow,
    a_time_range_and_an_end_are_kept,
    what_does_not_exist_cannot_be_granted,
);

fn filled(store: &Store) {
    let line =
        json!({ "key": "m1", "data": { "body": "some text", "subject": "s" }, "emitted_at": "2026-01-05" });
    store.ingest("home/messages", &line.to_string());
    store.ingest("work/messages", &line.to_string());
}

fn a_grant_prints_its_token_once_and_says_what_it_discloses(store: &Store) {
    filled(store);
    let made = store.run(&["grant", "create", "--client", "Claude", "--stream", "messages:body", "--yes"]);
    made.assert_code(0);
    let said = made.text();
    for part in [
        "Claude may read:",
        "messages of home: body",
        "messages of work: body",
        "until you revoke it",
        "made grt_",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let token = said.lines().find(|line| line.starts_with("swc_")).expect("a token");
    assert_eq!(token.len(), 47);
    let json = store
        .run(&["grant", "create", "--client", "Claude", "--stream", "messages", "--yes", "--json"])
        .json();
    assert!(json["token"].as_str().unwrap().starts_with("swc_"));
    assert_eq!(json["streams"][0]["fields"], json!(["body", "subject"]));
    assert_eq!(json["state"], "active");
    let listed = [store.run(&["grant", "list"]), store.run(&["grant", "list", "--json"])];
    assert!(listed.iter().all(|ran| !ran.text().contains("swc_")));
}

fn a_token_file_is_new_and_private(store: &Store) {
    filled(store);
    let grant = store.grant(&["--stream", "messages:body", "--connection", "home"]);
    let token = std::fs::read_to_string(&grant.token_file).unwrap();
    assert!(token.starts_with("swc_") && token.ends_with('\n'));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&grant.token_file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // An existing file is never written to, and then no grant is made either.
    let base = ["grant", "create", "--client", "x", "--stream", "messages", "--yes", "--token-out"];
    let again = store.run(&[&base[..], &[&grant.token_file]].concat());
    again.assert_code(1);
    assert_eq!(std::fs::read_to_string(&grant.token_file).unwrap(), token);
    assert_eq!(store.run(&["grant", "list", "--json"]).json()["grants"].as_array().unwrap().len(), 1);
    // With a file, the token stands nowhere else.
    let file = store.name("another");
    let made = store.run(&[&base[..], &[&file]].concat());
    made.assert_code(0);
    assert!(!made.text().contains("swc_") && !made.err.contains("swc_"));
}

fn grants_are_listed_and_shown_and_a_revoked_one_stops_working(store: &Store) {
    filled(store);
    assert!(store.run(&["grant", "list"]).text().contains("no grants yet"));
    let [one, two] = ["home", "work"].map(|id| store.grant(&["--stream", "messages", "--connection", id]));
    let listed = store.run(&["grant", "list"]);
    assert_eq!(listed.text().lines().count(), 2);
    assert!(listed.text().contains(&one.id) && listed.text().contains(&two.id));
    let shown = store.run(&["grant", "show", &one.id]);
    assert!(shown.text().contains("messages of home: body, subject"), "{}", shown.text());
    assert!(!shown.text().contains("work"));

    let read = |token: &str| store.run(&["read", "--token-file", token, "messages:m1", "body"]);
    read(&one.token_file).assert_code(0);
    let revoked = store.run(&["grant", "revoke", &one.id]);
    revoked.assert_code(0);
    assert_eq!(revoked.text(), "revoked\n");
    let refused = read(&one.token_file);
    assert!(refused.err.contains("grant_revoked"), "{}", refused.err);
    assert_ne!(refused.code, Some(0));
    read(&two.token_file).assert_code(0);
    let again = store.run(&["grant", "revoke", &one.id, "--json"]).json();
    assert_eq!(again, json!({ "grant_id": one.id, "revoked": true, "already": true }));
    let state = store.run(&["grant", "show", &one.id, "--json"]).json();
    assert_eq!(state["state"], "revoked");
    assert!(state["revoked_at"].is_string());
    for verb in ["show", "revoke"] {
        let unknown = store.run(&["grant", verb, "grt_none"]);
        unknown.assert_code(1);
        assert!(unknown.err.contains("there is no grant \"grt_none\""), "{}", unknown.err);
    }
}

fn a_grant_covers_what_is_there_now_and_does_not_grow(store: &Store) {
    filled(store);
    let grant = store.grant(&["--stream", "messages"]);
    let line =
        json!({ "key": "m1", "data": { "body": "b", "later": "a field that came later" } }).to_string();
    for place in ["home/messages", "third/messages"] {
        store.ingest(place, &line);
    }
    let code = |id: &str, field: &str| {
        let ran = store.run(&["read", "--json", "--token-file", &grant.token_file, id, field]);
        ran.json()["error"]["code"].as_str().map(str::to_owned)
    };
    assert_eq!(code("home/messages:m1", "body"), None);
    assert_eq!(code("home/messages:m1", "later").as_deref(), Some("field_not_granted"));
    assert_eq!(code("third/messages:m1", "body").as_deref(), Some("connection_not_found"));
}

fn a_time_range_and_an_end_are_kept(store: &Store) {
    filled(store);
    let range = ["--since", "2026-01-01", "--until", "2026-01-05"];
    let grant = store.grant(
        &[&["--stream", "messages", "--connection", "home", "--expires", "2099-01-01"], &range[..]].concat(),
    );
    let shown = store.run(&["grant", "show", &grant.id, "--json"]).json();
    assert_eq!(shown["expires_at"], "2099-01-01T00:00:00Z");
    let constraint = &shown["streams"][0]["time_constraint"];
    assert_eq!(constraint["field"], "emitted_at");
    assert_eq!(
        (&constraint["since"], &constraint["until"]),
        (&json!("2026-01-01T00:00:00Z"), &json!("2026-01-05T00:00:00Z"))
    );
    let ran = store.run(&["read", "--token-file", &grant.token_file, "home/messages:m1", "body"]);
    ran.assert_code(1);
    assert!(ran.err.contains("not_found"), "the end of a range does not belong to it: {}", ran.err);

    let past = store.grant(&["--stream", "messages", "--expires", "2020-01-01"]);
    let ran = store.run(&["read", "--token-file", &past.token_file, "home/messages:m1", "body"]);
    assert_ne!(ran.code, Some(0));
    assert!(ran.err.contains("grant_expired"), "{}", ran.err);
}

fn what_does_not_exist_cannot_be_granted(store: &Store) {
    filled(store);
    for (arguments, said) in [
        (&["--stream", "orders"][..], "no connection has a stream \"orders\"; there are: messages"),
        (&["--stream", "messages:nope"], "has no field \"nope\"; it has: body, subject"),
        (
            &["--stream", "messages", "--connection", "car"],
            "\"car\" has no stream \"messages\"; these have: home, work",
        ),
        (&["--stream", "messages", "--stream", "messages:body"], "named twice"),
        (&["--stream", "messages", "--since", "2026-02-01", "--until", "2026-01-01"], "time range"),
    ] {
        let ran = store.run(&[&["grant", "create", "--client", "x", "--yes"], arguments].concat());
        ran.assert_code(1);
        assert!(ran.err.contains(said), "{arguments:?}: {}", ran.err);
    }
    assert!(store.run(&["grant", "list"]).text().contains("no grants yet"));
}
