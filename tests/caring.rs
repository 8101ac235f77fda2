//! `stepwell store`: an owner looks after a store.

use crate::on_both_engines;
use crate::program::{Store, block_on};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::Duration;

on_both_engines!(
    a_sound_store_is_called_sound_and_a_damaged_one_is_not,
    a_store_is_measured_and_vacuumed,
    a_backup_comes_back,
    a_copy_that_is_killed_goes_on,
);

fn filled(store: &Store) {
    let long: String = (0..2_000).map(|word| format!("word{word} ")).collect();
    let line =
        |number: usize| json!({ "key": format!("m{number}"), "data": { "title": "héron", "body": long } });
    let lines: Vec<String> = (0..40).map(|number| line(number).to_string()).collect();
    store.ingest("home/messages", &lines.join("\n"));
}

/// Changes a store behind its own back.
pub(crate) fn damage(store: &Store, sql: &str) {
    match store.url.strip_prefix("sqlite:") {
        Some(path) => rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap(),
        None => block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&store.url, tokio_postgres::NoTls).await.unwrap();
            let connection = tokio::spawn(connection);
            client.batch_execute(&format!("SET search_path TO stepwell; {sql}")).await.unwrap();
            drop(client);
            let _ = connection.await;
        }),
    }
}

/// The last line that a command printed for scripts.
fn last(lines: &[Value], event: &str) -> Value {
    lines.iter().rfind(|line| line["event"] == event).unwrap_or_else(|| panic!("{event}: {lines:?}")).clone()
}

fn a_sound_store_is_called_sound_and_a_damaged_one_is_not(store: &Store) {
    filled(store);
    let sound = store.run(&["store", "check"]);
    sound.assert_code(0);
    assert!(sound.text().starts_with("sound: 40 records, 80 fields"), "{}", sound.text());
    assert_eq!(sound.err, "");
    damage(
        store,
        "UPDATE field SET inline = UPPER(inline) WHERE pointer = '/title' AND rec = (SELECT id FROM record WHERE rid = 'm7')",
    );
    let ran = store.run(&["store", "check"]);
    ran.assert_code(1);
    assert!(ran.text().starts_with("field_digest home/messages:m7 /title: "), "{}", ran.text());
    assert!(ran.err.contains("the store has a problem"), "{}", ran.err);
    let ran = store.run(&["store", "check", "--json"]);
    ran.assert_code(1);
    let lines = ran.json_lines();
    let problem = last(&lines, "problem");
    assert_eq!(
        (&problem["code"], &problem["place"]),
        (&json!("field_digest"), &json!("home/messages:m7 /title"))
    );
    let sum = last(&lines, "checked");
    assert_eq!((&sum["problems"], &sum["records"]), (&json!(1), &json!(40)));
    assert!(!ran.text().to_lowercase().contains("héron"));
    // A name cannot forge a line of its own.
    store.ingest("home/other", &json!({ "key": "x\nsound: \u{1b}[2J", "data": { "a": "b" } }).to_string());
    damage(store, "UPDATE field SET inline = 'B' WHERE pointer = '/a'");
    let ran = store.run(&["store", "check"]);
    assert_eq!(ran.text().lines().count(), 3, "{}", ran.text());
    assert!(!ran.text().contains('\u{1b}'));
}

fn a_store_is_measured_and_vacuumed(store: &Store) {
    filled(store);
    let ran = store.run(&["store", "stats"]);
    ran.assert_code(0);
    assert!(ran.text().contains("home/messages") && ran.text().contains("ON DISK"), "{}", ran.text());
    assert!(!ran.text().contains('█'), "bars are for terminals");
    let stats = store.run(&["store", "stats", "--json"]).json();
    let stream = &stats["streams"][0];
    assert_eq!(
        (&stream["stream"], &stream["records"], &stream["fields"]),
        (&json!("messages"), &json!(40), &json!(80))
    );
    assert!(stats["disk"]["total"].as_u64() > Some(100_000), "{stats}");
    let file = |bytes: &str| json!({ "key": "f", "data": { "file": { "$blob": { "mime_type": "a/b", "base64": bytes } } } });
    store.ingest("home/files", &file("aGVyb24=").to_string());
    store.ingest("home/files", &file("cGxvdmVy").to_string());
    assert!(store.run(&["store", "check"]).text().contains("1 blobs with 5 B are no longer in use"));
    let done = last(&store.run(&["store", "vacuum", "--full", "--json"]).json_lines(), "vacuumed");
    assert_eq!((&done["blobs"], &done["blob_bytes"]), (&json!(1), &json!(5)));
    let ran = store.run(&["store", "vacuum"]);
    ran.assert_code(0);
    assert!(ran.text().starts_with("removed 0 files"), "{}", ran.text());
    store.run(&["store", "check"]).assert_code(0);
}

fn a_backup_comes_back(store: &Store) {
    filled(store);
    let grant = store.grant(&["--stream", "messages"]);
    let read = |url: &str| {
        let mut command =
            store.command(&["read", "home/messages:m7", "title", "--token-file", &grant.token_file]);
        crate::program::Ran::of(command.env("STEPWELL_SOURCE", url))
    };
    let backup = store.name("backup.sqlite");
    store.run(&["store", "backup", &backup]).assert_code(0);
    let again = store.run(&["store", "backup", &backup]);
    again.assert_code(1);
    assert!(again.err.contains("--force"), "{}", again.err);
    store.run(&["store", "backup", "--force", &backup]).assert_code(0);
    let restored = format!("sqlite:{}", store.name("restored.sqlite"));
    store.run(&["store", "restore", &backup, &restored]).assert_code(0);
    let read = read(&restored);
    read.assert_code(0);
    assert_eq!(read.text(), "héron");
    let again = store.run(&["store", "restore", &backup, &restored]);
    again.assert_code(1);
    // A mistake in an address does not repeat a password.
    let wrong = store.run(&["store", "restore", &backup, "mysql://me:secret-word@host"]);
    wrong.assert_code(64);
    assert!(!wrong.err.contains("secret-word"), "{}", wrong.err);
}

/// The other engine's store, empty.
fn other(store: &Store) -> Store {
    if store.url.starts_with("sqlite:") { Store::postgres() } else { Store::sqlite() }
}

fn a_copy_that_is_killed_goes_on(store: &Store) {
    filled(store);
    let target = other(store);
    let arguments = ["store", "copy", "--json", &store.url, &target.url];
    // At the start of each of these tables, and in the middle of things.
    for (stage, pause) in
        [("field", 0), ("seg", 3), ("unit", 0), ("unit", 9), ("comparing", 0), ("records", 2)]
    {
        let mut command = store.command(&arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        let wanted = json!({ "event": "stage", "name": stage });
        let reached = said.lines().map_while(Result::ok).any(|line| {
            let line: Value = serde_json::from_str(&line).unwrap_or_default();
            (&line["event"], &line["name"]) == (&wanted["event"], &wanted["name"])
        });
        assert!(reached, "the copy came to {stage}");
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let ran = store.run(&arguments);
    ran.assert_code(0);
    let copied = last(&ran.json_lines(), "copied");
    assert!(copied["resumed"].as_u64() > Some(100), "{copied}");
    for side in [store, &target] {
        let checked = side.run(&["store", "check", "--json"]);
        checked.assert_code(0);
        let sum = last(&checked.json_lines(), "checked");
        assert_eq!((&sum["records"], &sum["problems"]), (&json!(40), &json!(0)));
    }
    // It is an ordinary store: what is ingested again is unchanged.
    filled(&target);
    target.run(&["store", "check"]).assert_code(0);
}
