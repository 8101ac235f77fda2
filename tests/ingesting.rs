//! `stepwell ingest`: what goes in, what is left out and why.

use crate::on_both_engines;
use crate::program::Store;
use serde_json::{Value, json};

on_both_engines!(
    a_bad_line_is_reported_with_its_number_and_the_others_are_stored,
    json_reports_each_rejection_and_what_is_safe,
    strict_ends_with_code_1_and_still_stores_the_good_lines,
    importing_the_same_again_changes_nothing,
    a_changed_record_replaces_the_old_one,
    lines_may_come_from_standard_input,
    a_manifest_settles_keys_and_must_be_the_streams_own,
    append_only_records_are_left_as_they_are_and_can_be_deleted,
);

const INGEST: [&str; 4] = ["ingest", "--connection", "home", "messages"];

/// Seven lines: the first and the last are good, one is blank, and each other breaks a rule of its own.
fn mixed() -> Vec<u8> {
    [
        br#"{"key":"m1","data":{"body":"first"}}"#.as_slice(),
        br#"{"key":"m2","data":{"body":"cut"#,
        b"  ",
        br#"{"key":"a/b","data":{"body":"x"}}"#,
        br#"{"key":"m5","data":{"body":"\ud83d alone"}}"#,
        b"{\"key\":\"m6\",\"data\":{\"body\":\"\xff canary\"}}",
        br#"{"key":"m7","data":{"body":"last"}}"#,
    ]
    .join(&b'\n')
}

const REJECTED: [(u64, &str); 4] =
    [(2, "malformed_ndjson"), (4, "unsafe_key"), (5, "lone_surrogate"), (6, "invalid_utf8")];

fn assert_the_good_lines_are_there(store: &Store) {
    let token = store.grant(&["--stream", "messages"]).token_file;
    let read =
        |key: &str| store.run(&["read", "--token-file", &token, &format!("home/messages:{key}"), "body"]);
    assert_eq!(read("m1").text(), "first");
    assert_eq!(read("m7").text(), "last");
    for key in ["m2", "m5", "m6"] {
        read(key).assert_code(1);
    }
}

fn a_bad_line_is_reported_with_its_number_and_the_others_are_stored(store: &Store) {
    let file = store.file("mixed.ndjson", mixed());
    let ran = store.run(&[&INGEST[..], &[&file]].concat());
    ran.assert_code(0);
    let report = "no manifest, so types are inferred: body text\ndone: 2 added, 0 changed, 0 unchanged, 0 deleted, 4 left out\n";
    assert_eq!(ran.text(), report);
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!(lines.len(), REJECTED.len(), "{}", ran.err);
    for (said, (number, code)) in lines.iter().zip(REJECTED) {
        assert!(said.starts_with(&format!("line {number} left out: {code}: ")), "{said}");
    }
    assert!(!ran.err.contains("canary"), "a report quotes no record");
    assert_the_good_lines_are_there(store);
}

fn json_reports_each_rejection_and_what_is_safe(store: &Store) {
    let file = store.file("mixed.ndjson", mixed());
    let ran = store.run(&[&INGEST[..], &[&file, "--json"]].concat());
    ran.assert_code(0);
    assert_eq!(ran.err, "");
    let events = ran.json_lines();
    let of = |kind: &str| -> Vec<&Value> { events.iter().filter(|event| event["event"] == kind).collect() };
    let rejected: Vec<(u64, &str)> = of("rejected")
        .into_iter()
        .map(|event| (event["line"].as_u64().unwrap(), event["code"].as_str().unwrap()))
        .collect();
    assert_eq!(rejected, REJECTED);
    assert!(
        of("rejected").iter().all(|event| event["reason"].as_str().is_some_and(|reason| !reason.is_empty()))
    );
    assert_eq!(of("stored"), [&json!({ "event": "stored", "through_line": 7, "records": 2 })]);
    assert_eq!(of("inferred"), [&json!({ "event": "inferred", "fields": { "body": ["text"] } })]);
    let done =
        json!({ "event": "done", "added": 2, "changed": 0, "unchanged": 0, "deleted": 0, "rejected": 4 });
    assert_eq!(events.last(), Some(&done));
}

fn strict_ends_with_code_1_and_still_stores_the_good_lines(store: &Store) {
    let file = store.file("mixed.ndjson", mixed());
    let ran = store.run(&[&INGEST[..], &[&file, "--strict"]].concat());
    ran.assert_code(1);
    assert!(ran.err.ends_with("error: 4 lines were left out\n"), "{}", ran.err);
    assert_the_good_lines_are_there(store);
}

