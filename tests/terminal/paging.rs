//! `stepwell read` a screen at a time.

use super::on_terminal;
use crate::on_both_engines;
use crate::program::Store;
use serde_json::json;

on_both_engines!(
    a_long_field_is_shown_a_screen_at_a_time,
    a_short_one_and_one_window_are_shown_as_ever,
    a_phrase_is_found_in_the_middle_of_megabytes,
);

fn filled(store: &Store, lines: usize) -> String {
    let body: String = (0..lines).map(|n| format!("line {n} of the log\u{1b}[2J\n")).collect();
    let short = "only\nthis";
    store.ingest("home/notes", &json!({ "key": "n", "data": { "body": body, "short": short } }).to_string());
    store.grant(&["--stream", "notes"]).token_file
}

fn a_long_field_is_shown_a_screen_at_a_time(store: &Store) {
    let token = filled(store, 1_000);
    let session = on_terminal(
        store,
        &["read", "home/notes:n", "body", "--token-file", &token],
        &[("q: quit]", " "), ("q: quit]", "b"), ("q: quit]", "\r"), ("q: quit]", "x"), ("q: quit]", "q")],
    );
    assert_eq!(session.code, Some(0), "{}", session.said);
    // 23 lines and one that says where one is.
    let said = &session.said;
    let count = |line: &str| said.matches(&format!("{line} of the log␛[2J\n")).count();
    assert_eq!((count("line 0"), count("line 22")), (2, 2), "{said}");
    assert_eq!((count("line 23"), count("line 45")), (2, 2), "{said}");
    assert_eq!(count("line 46"), 0, "{said}");
    let ledger = store.run(&["--json", "disclosures"]).json_lines();
    let reads = ledger.iter().filter(|entry| entry["type"] == "disclosure");
    let longest = reads.filter_map(|entry| entry["bytes"].as_u64()).max().unwrap();
    assert!(longest <= 23 * 80, "no more is read than the screen holds: {ledger:?}");
}

fn a_short_one_and_one_window_are_shown_as_ever(store: &Store) {
    let token = filled(store, 1_000);
    let short = on_terminal(store, &["read", "home/notes:n", "short", "--token-file", &token], &[]);
    assert_eq!((short.code, short.said.as_str()), (Some(0), "only\nthis\n"));
    let one =
        on_terminal(store, &["read", "home/notes:n", "body", "--token-file", &token, "--limit", "6"], &[]);
    assert_eq!(one.code, Some(0));
    assert!(one.said.starts_with("line 0\n0..6 of "), "{}", one.said);
    let piped = store.run(&["read", "home/notes:n", "body", "--token-file", &token]);
    assert!(
        piped.text().starts_with("line 0 of the log\u{1b}[2J\n") && piped.text().chars().count() == 4_096
    );
}

fn a_phrase_is_found_in_the_middle_of_megabytes(store: &Store) {
    let token = filled(store, 100_000);
    let session = on_terminal(
        store,
        &["read", "home/notes:n", "body", "--token-file", &token],
        &[
            ("q: quit]", "/"),
            ("/", "LINE 77777 OF\n"),
            ("q: quit]", "/"),
            ("/", "plover\n"),
            ("q: quit]", "/"),
            ("/", "line 5000\n"),
            ("q: quit]", "n"),
            ("q: quit]", "q"),
        ],
    );
    assert_eq!(session.code, Some(0), "{}", session.said);
    for line in ["line 77777 of the log", "line 5000 of the log", "line 50000 of the log"] {
        assert!(session.said.contains(line), "{line}: {}", session.said);
    }
    assert!(!session.said.contains("line 60000 of"), "{}", session.said);
    assert!(session.said.contains("the phrase") || session.said.contains("not found"), "{}", session.said);
}
