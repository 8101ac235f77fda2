//! Every result stays within its budget, counted in bytes of what goes over the wire, whatever the records are like.

use crate::contract::desk::{Desk, LINKS};
use crate::mcp::world::World;
use serde_json::{Value, json};
use stepwell_contract::budget;
use stepwell_sample::known;

/// Letters of one to four bytes, with some that JSON escapes.
const SCRIPTS: [&str; 4] = ["plain words ", "漢字仮名交 ", "🦊🪽🇨🇭 ", "tab\t\"q\" \\ \u{7} "];

fn repeated(words: &str, bytes: usize) -> String {
    words.repeat(bytes / words.len() + 1)
}

/// Checks a result against the table of the contract.
#[track_caller]
pub(crate) fn within(tool: &str, arguments: &Value, result: &Value) {
    let whole = result.to_string().len() as u64;
    let blocks =
        result["content"].as_array().expect("content").iter().filter_map(|block| block["text"].as_str());
    let text: u64 = blocks.clone().map(|text| text.len() as u64).sum();
    let limit = arguments["limit"].as_u64().unwrap_or(budget::DEFAULT_PAGE).max(budget::DEFAULT_PAGE);
    let pages = limit as f64 / budget::DEFAULT_PAGE as f64;
    let (most_text, most) = match tool {
        "search" => (budget::TEXT, budget::SEARCH_RESULT.get() as f64 * pages),
        "query_records" => (budget::TEXT, budget::RESULT.get() as f64 * pages),
        "aggregate" => (budget::TEXT, budget::RESULT.get() as f64),
        "schema" if arguments.get("stream").is_none() => {
            let structured = result["structuredContent"].to_string().len() as u64;
            assert!(structured <= budget::SCHEMA_STRUCTURED.get(), "{tool} {arguments}: {structured} bytes");
            (budget::SCHEMA_TEXT, f64::INFINITY)
        }
        "schema" => (budget::TEXT, budget::SCHEMA_STRUCTURED.get() as f64),
        "read_record_field" => {
            let window = &result["structuredContent"]["window"]["text"];
            (
                budget::SCHEMA_STRUCTURED,
                budget::window(stepwell_contract::Bytes(window.to_string().len() as u64)).get() as f64,
            )
        }
        _ => (budget::RESULT, budget::RESULT.get() as f64),
    };
    assert!(text <= most_text.get(), "{tool} {arguments}: {text} bytes of text, {most_text} allowed");
    assert!(whole as f64 <= most, "{tool} {arguments}: {whole} bytes, {most} allowed");
}

/// Calls every tool on every stream, opens what it finds, and checks all of it.
fn check_all(desk: &mut Desk, streams: &[(&str, &str)], words: &[&str]) {
    let mut calls = vec![("schema", json!({}))];
    for (stream, field) in streams {
        calls.push(("schema", json!({ "stream": stream })));
        calls.push(("schema", json!({ "stream": stream, "detail": "full" })));
        calls.push(("query_records", json!({ "stream": stream })));
        calls.push(("query_records", json!({ "stream": stream, "limit": 100 })));
        calls.push(("query_records", json!({ "stream": stream, "limit": 1 })));
        calls.push(("aggregate", json!({ "stream": stream, "metric": "count" })));
        calls.push((
            "aggregate",
            json!({ "stream": stream, "metric": "count", "group_by": field, "limit": 100 }),
        ));
    }
    for word in words {
        calls.push(("search", json!({ "q": word })));
        calls.push(("search", json!({ "q": word, "limit": 100 })));
        calls.push(("search", json!({ "q": word, "limit": 1 })));
    }
    for (tool, arguments) in calls {
        let result = desk.result(tool, &arguments);
        within(tool, &arguments, &result);
        let records =
            result["structuredContent"]["content_ladder"]["records"].as_array().cloned().unwrap_or_default();
        for record in records.iter().take(3) {
            check_record(desk, record);
        }
        if matches!(tool, "search" | "query_records") {
            check_paging(desk, tool, &arguments, &result);
        }
    }
}

fn check_record(desk: &mut Desk, record: &Value) {
    let arguments = json!({ "id": record["id"] });
    let result = desk.result("fetch", &arguments);
    within("fetch", &arguments, &result);
    for field in record["fields"].as_array().into_iter().flatten().take(3) {
        if let Some(arguments) = field["read"].get("args") {
            let result = desk.result("read_record_field", arguments);
            within("read_record_field", arguments, &result);
        }
        if let Some(uri) = field["resource"]["uri"].as_str() {
            let read = desk.read(uri).expect("a resource").to_string().len();
            assert!(read < 120_000, "{uri}: {read} bytes");
        }
    }
}

/// A page that had to be shortened still leads to the rest: three pages on, no id comes twice and none is skipped.
fn check_paging(desk: &mut Desk, tool: &str, arguments: &Value, first: &Value) {
    let ids = |result: &Value| -> Vec<String> {
        let rows = result["structuredContent"]["data"]["data"].as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| format!("{}{}{}", row["connection_id"], row["id"], row["record_key"])).collect()
    };
    let (mut seen, mut result) = (ids(first), first.clone());
    for _ in 0..2 {
        let Some(cursor) = result["structuredContent"]["data"]["next_cursor"].as_str() else { return };
        let mut arguments = arguments.clone();
        arguments["cursor"] = json!(cursor);
        result = desk.result(tool, &arguments);
        within(tool, &arguments, &result);
        let more = ids(&result);
        assert!(!more.is_empty() && more.iter().all(|id| !seen.contains(id)), "{tool} {arguments}");
        seen.extend(more);
    }
}

