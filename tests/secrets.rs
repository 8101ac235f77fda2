//! No output ever holds a token or a password.

use crate::on_both_engines;
use crate::program::{Ran, Store, stepwell};
use serde_json::json;
use std::process::Command;

on_both_engines!(a_token_never_appears_in_any_output);

fn assert_silent(ran: &Ran, secret: &str) {
    let out = String::from_utf8_lossy(&ran.out);
    assert!(!out.contains(secret) && !ran.err.contains(secret), "{ran:?}");
}

fn a_token_never_appears_in_any_output(store: &Store) {
    store.ingest("home/messages", &json!({ "key": "m1", "data": { "body": "b" } }).to_string());
    let grant = store.grant(&["--stream", "messages"]);
    let token = std::fs::read_to_string(&grant.token_file).unwrap().trim().to_owned();
    for arguments in [
        &["read", "home/messages:m1", "body"][..],
        &["read", "home/messages:m1", "none"],
        &["read", "nonsense", "body"],
        &["read", "--help"],
        &["read", "home/messages:m1"],
        &["read", "home/messages:m1", "body", "--source", "sqlite:/nowhere/store"],
        &["grant", "list"],
        &["grant", "revoke", &grant.id],
        &["read", "home/messages:m1", "body"],
    ] {
        for json in [&[][..], &["--json"]] {
            let ran = Ran::of(store.command(&[arguments, json].concat()).env("STEPWELL_TOKEN", &token));
            assert_silent(&ran, &token);
        }
    }
    // A token that nobody knows is not repeated either.
    let ran =
        Ran::of(store.command(&["read", "home/messages:m1", "body"]).env("STEPWELL_TOKEN", "swc_mistyped"));
    assert_silent(&ran, "swc_mistyped");
}

#[test]
fn a_password_in_an_address_never_appears_in_any_output() {
    let folder = tempfile::tempdir().unwrap();
    for url in [
        "postgres://me:hunter2@127.0.0.1:1/db",
        "postgresql://me:hunter2@127.0.0.1:1/db?sslmode=disable",
        "postgres://me@127.0.0.1:1/db?password=hunter2",
        "postgres://me@127.0.0.1:1/db?password=x@hunter2",
        "postgres://me:x@hunter2@127.0.0.1:1/db",
        "postgres://me:hunter2@127.0.0.1:port/db",
        "postgres://me@127.0.0.1:1/db?password=x&hunter2=y",
        "postgres:me:hunter2@127.0.0.1/db",
        "mysql://me:hunter2@127.0.0.1/db",
        "me:hunter2@127.0.0.1/db",
    ] {
        let ingest = ["ingest", "--connection", "c", "s", "-"];
        for verb in [&["grant", "list"][..], &["read", "a/b:c", "d"], &ingest, &["serve"]] {
            for json in [&[][..], &["--json"]] {
                let arguments = [verb, json].concat();
                let check = |command: &mut Command| {
                    let ran = Ran::of(command.env("STEPWELL_TOKEN", "swc_x"));
                    assert_ne!(ran.code, Some(0), "{url}");
                    assert_silent(&ran, "hunter2");
                };
                check(stepwell(folder.path(), &arguments).env("STEPWELL_SOURCE", url));
                check(&mut stepwell(folder.path(), &[&arguments[..], &["--source", url]].concat()));
            }
        }
        let help = Ran::of(stepwell(folder.path(), &["read", "--help"]).env("STEPWELL_SOURCE", url));
        help.assert_code(0);
        assert_silent(&help, "hunter2");
    }
}
