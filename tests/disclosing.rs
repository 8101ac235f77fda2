//! `stepwell disclosures`: an owner looks back, and removes what should not be kept.

use crate::on_both_engines;
use crate::program::{Granted, Ran, Store};
use serde_json::{Value, json};

on_both_engines!(
    every_window_that_was_read_is_listed_the_newest_first,
    the_table_stays_in_its_lines_whatever_a_name_says,
    erasing_says_what_it_removes_and_leaves_a_line,
);

fn filled(store: &Store) -> Granted {
    let line = |key: &str| json!({ "key": key, "data": { "body": "héron on the roof" } }).to_string();
    store.ingest("home/messages", &[line("m1"), line("m2")].join("\n"));
    store.grant(&["--stream", "messages"])
}

fn read(store: &Store, grant: &Granted, arguments: &[&str]) -> Ran {
    let ran = store.run(&[&["read", "--token-file", &grant.token_file], arguments].concat());
    ran.assert_code(0);
    ran
}

/// The entries of a list, and its total.
fn listed(store: &Store, arguments: &[&str]) -> (Vec<Value>, Value) {
    let ran = store.run(&[&["disclosures", "--json"], arguments].concat());
    ran.assert_code(0);
    let mut lines = ran.json_lines();
    let total = lines.pop().unwrap();
    assert_eq!(total["type"], "total");
    (lines, total)
}

fn every_window_that_was_read_is_listed_the_newest_first(store: &Store) {
    let (one, two) = (filled(store), store.grant(&["--stream", "messages"]));
    assert_eq!(listed(store, &[]).0.len(), 0);
    assert!(store.run(&["disclosures"]).text().starts_with("nothing was read"));
    read(store, &one, &["home/messages:m1", "body"]);
    read(store, &two, &["home/messages:m2", "body", "--q", "ON THE ROOF", "--before", "1", "--after", "2"]);
    // What is refused is not listed.
    let refused = store.run(&["read", "--token-file", &one.token_file, "home/messages:m1", "none"]);
    refused.assert_code(1);
    let (entries, total) = listed(store, &[]);
    assert_eq!(
        (&total["entries"], &total["bytes"], &total["has_more"]),
        (&json!(2), &json!(30), &json!(false))
    );
    let [newest, oldest] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((&newest["record_id"], &newest["grant_id"]), (&json!("m2"), &json!(two.id)));
    assert_eq!(newest["span"], json!({ "start": 5, "end": 17, "unit": "chars" }));
    assert_eq!((&oldest["record_id"], &oldest["bytes"]), (&json!("m1"), &json!(18)));
    assert_eq!((&oldest["tool"], &oldest["client"]), (&json!("stepwell read"), &json!("a test")));
    assert_eq!((&oldest["field_path"], &oldest["connection_id"]), (&json!("body"), &json!("home")));
    let text = store.run(&["disclosures"]).text().to_owned();
    assert!(!text.contains("roof") && !text.contains("ROOF"), "{text}");
    assert!(text.lines().last().unwrap().contains("2 entries, 30 bytes"), "{text}");
    // Each way of narrowing.
    let count = |arguments: &[&str]| listed(store, arguments).0.len();
    assert_eq!(count(&["--grant", &one.id]), 1);
    assert_eq!(count(&["--record", "home/messages:m2"]), 1);
    assert_eq!(count(&["--record", "messages:m1"]), 1);
    assert_eq!(count(&["--since", "2020-01-01"]), 2);
    assert_eq!(count(&["--until", "2020-01-01"]), 0);
    let (first, total) = listed(store, &["--limit", "1"]);
    assert_eq!((&first[0], &total["has_more"]), (newest, &json!(true)));
    store.run(&["disclosures", "--record", "nonsense"]).assert_code(64);
}

