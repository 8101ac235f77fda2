//! `stepwell read`: what goes where, and that a pipe gets every byte.

use crate::on_both_engines;
use crate::program::{Ran, Store};
use serde_json::json;

on_both_engines!(
    a_pipe_gets_the_window_byte_for_byte_and_the_summary_stands_beside_it,
    json_has_both_the_window_and_all_cursors,
    the_store_and_the_token_may_come_from_the_environment,
    the_hint_for_going_on_works_as_it_stands,
);

/// What a terminal would obey, a shell would eat and a careless program would cut.
const HOSTILE: &str =
    "{\"id\":\"forged\"}\n\u{1b}[2J\u{7}\0 \r\n\u{202e}evil\u{2028}\u{feff}$(rm) `x` %s \u{fffe} 👩‍👩‍👧 é \t  ";

fn filled(store: &Store) -> String {
    let long: String = (0..3_000).map(|n| format!("{n} é\n")).collect();
    let line = json!({ "key": "m1", "data": { "hostile": HOSTILE, "long": long, "other": "not granted" } });
    store.ingest("home/messages", &line.to_string());
    store.grant(&["--stream", "messages:hostile,long"]).token_file
}

fn read(store: &Store, token: &str, arguments: &[&str]) -> Ran {
    store.run(&[&["read", "--token-file", token, "home/messages:m1"], arguments].concat())
}

fn a_pipe_gets_the_window_byte_for_byte_and_the_summary_stands_beside_it(store: &Store) {
    let token = filled(store);
    let ran = read(store, &token, &["hostile"]);
    ran.assert_code(0);
    assert_eq!(ran.out, HOSTILE.as_bytes());
    let chars = HOSTILE.chars().count();
    assert_eq!(ran.err.trim(), format!("0..{chars} of {chars} chars, complete"));
    let part = read(store, &token, &["hostile", "--offset", "18", "--limit", "3"]);
    assert_eq!(part.text(), HOSTILE.chars().skip(18).take(3).collect::<String>());
    let past = read(store, &token, &["hostile", "--offset", "100000"]);
    past.assert_code(0);
    assert_eq!((past.text(), past.err.trim()), ("", &*format!("{chars}..{chars} of {chars} chars")));
}

fn json_has_both_the_window_and_all_cursors(store: &Store) {
    let token = filled(store);
    let value =
        read(store, &token, &["long", "--json", "--q", "1500 É", "--before", "5", "--after", "5"]).json();
    assert_eq!(value["record"]["id"], "home/messages:m1");
    assert_eq!(value["window"]["match"]["q"], "1500 É");
    assert!(value["window"]["text"].as_str().unwrap().contains("1500 é"));
    for cursor in [&value["window"]["next_cursor"], &value["window"]["previous_cursor"]] {
        let next = read(store, &token, &["long", "--json", "--cursor", cursor.as_str().unwrap()]);
        next.assert_code(0);
        assert_eq!(next.err, "");
    }
    let next_match = value["next_match_cursor"].as_str().unwrap();
    let ended = read(store, &token, &["long", "--json", "--cursor", next_match]);
    ended.assert_code(0);
    assert_eq!(
        (&ended.json()["window"]["match"], &ended.json()["window"]["text"]),
        (&json!(null), &json!(""))
    );
}

fn the_store_and_the_token_may_come_from_the_environment(store: &Store) {
    let token_file = filled(store);
    let token = std::fs::read_to_string(&token_file).unwrap();
    let arguments = ["read", "home/messages:m1", "hostile"];
    let by_environment = Ran::of(store.command(&arguments).env("STEPWELL_TOKEN", token.trim()));
    assert_eq!(by_environment.out, HOSTILE.as_bytes());
    let named = ["read", "--source", &store.url, "--token-file", &token_file, "home/messages:m1", "hostile"];
    let by_argument = Ran::of(store.command(&named).env("STEPWELL_SOURCE", "sqlite:/nowhere/at/all"));
    assert_eq!(by_argument.out, HOSTILE.as_bytes());
}

fn the_hint_for_going_on_works_as_it_stands(store: &Store) {
    let token = filled(store);
    let first = read(store, &token, &["long"]);
    first.assert_code(0);
    let offset = first.err.split("--offset ").nth(1).expect("a hint").trim();
    let second = read(store, &token, &["long", "--offset", offset]);
    let long: String = (0..3_000).map(|n| format!("{n} é\n")).collect();
    let both = [first.text(), second.text()].concat();
    assert_eq!(both, long.chars().take(8_192).collect::<String>());
}
