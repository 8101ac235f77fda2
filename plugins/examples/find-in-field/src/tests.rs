use super::*;
use stepwell_sdk::testing::{Memory, context, record, text};
use stepwell_sdk::{Purpose, RecordShape};

const ALL: u32 = 1 << 24;

fn notes(body: &str) -> RecordShape {
    record("notes", vec![text("title", "A title"), text("body", body)])
}

fn asked(body: &str, memory: &Memory, q: &str, from: u32) -> Answer {
    let arguments = json!({ "id": 0, "field_path": "body", "q": q, "from": from }).to_string();
    let mut context = context(Purpose::Document, 2_000);
    context.budget.lines = 40;
    run(&arguments, &[notes(body)], &context, memory).unwrap_or_else(|fault| panic!("{fault:?}"))
}

fn data(answer: &Answer) -> Value {
    serde_json::from_str(answer.data.as_deref().unwrap_or_default()).unwrap_or_default()
}

fn next_from(answer: &Answer) -> Option<u64> {
    let next: Value = serde_json::from_str(answer.next.as_deref()?).ok()?;
    next["from"].as_u64()
}

/// The obvious model: every place where the folded phrase stands, one after the other.
fn places(text: &str, q: &str) -> Vec<u64> {
    let fold = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let (text, q) = (fold(text), fold(q));
    let (mut at, mut places) = (0, Vec::new());
    while at < text.len() {
        if text[at..].starts_with(&q) {
            places.push(at as u64);
            at += q.len();
        } else {
            at += 1;
        }
    }
    places
}

/// Follows the calls that go on, each with an allowance of its own, and joins the places that they list.
fn followed(body: &str, q: &str, reads: u32, bytes: u32) -> (Vec<u64>, u32) {
    let (mut from, mut all, mut calls) = (0, Vec::new(), 0);
    loop {
        let memory = Memory::new(reads, bytes).with(0, "body", body);
        let answer = asked(body, &memory, q, from);
        let starts = data(&answer)["starts"].as_array().cloned().unwrap_or_default();
        all.extend(starts.iter().filter_map(Value::as_u64));
        calls += 1;
        match next_from(&answer) {
            None => return (all, calls),
            Some(next) => {
                assert!(next > u64::from(from) && calls < 1_000, "it does not advance: {from} {next}");
                from = u32::try_from(next).unwrap_or(u32::MAX);
            }
        }
    }
}

#[test]
fn lists_every_match_with_its_offset_and_some_words() {
    let body = "A heron. Two HERONS by the pond, and\nno other bird; heron";
    let answer = asked(body, &Memory::new(99, ALL).with(0, "body", body), "Heron", 0);
    let lines: Vec<&str> = answer.lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(lines[0], "3 match(es) from 0 to 57 (the field's end)");
    assert_eq!(lines[1], "2: A heron. Two HERONS by the pond…");
    assert_eq!(lines[3], "52: …ond, and no other bird; heron");
    assert_eq!(data(&answer)["starts"], json!([2, 13, 52]));
    assert_eq!((answer.next, answer.lines[0].slot), (None, Some(0)));
}

#[test]
fn the_calls_that_go_on_list_every_match_once_however_little_each_may_read() {
    let line = "ÜberÜber die Ähre; überü 日本 aaaa über\n";
    let body = line.repeat(150);
    for (q, reads, bytes) in [
        ("über", 200, ALL),
        ("ÜBER", 3, 12_000),
        ("aa", 60, 12_000),
        ("über\nüberüber", 8, 12_000),
        ("nowhere", 8, 12_000),
        (&"aaaa über\nÜ".repeat(2), 4, 12_000),
    ] {
        let (found, calls) = followed(&body, q, reads, bytes);
        assert_eq!(found, places(&body, q), "{q}");
        assert!(calls > 1, "{q}: {calls}");
    }
}

#[test]
fn the_rest_is_counted() {
    let body = "word ".repeat(1_000);
    let answer = asked(&body, &Memory::new(99, ALL).with(0, "body", &body), "word", 0);
    let shown = data(&answer)["starts"].as_array().map(Vec::len).unwrap_or_default();
    assert!((10..40).contains(&shown), "{shown}");
    assert_eq!(
        answer.lines[0].text,
        format!("1000 match(es) from 0 to 5000 (the field's end), the first {shown} listed")
    );
    assert_eq!(next_from(&answer), Some(shown as u64 * 5));
    let bytes: usize = answer.lines.iter().map(|line| line.text.len()).sum();
    assert!(bytes <= 2_000 && answer.lines.len() <= 40, "{bytes}");
}

#[test]
fn what_cannot_be_read_is_said() {
    let body = "some words";
    let none = asked(body, &Memory::new(0, 0).with(0, "body", body), "words", 0);
    assert!(none.lines[0].text.contains("let it read nothing"), "{:?}", none.lines);
    assert_eq!(none.next, None);
    let arguments = json!({ "id": 0, "field_path": "secret", "q": "x" }).to_string();
    let context = context(Purpose::Document, 2_000);
    let missing = run(&arguments, &[notes(body)], &context, &Memory::new(9, ALL)).map(|answer| answer.lines);
    let missing = missing.unwrap_or_default();
    assert!(missing[0].text.ends_with("fields with text: title, body"), "{missing:?}");
    let nobody = json!({ "id": 7, "field_path": "body", "q": "x" }).to_string();
    assert!(matches!(run(&nobody, &[notes(body)], &context, &Memory::new(9, ALL)), Err(Fault::Invalid(_))));
}

#[test]
fn a_value_inside_json_is_searched_to_its_end() {
    let nested = "a needle, and at the end a needle";
    let memory = Memory::new(99, ALL).with(0, "/meta/0", nested);
    let arguments = json!({ "id": 0, "field_path": "/meta/0", "q": "NEEDLE" }).to_string();
    let mut context = context(Purpose::Document, 2_000);
    context.budget.lines = 40;
    let answer = run(&arguments, &[notes("")], &context, &memory).unwrap_or_else(|fault| panic!("{fault:?}"));
    assert_eq!(data(&answer)["starts"], json!([2, 27]));
    assert_eq!(data(&answer)["reached_end"], true);
}