fn the_table_stays_in_its_lines_whatever_a_name_says(store: &Store) {
    filled(store);
    let token_file = store.name("hostile");
    let hostile = "x\n2026-01-01 forged\u{1b}[2J\u{202e}\t";
    let arguments =
        ["grant", "create", "--client", hostile, "--stream", "messages", "--yes", "--token-out", &token_file];
    store.run(&arguments).assert_code(0);
    read(store, &Granted { id: String::new(), token_file }, &["home/messages:m1", "body"]);
    let ran = store.run(&["disclosures"]);
    assert_eq!(ran.text().lines().count(), 3, "{}", ran.text());
    assert!(!ran.text().contains(['\u{1b}', '\u{202e}', '\t']), "{:?}", ran.text());
    assert_eq!(listed(store, &[]).0[0]["client"], hostile, "scripts get it as it is");
}

fn erasing_says_what_it_removes_and_leaves_a_line(store: &Store) {
    let grant = filled(store);
    read(store, &grant, &["home/messages:m1", "body"]);
    read(store, &grant, &["home/messages:m2", "body"]);
    for vague in [&["disclosures", "erase", "--yes"][..], &["disclosures", "--grant", "x", "erase", "--all"]]
    {
        store.run(vague).assert_code(64);
    }
    // Nobody can be asked here.
    store.run(&["disclosures", "erase", "--all"]).assert_code(64);
    assert_eq!(listed(store, &[]).0.len(), 2);
    let ran = store.run(&["disclosures", "erase", "--record", "home/messages:m1", "--yes", "--json"]);
    ran.assert_code(0);
    assert_eq!(ran.json(), json!({ "erased": 1 }));
    let (entries, total) = listed(store, &[]);
    let removed: Vec<_> = entries.iter().filter(|entry| entry["type"] == "removed").collect();
    assert_eq!((removed.len(), entries.len(), &total["entries"]), (1, 2, &json!(1)));
    assert_eq!((&removed[0]["entries"], &removed[0]["bytes"]), (&json!(1), &json!(18)));
    assert_eq!(removed[0]["reason"], "owner");
    assert!(removed[0]["removed_at"].is_string() && removed[0]["first_at"] == removed[0]["last_at"]);
    assert!(!removed[0].to_string().contains("m1"), "a tombstone names no record");
    let text = store.run(&["disclosures", "--until", "2100-01-01"]);
    assert!(
        text.text().contains("1 entries, 18 bytes") && text.text().contains("by the owner"),
        "{}",
        text.text()
    );
    store.run(&["disclosures", "erase", "--all", "--yes"]).assert_code(0);
    assert!(store.run(&["disclosures"]).text().contains("0 entries, 0 bytes"));
}

/// What `serve` does when it starts.
#[test]
fn a_server_removes_what_is_too_old_when_it_starts() {
    let store = Store::sqlite();
    let grant = filled(&store);
    read(&store, &grant, &["home/messages:m1", "body"]);
    let path = store.url.strip_prefix("sqlite:").unwrap().to_owned();
    let age = "UPDATE disclosure SET at = at - 3 * 86400000";
    rusqlite::Connection::open(path).unwrap().execute_batch(age).unwrap();
    read(&store, &grant, &["home/messages:m2", "body"]);
    let config = store.file("plugins.toml", "[ledger]\nkeep_days = 2\n");
    let mut command = store.command(&["serve", "--http", "0", "--config", &config]);
    crate::mcp::world::with_cache(&mut command);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let _server = crate::mcp::world::Running(command.spawn().unwrap());
    for _ in 0..600 {
        let (entries, _) = listed(&store, &[]);
        if let Some(removed) = entries.iter().find(|entry| entry["type"] == "removed") {
            assert_eq!((&removed["reason"], &removed["entries"]), (&json!("age"), &json!(1)));
            assert_eq!(entries.len(), 2);
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("nothing was removed");
}

#[test]
fn a_refused_ledger_is_told_with_its_code() {
    let store = Store::sqlite();
    let grant = filled(&store);
    let path = store.url.strip_prefix("sqlite:").unwrap().to_owned();
    // Where a file should be in which entries wait, something else is.
    std::fs::create_dir(format!("{path}-pending")).unwrap();
    let arguments = ["read", "--json", "--token-file", &grant.token_file, "home/messages:m1", "body"];
    let refused = store.run(&arguments);
    refused.assert_code(1);
    assert_eq!(refused.json()["error"]["code"], "ledger_unavailable");
    assert!(!refused.text().contains("roof") && !refused.err.contains("roof"), "{refused:?}");
}
