//! The whole way on the sample data: write it, ingest it, grant some of it, read it to its last character.

use crate::on_both_engines;
use crate::program::Store;
use serde_json::Value;
use stepwell_sample::known;

on_both_engines!(the_sample_goes_in_and_its_longest_text_comes_out_to_the_last_character);

fn the_sample_goes_in_and_its_longest_text_comes_out_to_the_last_character(store: &Store) {
    ingest_all(store);
    let place = known::LONG_TEXT;
    let spec = format!("{}:subject,{}", place.stream, place.field);
    let grant = store.grant(&["--stream", &spec, "--connection", place.connection, "--expires", "30d"]);
    let connections = stepwell_sample::connections();
    let whole = place.find(&connections).and_then(Value::as_str).expect("a text");
    assert_eq!(read_to_the_end(store, &grant.token_file, whole.len()), whole);
    find_the_riddle_s_answer(store, &grant.token_file, whole);
}

/// Runs what `stepwell sample` prints.
fn ingest_all(store: &Store) {
    let written = store.run(&["sample", &store.name("sample"), "--json"]);
    written.assert_code(0);
    let connections = stepwell_sample::connections();
    let streams: Vec<_> = connections.iter().flat_map(|c| &c.streams).collect();
    let listed = written.json_lines();
    assert_eq!(listed.len(), 4);
    for (line, stream) in listed.iter().zip(streams) {
        let of = |member: &str| line[member].as_str().expect("a text");
        let ran = store.run(&[
            "ingest",
            "--json",
            "--connection",
            of("connection"),
            "--connector",
            of("connector"),
            "--label",
            of("label"),
            "--manifest",
            of("manifest"),
            of("stream"),
            of("records"),
        ]);
        ran.assert_code(0);
        let done = ran.json_lines().pop().expect("a last event");
        let records = stream.records.len();
        assert_eq!(done["added"], records, "{done}");
        assert_eq!((&done["event"], &done["rejected"]), (&"done".into(), &0.into()));
    }
}

fn read_to_the_end(store: &Store, token: &str, size: usize) -> String {
    let place = known::LONG_TEXT;
    let (id, mut text, mut cursor) = (place.id(), String::with_capacity(size), None::<String>);
    loop {
        let base = ["read", "--json", "--token-file", token, &id, place.field];
        let ran = match &cursor {
            None => store.run(&[&base[..], &["--limit", "16384"]].concat()),
            Some(cursor) => store.run(&[&base[..], &["--cursor", cursor]].concat()),
        };
        ran.assert_code(0);
        let window = &ran.json()["window"];
        text.push_str(window["text"].as_str().expect("a text"));
        match window["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return text,
        }
    }
}

fn find_the_riddle_s_answer(store: &Store, token: &str, whole: &str) {
    let place = known::LONG_TEXT;
    let id = place.id();
    let base = ["read", "--token-file", token, &id, place.field];
    let asked = ["--q", known::UNIQUE_QUERY, "--before", "20", "--after", "20"];
    let found = store.run(&[&base[..], &asked].concat());
    found.assert_code(0);
    let text = found.text();
    assert!(text.contains(known::UNIQUE_PHRASE), "{text}");
    assert_eq!(text.chars().count(), known::UNIQUE_PHRASE.chars().count() + 40);
    let before = whole.find(known::UNIQUE_PHRASE).expect("the phrase");
    let at = whole[..before].chars().count();
    assert!(found.err.contains(&format!("match at {at}")), "{}", found.err);
    let cursor = found.err.split("--cursor ").nth(1).expect("a cursor").trim().trim_end_matches("\u{1b}[0m");
    let next = store.run(&[&base[..], &["--cursor", cursor]].concat());
    next.assert_code(0);
    assert!(next.err.contains("there is no further match"), "{}", next.err);
}
