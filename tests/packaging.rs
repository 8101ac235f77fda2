//! `stepwell grant package`, `grant token`, `owner token` and grants as JSON.

use crate::on_both_engines;
use crate::program::Store;
use serde_json::{Value, json};

on_both_engines!(
    a_package_reads_for_all_of_its_grants_until_they_end,
    a_token_is_rotated_listed_and_ended,
    a_single_use_grant_is_consumed_by_its_token,
    a_grant_is_made_from_json_and_printed_as_json,
    an_owner_has_tokens_of_their_own,
);

fn filled(store: &Store) {
    let line = |body: &str| {
        json!({ "key": "m1", "data": { "body": body, "subject": "s" }, "emitted_at": "2026-01-05" })
            .to_string()
    };
    store.ingest("home/messages", &line("at home"));
    store.ingest("work/messages", &line("at work"));
}

fn granted(store: &Store, connection: &str, more: &[&str]) -> String {
    let base =
        ["grant", "create", "--client", "Claude", "--stream", "messages", "--yes", "--json", "--no-token"];
    let made = store.run(&[&base[..], &["--connection", connection], more].concat()).json();
    assert_eq!(made.get("token"), None);
    made["grant_id"].as_str().unwrap().to_owned()
}

/// Reads a field with a token, and gives what was printed on either side.
fn read(store: &Store, token: &str, id: &str) -> String {
    let ran = store.run(&["read", "--token-file", &store.file("token", token), id, "body"]);
    format!("{}{}", ran.text(), ran.err)
}

fn a_package_reads_for_all_of_its_grants_until_they_end(store: &Store) {
    filled(store);
    let (home, work) = (granted(store, "home", &[]), granted(store, "work", &[]));
    let overlapping = granted(store, "home", &[]);
    let refused = store.run(&["grant", "package", "--client", "x", &home, &overlapping]);
    refused.assert_code(1);
    assert!(refused.err.contains("both cover the stream \"messages\" of \"home\""), "{}", refused.err);
    let made = store.run(&["grant", "package", "--client", "Claude", &home, &work, "--json"]).json();
    let (package, token) = (made["package_id"].as_str().unwrap(), made["token"].as_str().unwrap());
    assert!(package.starts_with("pkg_") && token.starts_with("swp_"));
    assert!(read(store, token, "home/messages:m1").contains("at home"));
    assert!(read(store, token, "work/messages:m1").contains("at work"));
    assert!(read(store, token, "messages:m1").contains("ambiguous_connection"));
    let listed = store.run(&["grant", "list"]);
    assert!(listed.text().contains(&format!("{package}  Claude")) && !listed.text().contains("swp_"));
    let shown = store.run(&["grant", "show", package]);
    assert!(shown.text().contains("messages of home") && shown.text().contains("messages of work"));
    assert_eq!(store.run(&["grant", "show", &home, "--json"]).json()["packages"], json!([package]));

    store.run(&["grant", "revoke", &work]).assert_code(0);
    assert!(read(store, token, "messages:m1").contains("at home"), "the other grant goes on");
    assert!(read(store, token, "work/messages:m1").contains("connection_not_found"));
    let revoked = store.run(&["grant", "revoke", package, "--json"]).json();
    assert_eq!(revoked, json!({ "package_id": package, "revoked": true, "already": false }));
    assert!(read(store, token, "home/messages:m1").contains("grant_revoked"));
    assert_eq!(store.run(&["grant", "show", &home, "--json"]).json()["state"], "active");
    // Every read stands in the ledger under the grant that covers the record.
    let entries =
        |grant: &str| store.run(&["disclosures", "--grant", grant, "--json"]).json_lines().len() - 1;
    assert_eq!((entries(&home), entries(&work), entries(package)), (2, 1, 0));
}

fn a_token_is_rotated_listed_and_ended(store: &Store) {
    filled(store);
    let grant = granted(store, "home", &[]);
    let issue = |more: &[&str]| -> Value {
        store.run(&[&["grant", "token", "create", &grant, "--json"], more].concat()).json()
    };
    let (one, two) = (issue(&[]), issue(&["--rotate", "--grace", "1h"]));
    let token = |issued: &Value| issued["token"].as_str().unwrap().to_owned();
    for good in [&one, &two] {
        assert!(read(store, &token(good), "messages:m1").contains("at home"));
    }
    let three = issue(&["--rotate"]);
    for ended in [&one, &two] {
        assert!(read(store, &token(ended), "messages:m1").contains("invalid_token"));
    }
    let listed = store.run(&["grant", "token", "list", &grant, "--json"]);
    let states: Vec<&str> = ["expired", "expired", "active"].to_vec();
    let json = listed.json();
    let found: Vec<&str> =
        json["tokens"].as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap()).collect();
    assert_eq!(found, states);
    assert!(!listed.text().contains("swc_"));
    let name = three["name"].as_str().unwrap();
    assert_eq!(store.run(&["grant", "token", "revoke", name]).text(), "revoked\n");
    assert_eq!(store.run(&["grant", "token", "revoke", name]).text(), "was revoked already\n");
    assert!(read(store, &token(&three), "messages:m1").contains("invalid_token"));
    assert!(store.run(&["grant", "token", "list"]).text().contains(name));
    let file = store.name("rotated");
    let made = store.run(&["grant", "token", "create", &grant, "--token-out", &file]);
    made.assert_code(0);
    assert!(!made.text().contains("swc_"));
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("swc_"));
    store.run(&["grant", "token", "create", &grant, "--grace", "1h"]).assert_code(64);
    store.run(&["grant", "token", "create", "grt_nope"]).assert_code(1);
}

