//! The commands of every day: finding and showing records, and looking after connections.

use crate::on_both_engines;
use crate::program::Store;
use serde_json::json;

on_both_engines!(
    words_lead_to_records_and_records_to_their_fields,
    only_what_is_granted_is_found_and_shown,
    connections_are_listed_and_renamed,
    a_removed_connection_leaves_nothing,
    what_was_exported_can_be_ingested_again,
    what_a_store_holds_is_counted_and_charted,
);

fn mail(store: &Store, connection: &str, word: &str) {
    let long = format!("The {word} begins. {}", "More and more. ".repeat(200));
    let line = json!({ "key": "m1", "data": { "subject": format!("About the {word}"), "body": long, "n": 7, "secret": "a hidden walrus",
        "file": { "$blob": { "mime_type": "text/x-thing", "file_name": "thing.bin", "base64": "Y2FuYXJ5LWJsb2I=" } } } });
    store.ingest(&format!("{connection}/messages"), &line.to_string());
}

fn words_lead_to_records_and_records_to_their_fields(store: &Store) {
    mail(store, "home", "heron");
    let token = store.grant(&["--stream", "messages"]).token_file;
    let found = store.run(&["search", "begins", "HERON", "--token-file", &token]);
    found.assert_code(0);
    assert!(found.text().starts_with("home/messages:m1  "), "{}", found.text());
    assert!(found.text().contains("\n  body: The heron begins."), "{}", found.text());
    assert!(found.err.contains("1 record; open it with: stepwell show ID"), "{}", found.err);
    let shown = store.run(&["show", "home/messages:m1", "--token-file", &token]);
    shown.assert_code(0);
    assert!(shown.text().contains("subject: About the heron\n"), "{}", shown.text());
    assert!(shown.text().contains("file: text/x-thing thing.bin, 11 B\n"), "{}", shown.text());
    let on = "… 600 of 3,018 chars; read on: stepwell read home/messages:m1 body --offset 600\n";
    assert!(shown.text().contains(on), "{}", shown.text());
    let nothing = store.run(&["search", "dodo", "--token-file", &token]);
    nothing.assert_code(0);
    assert_eq!(nothing.text(), "");
    let ledger = store.run(&["--json", "disclosures"]);
    for tool in ["stepwell search", "stepwell show"] {
        assert!(ledger.text().contains(tool), "{}", ledger.text());
    }
    store.run(&["search", "heron"]).assert_code(78);
    store.run(&["search", "--limit", "0", "heron", "--token-file", &token]).assert_code(64);
}

fn only_what_is_granted_is_found_and_shown(store: &Store) {
    mail(store, "home", "heron");
    let token = store.grant(&["--stream", "messages:subject,n"]).token_file;
    for word in ["walrus", "begins"] {
        let found = store.run(&["--json", "search", word, "--token-file", &token]);
        assert_eq!(found.json()["hits"], json!([]), "{word}");
    }
    let shown = store.run(&["--json", "show", "home/messages:m1", "--token-file", &token]).json();
    let names: Vec<&String> = shown["fields"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["n", "subject"]);
    assert_eq!(shown["fields"]["n"]["value"], 7);
    store.run(&["show", "home/messages:none", "--token-file", &token]).assert_code(1);
}

fn connections_are_listed_and_renamed(store: &Store) {
    mail(store, "home", "heron");
    mail(store, "work", "tide");
    store.run(&["connections", "rename", "home", "Home \u{1b}mail"]).assert_code(0);
    let listed = store.run(&["--json", "connections", "list"]).json_lines();
    let home = json!({ "connection": "home", "connector": null, "label": "Home \u{1b}mail", "streams": { "messages": 1 } });
    assert_eq!((listed.len(), &listed[0]), (2, &home));
    assert_eq!(
        store.run(&["connections", "list"]).text(),
        "home  Home ␛mail  1 messages\nwork  1 messages\n"
    );
    let nobody = store.run(&["connections", "rename", "nobody", "x"]);
    nobody.assert_code(1);
    assert!(nobody.err.contains("there is no connection \"nobody\""), "{}", nobody.err);
}

