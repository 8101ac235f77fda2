//! What the program refuses, in words, in JSON and by its exit code.

use crate::on_both_engines;
use crate::program::{Granted, Ran, Store, block_on, stepwell};
use serde_json::json;

on_both_engines!(
    what_lies_outside_the_grant_ends_with_code_1_and_says_why,
    wrong_words_end_with_code_64,
    an_owner_token_ends_with_code_77,
    no_usable_token_ends_with_code_78,
    selectors_that_contradict_each_other_are_refused,
);

fn filled(store: &Store) -> Granted {
    for (place, keys) in
        [("home/messages", ["m1", "m2"]), ("work/messages", ["m1", "w2"]), ("home/drafts", ["d", "e"])]
    {
        let lines = keys
            .map(|key| json!({ "key": key, "data": { "body": "some text", "secret": "canary", "n": 1 } }));
        store.ingest(place, &lines.map(|line| line.to_string()).join("\n"));
    }
    store.grant(&["--stream", "messages:body,n", "--connection", "home", "--record", "m1"])
}

fn read(store: &Store, grant: &Granted, arguments: &[&str]) -> Ran {
    store.run(&[&["read", "--token-file", &grant.token_file], arguments].concat())
}

fn what_lies_outside_the_grant_ends_with_code_1_and_says_why(store: &Store) {
    let grant = filled(store);
    for (id, field, code) in [
        ("home/messages:m1", "secret", "field_not_granted"),
        ("home/messages:m1", "/secret/x", "field_not_granted"),
        ("home/messages:m1", "n", "field_not_text"),
        ("home/messages:m1", "/body/x", "field_not_found"),
        ("home/messages:m2", "body", "not_found"),
        ("home/drafts:d", "body", "grant_stream_not_allowed"),
        ("work/messages:m1", "body", "connection_not_found"),
        ("nonsense", "body", "invalid_result_id"),
        ("home/messages:m1", "/a~2", "invalid_field_path"),
    ] {
        let ran = read(store, &grant, &[id, field]);
        ran.assert_code(1);
        assert_eq!(ran.text(), "");
        assert!(ran.err.starts_with(&format!("error: {code}: ")), "{}", ran.err);
        let ran = read(store, &grant, &[id, field, "--json"]);
        ran.assert_code(1);
        assert_eq!(ran.json()["error"]["code"], code);
        assert!(!ran.text().contains("canary") && ran.err.is_empty());
    }
    let conflict = read(store, &grant, &["home/messages:m1", "body", "--connection", "work"]);
    conflict.assert_code(1);
    assert!(conflict.err.contains("conflicting_connection_id"));
    read(store, &grant, &["messages:m1", "body", "--connection", "home"]).assert_code(0);
}

fn wrong_words_end_with_code_64(store: &Store) {
    let grant = filled(store);
    for arguments in [
        &["reed"][..],
        &["read", "home/messages:m1"],
        &["read", "home/messages:m1", "body", "--limit", "many"],
        &["ingest", "messages", "-"],
        &["ingest", "--connection", "a/b", "messages", "-"],
        &["grant", "create", "--client", "x"],
        &["grant", "create", "--client", "x", "--stream", "messages:"],
        &["grant", "create", "--client", "x", "--stream", "messages", "--expires", "soon"],
        &["grant", "create", "--client", "x", "--stream", "messages", "--since", "yesterday"],
        &["grant", "list", "--source", "mysql://host/db"],
        // Without a terminal nobody can be asked.
        &["grant", "create", "--client", "x", "--stream", "messages"],
    ] {
        let ran = store.run(arguments);
        assert_eq!(ran.code, Some(64), "{arguments:?}: {ran:?}");
        assert!(ran.err.starts_with("error: "), "{arguments:?}: {}", ran.err);
    }
    assert_eq!(store.run(&["grant", "list", "--json"]).json()["grants"].as_array().unwrap().len(), 1);
    read(store, &grant, &["home/messages:m1", "body"]).assert_code(0);
}

fn an_owner_token_ends_with_code_77(store: &Store) {
    filled(store);
    let token = block_on(async { store.open().await.create_owner_token(None).await.expect("a token") });
    let file = store.file("owner", format!("{}\n", token.reveal()));
    let owner = Granted { id: String::new(), token_file: file };
    let ran = read(store, &owner, &["home/messages:m1", "body"]);
    ran.assert_code(77);
    assert!(ran.err.contains("owner_token_refused") && ran.text().is_empty());
    let ran = read(store, &owner, &["home/messages:m1", "body", "--json"]);
    ran.assert_code(77);
    assert_eq!(ran.json()["error"]["code"], "owner_token_refused");
}

fn no_usable_token_ends_with_code_78(store: &Store) {
    filled(store);
    let arguments = ["read", "home/messages:m1", "body"];
    let without = store.run(&arguments);
    without.assert_code(78);
    assert!(without.err.contains("--token-file") && without.err.contains("STEPWELL_TOKEN"));
    Ran::of(store.command(&arguments).env("STEPWELL_TOKEN", "")).assert_code(78);
    let unknown = Ran::of(store.command(&arguments).env("STEPWELL_TOKEN", "swc_unknown"));
    unknown.assert_code(78);
    assert!(unknown.err.contains("invalid_token"));
    let empty = store.file("empty", "\n");
    store.run(&[&arguments[..], &["--token-file", &empty]].concat()).assert_code(78);
}

fn selectors_that_contradict_each_other_are_refused(store: &Store) {
    let grant = filled(store);
    for selector in [
        &["--limit", "0"][..],
        &["--limit", "16385"],
        &["--offset", "1", "--q", "text"],
        &["--before", "1"],
        &["--cursor", "x", "--offset", "0"],
        &["--q", ""],
    ] {
        let ran = read(store, &grant, &[&["home/messages:m1", "body"], selector].concat());
        ran.assert_code(1);
        assert!(ran.err.contains("invalid_window_selector"), "{selector:?}: {}", ran.err);
    }
}

#[test]
fn a_store_that_does_not_exist_is_not_made_by_reading() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("typo.sqlite");
    let url = format!("sqlite:{}", path.display());
    for arguments in [
        &["grant", "list", "--source", &url][..],
        &["grant", "create", "--client", "x", "--stream", "s", "--yes", "--source", &url],
        &["read", "a/b:c", "d", "--source", &url],
    ] {
        let ran = Ran::of(stepwell(folder.path(), arguments).env("STEPWELL_TOKEN", "swc_x"));
        ran.assert_code(1);
        assert!(ran.err.contains("there is no store at"), "{}", ran.err);
        assert!(!path.exists());
    }
    // The same for the default store, which nobody has made yet.
    let ran = Ran::of(&mut stepwell(folder.path(), &["grant", "list"]));
    ran.assert_code(1);
    assert!(ran.err.contains("there is no store at"), "{}", ran.err);
    assert!(!folder.path().join("data").exists());
}