fn importing_the_same_again_changes_nothing(store: &Store) {
    let lines: String = (0..50)
        .map(|n| {
            format!(
                "{}\n",
                json!({ "key": format!("m{n}"), "data": { "body": "long ".repeat(n * 50), "n": n } })
            )
        })
        .collect();
    let file = store.file("lines.ndjson", lines);
    let done = || store.run(&[&INGEST[..], &[&file, "--json"]].concat()).json_lines().pop().unwrap();
    assert_eq!(done()["added"], 50);
    let again =
        json!({ "event": "done", "added": 0, "changed": 0, "unchanged": 50, "deleted": 0, "rejected": 0 });
    assert_eq!(done(), again);
}

fn a_changed_record_replaces_the_old_one(store: &Store) {
    let body = |text: &str| json!({ "key": "m1", "data": { "body": text, "kept": "k" } }).to_string();
    store.ingest("home/messages", &body(&"old text ".repeat(2_000)));
    let token = store.grant(&["--stream", "messages"]).token_file;
    let read = |arguments: &[&str]| {
        store
            .run(
                &[&["read", "--json", "--token-file", &token, "home/messages:m1", "body"], arguments]
                    .concat(),
            )
            .json()
    };
    let cursor = read(&[])["window"]["next_cursor"].as_str().unwrap().to_owned();
    // Twice in one file: the later line counts.
    store.ingest("home/messages", &format!("{}\n{}", body("in between"), body("new")));
    assert_eq!(read(&[])["window"]["text"], "new");
    let stale = read(&["--cursor", &cursor]);
    assert_eq!(stale["error"]["code"], "stale_cursor");
    assert_eq!(stale["error"]["restart_offset_chars"], 4_096);
}

fn lines_may_come_from_standard_input(store: &Store) {
    let ran = store.run_with_input(&[&INGEST[..], &["-"]].concat(), &mixed());
    ran.assert_code(0);
    assert_the_good_lines_are_there(store);
    let nothing = store.run_with_input(&[&INGEST[..], &["-", "--json"]].concat(), b"");
    nothing.assert_code(0);
    assert_eq!(nothing.json()["added"], 0);
    let missing = store.run(&[&INGEST[..], &[&store.name("no such file")]].concat());
    missing.assert_code(1);
    assert!(missing.err.contains("cannot read"), "{}", missing.err);
}

fn a_manifest_settles_keys_and_must_be_the_streams_own(store: &Store) {
    let manifest = store.file("m.json", r#"{"name":"messages","primary_key":["id"]}"#);
    let lines = [r#"{"data":{"id":"k1","body":"x"}}"#, r#"{"key":"k2","data":{"id":"other"}}"#].join("\n");
    let file = store.file("lines.ndjson", lines);
    let ran = store.run(&[&INGEST[..], &[&file, "--manifest", &manifest, "--json"]].concat());
    ran.assert_code(0);
    assert_eq!(ran.json_lines()[0]["code"], "invalid_record_identity");
    assert_eq!(ran.json_lines().last().unwrap()["added"], 1);
    assert!(
        ran.json_lines().iter().all(|event| event["event"] != "inferred"),
        "the manifest says what there is"
    );
    let wrong = store.run(&["ingest", "--connection", "home", "drafts", &file, "--manifest", &manifest]);
    wrong.assert_code(1);
    assert!(wrong.err.contains("describes the stream \"messages\", not \"drafts\""), "{}", wrong.err);
}

fn append_only_records_are_left_as_they_are_and_can_be_deleted(store: &Store) {
    let manifest = store.file("m.json", r#"{"semantics":"append_only"}"#);
    let line = |key: &str, body: &str| json!({ "key": key, "data": { "body": body } }).to_string();
    let run = |lines: &[String]| {
        let file = store.file("lines.ndjson", lines.join("\n"));
        store.run(&[&INGEST[..], &[&file, "--manifest", &manifest]].concat())
    };
    run(&[line("a", "one"), line("b", "one")]).assert_code(0);
    let ran = run(&[line("a", "one"), line("c", "new"), line("b", "two")]);
    assert_eq!(ran.text(), "done: 1 added, 0 changed, 1 unchanged, 0 deleted, 1 left out\n");
    assert!(ran.err.starts_with("line 3 left out: append_only: "), "{}", ran.err);
    let ran = run(&[json!({ "key": "b", "deleted": true }).to_string(), line("b", "two")]);
    assert_eq!(ran.text(), "done: 1 added, 0 changed, 0 unchanged, 1 deleted, 0 left out\n");
    let token = store.grant(&["--stream", "messages"]).token_file;
    let read = store.run(&["read", "--token-file", &token, "home/messages:b", "body"]);
    assert_eq!(read.text(), "two");
    let wrong = store.file("w.json", r#"{"views":[{"id":"v","fields":"all"}]}"#);
    let file = store.file("lines.ndjson", line("d", "x"));
    let ran = store.run(&[&INGEST[..], &[&file, "--manifest", &wrong]].concat());
    ran.assert_code(1);
    assert!(ran.err.contains("the manifest's \"views[0].fields\" must be a list of names"), "{}", ran.err);
}