fn a_removed_connection_leaves_nothing(store: &Store) {
    mail(store, "home", "canaryheron");
    mail(store, "work", "tide");
    let token = store.grant(&["--stream", "messages"]).token_file;
    let refused = store.run(&["connections", "remove", "home"]);
    refused.assert_code(64);
    let removed = store.run(&["connections", "remove", "home", "--yes"]);
    removed.assert_code(0);
    assert!(removed.text().ends_with("removed 1 records\n"), "{}", removed.text());
    store.run(&["store", "check"]).assert_code(0);
    assert_eq!(
        store.run(&["--json", "search", "canaryheron", "--token-file", &token]).json()["hits"],
        json!([])
    );
    store.run(&["show", "home/messages:m1", "--token-file", &token]).assert_code(1);
    store.run(&["show", "work/messages:m1", "--token-file", &token]).assert_code(0);
    for answer in [
        &["export", "messages"][..],
        &["grant", "list", "--json"],
        &["disclosures", "--json"],
        &["stats", "--json"],
        &["connections", "list"],
    ] {
        let said = store.run(answer);
        said.assert_code(0);
        assert!(!said.text().contains("canary"), "{answer:?}: {}", said.text());
    }
    if let Some(path) = store.url.strip_prefix("sqlite:") {
        for file in ["", "-wal", "-pending"].map(|end| format!("{path}{end}")) {
            let bytes = std::fs::read(&file).unwrap_or_default();
            assert!(!bytes.windows(11).any(|part| part == b"canaryheron"), "{file}");
        }
    }
    store.run(&["connections", "remove", "home", "--yes"]).assert_code(1);
}

fn what_was_exported_can_be_ingested_again(store: &Store) {
    mail(store, "home", "heron");
    let odd = json!({ "key": "m2", "data": { "subject": "quo\"te\n\u{0}🦊", "n": null, "list": ["long ".repeat(3_000)], "flag": true,
        "body": "\\ \u{2028} é日🦊\t".repeat(20_000) } });
    let exact = r#"{"key":"m3","data":{"n":1.10,"big":123456789012345678901234567890}}"#;
    store.ingest("home/messages", &format!("{odd}\n{exact}"));
    let out = store.name("out.ndjson");
    store.run(&["export", "messages", "--out", &out]).assert_code(0);
    let first = std::fs::read(&out).unwrap();
    let text = String::from_utf8(first.clone()).unwrap();
    assert!(
        text.contains("\"n\":1.10") && text.contains("123456789012345678901234567890"),
        "numbers stay as they are"
    );
    assert!(text.contains("Y2FuYXJ5LWJsb2I="));
    store.run(&["ingest", "--strict", "--connection", "copy", "messages", &out]).assert_code(0);
    let again = store.run(&["export", "messages", "--connection", "copy"]);
    assert!(again.out == first, "what comes out is what went in");
    store.run(&["export", "messages", "--out", &out]).assert_code(1);
    store.run(&["export", "nothing"]).assert_code(1);
    let grants = store.run(&["--json", "grant", "list"]);
    assert!(!grants.text().contains("\"revoked_at\":null"), "no grant is left open: {}", grants.text());
    assert!(store.run(&["--json", "disclosures"]).text().contains("stepwell export"));
}

fn what_a_store_holds_is_counted_and_charted(store: &Store) {
    let line =
        |key: &str, at: &str| json!({ "key": key, "data": { "t": "héron" }, "emitted_at": at }).to_string();
    let notes = [line("a", "2026-01-31T23:59:59Z"), line("b", "2026-01-01"), line("c", "2026-03-01")];
    store.ingest("home/notes", &notes.join("\n"));
    store.ingest("work/\u{1b}notes", &line("d", "2026-03-31"));
    let counted = store.run(&["stats", "--json"]);
    counted.assert_code(0);
    let counted = counted.json();
    assert_eq!(counted["records"], 4);
    let month = |month: &str, records: u64| json!({ "month": month, "records": records });
    assert_eq!(counted["months"], json!([month("2026-01", 2), month("2026-02", 0), month("2026-03", 2)]));
    let home = &counted["connections"][0];
    assert_eq!(
        (&home["connection_id"], &home["records"], &home["bytes"]),
        (&json!("home"), &json!(3), &json!(18))
    );
    let shown = |locale: &str, more: &[&str]| {
        let mut command = store.command(&[&["stats"], more].concat());
        let ran = crate::program::Ran::of(command.env("LC_ALL", locale));
        ran.assert_code(0);
        ran.text().to_owned()
    };
    let said = shown("C.UTF-8", &[]);
    assert!(
        said.starts_with(
            "4 records in 2 streams of 2 connections, 24 B of text; from 2026-01-01 to 2026-03-31\n"
        ),
        "{said}"
    );
    for row in [
        "home/notes           3       18 B  ████████████████████████\n",
        "work/␛notes          1        6 B  ████████\n",
    ] {
        assert!(said.contains(row), "{said}");
    }
    assert!(said.contains("2026-01           2  █") && said.contains("2026-02           0  \n"), "{said}");
    let plain = shown("C", &["--connection", "home", "--by", "year"]);
    assert!(plain.contains("\n2026             3  ########################\n"), "{plain}");
    assert!(!plain.contains("work") && !plain.contains('█'), "{plain}");
    store.run(&["stats", "--connection", "nobody"]).assert_code(64);
}
