//! `grant create --interactive`, and what anyone who is asked sees first.

use super::on_terminal;
use crate::on_both_engines;
use crate::program::Store;
use serde_json::json;

on_both_engines!(
    a_grant_is_made_step_by_step_and_said_in_plain_words_first,
    whoever_says_no_gives_nothing,
    where_nobody_can_be_asked_the_flags_are_named,
);

const MANIFEST: &str = r#"{ "name": "messages", "schema": { "type": "object", "properties": {
    "subject": { "type": "string", "x_pdpp_role": "title" }, "sent_at": { "type": "string", "format": "date-time", "x_pdpp_role": "time" }, "body": { "type": "string" } } },
    "cursor_field": "sent_at", "consent_time_field": "sent_at" }"#;

fn filled(store: &Store) {
    let now = stepwell_source::time::now();
    let line = |n: i64| {
        let at = stepwell_source::time::print(now - n * 20 * stepwell_source::time::DAY);
        json!({ "key": format!("m{n}"), "data": { "subject": format!("Letter {n}\u{1b}[2J"), "sent_at": at, "body": "a secret heron" } })
            .to_string()
    };
    let lines: Vec<String> = (1..=10).map(line).collect();
    let manifest = store.file("manifest.json", MANIFEST);
    let file = store.file("lines.ndjson", lines.join("\n"));
    let ran = store.run(&[
        "ingest",
        "--connection",
        "home",
        "--label",
        "Home mail",
        "--manifest",
        &manifest,
        "messages",
        &file,
    ]);
    ran.assert_code(0);
    store.ingest("work/notes", r#"{"key":"n1","data":{"text":"a note about a plover"}}"#);
}

fn grants(store: &Store) -> Vec<serde_json::Value> {
    store.run(&["grant", "list", "--json"]).json()["grants"].as_array().unwrap().clone()
}

fn a_grant_is_made_step_by_step_and_said_in_plain_words_first(store: &Store) {
    filled(store);
    let token = store.name("token");
    let session = on_terminal(
        store,
        &["grant", "create", "--interactive", "--token-out", &token],
        &[
            ("Who is it for?", "\n"),
            ("it needs a name", ""),
            ("Who is it for?", "Claude\n"),
            ("Which of these may it read?", "1\n"),
            ("Which fields?", "subject,sent_at\n"),
            ("From when on?", "\n"),
            ("Until when?", "\n"),
            ("When does the grant end?", "\n"),
            ("Make this grant? [y/N]", "y\n"),
        ],
    );
    assert_eq!(session.code, Some(0), "{}", session.said);
    for part in [
        "1  messages of home (Home mail): 10 records, ",
        "2  notes of work: 1 records, ",
        "Claude may read:",
        "messages of home (Home mail): sent_at, subject; sent_at from ",
        "\n    4 of its 10 records, from ",
        "“Letter 1␛[2J”",
        "“Letter 3␛[2J”",
        "the token is in",
    ] {
        assert!(session.said.contains(part), "{part:?}: {}", session.said);
    }
    assert!(!session.said.contains("heron") && !session.said.contains("Letter 5"), "{}", session.said);
    // What was said is what can be read; the look itself has ended, and is in the ledger.
    let made: Vec<_> = grants(store).into_iter().filter(|grant| grant["state"] == "active").collect();
    let [grant] = made.as_slice() else { panic!("one grant: {made:?}") };
    assert_eq!(grant["client"]["client_id"], "Claude");
    assert_eq!(grant["streams"][0]["fields"], json!(["sent_at", "subject"]));
    assert!(grant["expires_at"].is_string() && grant["streams"][0]["time_constraint"]["until"].is_string());
    let read = |id: &str, field: &str| store.run(&["read", id, field, "--token-file", &token]).code;
    assert_eq!(read("home/messages:m4", "subject"), Some(0));
    assert_ne!(read("home/messages:m5", "subject"), Some(0));
    assert_ne!(read("home/messages:m1", "body"), Some(0));
    assert!(store.run(&["--json", "disclosures"]).text().contains("stepwell grant create"));
}

fn whoever_says_no_gives_nothing(store: &Store) {
    filled(store);
    let flags = ["grant", "create", "--client", "Claude", "--stream", "notes"];
    let session = on_terminal(store, &flags, &[("Make this grant? [y/N]", "\n")]);
    assert_eq!(session.code, Some(1), "{}", session.said);
    assert!(session.said.contains("no grant was made"), "{}", session.said);
    // Without a title, the example is the beginning of a text.
    assert!(session.said.contains("its one record, of "), "{}", session.said);
    assert!(session.said.contains("“text: a note about a plover”"), "{}", session.said);
    let gone = on_terminal(store, &["grant", "create", "-i"], &[("Who is it for?", "\u{4}")]);
    assert_eq!(gone.code, Some(1), "{}", gone.said);
    assert!(grants(store).iter().all(|grant| grant["state"] != "active"));
}

fn where_nobody_can_be_asked_the_flags_are_named(store: &Store) {
    filled(store);
    let ran = store.run(&["grant", "create", "--interactive"]);
    ran.assert_code(64);
    assert!(ran.err.contains("nobody can be asked here") && ran.err.contains("--stream"), "{}", ran.err);
    store.run(&["grant", "create", "--interactive", "--yes"]).assert_code(64);
    // With --yes it says how much, and shows nothing of what stands in records.
    let made = store.run(&["grant", "create", "--client", "ci", "--stream", "notes", "--yes"]);
    made.assert_code(0);
    assert!(made.text().contains("\n    its one record, of "), "{}", made.text());
    assert!(!made.text().contains("plover"), "{}", made.text());
    assert_eq!(grants(store).len(), 1, "nobody looked");
}