#[test]
fn the_sample() {
    let mut desk = Desk::open(World::shared(), LINKS);
    check_all(
        &mut desk,
        &[("messages", "from"), ("conversations", "title"), ("chat_messages", "text")],
        &["the", "roof", known::UNIQUE_QUERY],
    );
}

#[test]
fn records_that_lead_to_many_and_changes() {
    let mut desk = Desk::open(World::shared(), LINKS);
    for (stream, expand, most) in [("messages", "replies", 25), ("conversations", "messages", 50)] {
        for limit in [1, 25, 100] {
            let arguments = json!({ "stream": stream, "expand": [expand], "expand_limit": { expand: most }, "limit": limit });
            let result = desk.result("query_records", &arguments);
            within("query_records", &arguments, &result);
            check_paging(&mut desk, "query_records", &arguments, &result);
            let changes = json!({ "stream": stream, "changes_since": "beginning", "limit": limit });
            let result = desk.result("query_records", &changes);
            within("query_records", &changes, &result);
            check_paging(&mut desk, "query_records", &changes, &result);
        }
        let rows = desk.result("query_records", &json!({ "stream": stream, "limit": 40 }));
        for record in rows["structuredContent"]["content_ladder"]["records"].as_array().unwrap() {
            let arguments =
                json!({ "id": record["id"], "expand": [expand], "expand_limit": { expand: most } });
            let result = desk.result("fetch", &arguments);
            within("fetch", &arguments, &result);
        }
    }
}

#[test]
fn five_hundred_records_and_hits_with_long_snippets_in_every_script() {
    for script in SCRIPTS {
        let record = |n: usize| {
            let body = format!("needle {}", repeated(script, 1_500));
            let title = format!("{n} {}", repeated(script, 60));
            (format!("r{n}"), json!({ "title": title, "body": body, "note": repeated(script, 700) }))
        };
        let world = World::of(&[("big/notes".to_owned(), (0..500).map(record).collect())]);
        check_all(&mut Desk::open(&world, LINKS), &[("notes", "title")], &["needle"]);
    }
}

#[test]
fn ids_of_300_characters() {
    let record = |n: usize| {
        (
            format!("{n:04}{}", "k".repeat(296)),
            json!({ "title": format!("t{n}"), "body": repeated("needle in hay ", 9_000) }),
        )
    };
    let world =
        World::of(&[(format!("{}/{}", "c".repeat(60), "s".repeat(60)), (0..60).map(record).collect())]);
    check_all(&mut Desk::open(&world, LINKS), &[(&"s".repeat(60), "title")], &["needle"]);
}

#[test]
fn eighty_streams_of_thirty_fields() {
    let record = |n: usize| {
        let fields = (0..30).map(|f| (format!("field_number_{f}_of_{n}"), json!(format!("needle {f}"))));
        (format!("r{n}"), Value::Object(fields.collect()))
    };
    let stream = |n: usize| (format!("wide/stream_with_a_rather_long_name_{n}"), vec![record(n)]);
    let world = World::of(&(0..80).map(stream).collect::<Vec<_>>());
    let mut desk = Desk::open(&world, LINKS);
    check_all(&mut desk, &[("stream_with_a_rather_long_name_7", "field_number_1_of_7")], &["needle"]);
    let text = crate::contract::desk::text(&desk.result("schema", &json!({})));
    assert!(text.matches("stream=\"").count() == 80, "every stream is named: {text}");
}

#[test]
fn two_hundred_blobs_and_many_long_fields() {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.encode(vec![7_u8; 100_000]);
    let blob = |n: usize| {
        let file = json!({ "$blob": { "base64": bytes, "mime_type": "application/pdf", "file_name": format!("{n}.pdf") } });
        (format!("b{n}"), json!({ "title": format!("needle {n}"), "file": file }))
    };
    let fields = (0..40).map(|n| (format!("part_{n:02}"), json!(repeated("🦊 needle ", 6_000)))).collect();
    let world = World::of(&[
        ("files/blobs".to_owned(), (0..200).map(blob).collect()),
        ("files/parts".to_owned(), vec![("p".to_owned(), Value::Object(fields))]),
    ]);
    check_all(&mut Desk::open(&world, LINKS), &[("blobs", "title"), ("parts", "part_00")], &["needle"]);
}

#[test]
fn a_field_of_ten_megabytes_and_the_longest_phrases() {
    let long = format!("{}the end of it", repeated("漢字 and 🦊 and words ", 10_000_000));
    let phrases: Vec<String> =
        ["q", "ж", "漢", "🦊", "\u{1}"].iter().map(|letter| letter.repeat(512)).collect();
    let record =
        |(n, phrase): (usize, &String)| (format!("p{n}"), json!({ "body": format!("{phrase} {phrase}") }));
    let mut records: Vec<_> = phrases.iter().enumerate().map(record).collect();
    records.push(("long".to_owned(), json!({ "body": long })));
    let world = World::of(&[("home/notes".to_owned(), records)]);
    let mut desk = Desk::open(&world, LINKS);
    for (n, phrase) in phrases.iter().enumerate() {
        let arguments =
            json!({ "id": format!("home/notes:p{n}"), "field_path": "body", "q": phrase, "limit_chars": 1 });
        let result = desk.result("read_record_field", &arguments);
        within("read_record_field", &json!({ "q": n }), &result);
    }
    for extra in [
        json!({}),
        json!({ "limit_chars": 16_384 }),
        json!({ "offset_chars": 5_000_000 }),
        json!({ "q": "THE END OF IT" }),
    ] {
        let mut arguments = json!({ "id": "home/notes:long", "field_path": "body" });
        arguments.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let result = desk.result("read_record_field", &arguments);
        within("read_record_field", &arguments, &result);
    }
    check_all(&mut desk, &[("notes", "body")], &["words"]);
}