fn a_single_use_grant_is_consumed_by_its_token(store: &Store) {
    filled(store);
    let base = [
        "grant",
        "create",
        "--client",
        "x",
        "--stream",
        "messages",
        "--connection",
        "home",
        "--yes",
        "--json",
    ];
    let made = store.run(&[&base[..], &["--single-use"]].concat()).json();
    let (grant, token) = (made["grant_id"].as_str().unwrap(), made["token"].as_str().unwrap());
    assert!(read(store, token, "messages:m1").contains("at home"));
    let file = store.name("refused");
    let refused = store.run(&["grant", "token", "create", grant, "--token-out", &file]);
    refused.assert_code(1);
    assert!(!std::path::Path::new(&file).exists(), "no file is left for a token that was not made");
    assert!(refused.err.contains("grant_consumed"), "{}", refused.err);
    let shown = store.run(&["grant", "show", grant, "--json"]).json();
    assert_eq!(shown["access_mode"], "single_use");
    assert!(shown["consumed_at"].is_string());
    assert!(store.run(&["grant", "show", grant]).text().contains("single use"));
}

fn a_grant_is_made_from_json_and_printed_as_json(store: &Store) {
    filled(store);
    let request = json!({
        "type": "https://pdpp.dev/data-access", "source": { "id": "https://example.org/mail.json", "kind": "connector" },
        "purpose_code": "research", "purpose_description": "a report", "access_mode": "continuous",
        "retention": { "max_days": 30 }, "expires_at": "2036-01-01T00:00:00Z",
        "streams": [{ "name": "messages", "instance_ids": ["work"], "fields": ["body"],
                      "time_range": { "since": "2026-01-01", "until": null }, "resources": ["m1"] }],
    });
    let file = store.file("request.json", request.to_string());
    let made =
        store.run(&["grant", "create", "--from", &file, "--client", "Claude", "--yes", "--json"]).json();
    assert!(read(store, made["token"].as_str().unwrap(), "messages:m1").contains("at work"));
    let printed = store.run(&["grant", "show", made["grant_id"].as_str().unwrap(), "--json"]);
    // What was printed makes the same grant again, in all but what is its own.
    let again = store
        .run_with_input(&["grant", "create", "--from", "-", "--yes", "--json"], printed.text().as_bytes())
        .json();
    let without = |value: &Value| {
        let mut value = value.clone();
        for own in ["grant_id", "issued_at", "token", "packages"] {
            value.as_object_mut().unwrap().remove(own);
        }
        value
    };
    assert_eq!(without(&again), without(&printed.json()));
    let expected = json!({
        "version": "0.1.0", "state": "active", "access_mode": "continuous", "client": { "client_id": "Claude" },
        "subject": { "id": "owner" }, "purpose_code": "research", "purpose_description": "a report",
        "retention": { "max_days": 30 }, "source": { "id": "https://example.org/mail.json", "kind": "connector" },
        "expires_at": "2036-01-01T00:00:00Z", "revoked_at": null,
        "streams": [{ "name": "messages", "instance_ids": ["work"], "fields": ["body"], "resources": ["m1"],
                      "time_constraint": { "field": "emitted_at", "since": "2026-01-01T00:00:00Z", "until": null } }],
    });
    assert_eq!(without(&again), expected);
    let all = store.file("all.json", r#"{"client":"x","streams":[{"name":"*"}]}"#);
    let everything = store.run(&["grant", "create", "--from", &all, "--yes", "--json"]).json();
    assert_eq!(everything["streams"].as_array().unwrap().len(), 2);
    for (wrong, said) in [
        (r#"{"client":"x","streams":[{"name":"messages","filter":{}}]}"#, "streams[0].filter"),
        (r#"{"client":"x","streams":[{"name":"messages","view":"short"}]}"#, "declares no view \"short\""),
        (r#"{"streams":[{"name":"messages"}]}"#, "--client"),
        ("{", "no JSON"),
    ] {
        let refused = store.run(&["grant", "create", "--from", &store.file("wrong.json", wrong), "--yes"]);
        refused.assert_code(1);
        assert!(refused.err.contains(said), "{said}: {}", refused.err);
    }
    store.run(&["grant", "create", "--from", &file, "--stream", "messages"]).assert_code(64);
}

fn an_owner_has_tokens_of_their_own(store: &Store) {
    filled(store);
    assert!(store.run(&["owner", "token", "list"]).text().contains("no owner tokens"));
    let made = store.run(&["owner", "token", "create", "--label", "importer", "--json"]).json();
    let token = made["token"].as_str().unwrap();
    assert!(token.starts_with("swo_"));
    assert!(read(store, token, "messages:m1").contains("owner_token_refused"));
    let listed = store.run(&["owner", "token", "list"]);
    assert!(listed.text().contains("importer") && !listed.text().contains("swo_"), "{}", listed.text());
    assert!(!store.run(&["grant", "token", "list"]).text().contains("importer"));
    let name = made["name"].as_str().unwrap();
    assert_eq!(store.run(&["owner", "token", "revoke", name]).text(), "revoked\n");
    assert!(read(store, token, "messages:m1").contains("invalid_token"));
}
