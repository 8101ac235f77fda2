//! What the rest of the project may take for granted about the sample.

use super::*;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Changes only when the sample is meant to change.
const PINNED: &str = "2fbc81ef3085086682b70c83b373ed5bf22f396e3a585e0acb1c4a1f5be48eac";

fn streams(connections: &[Connection]) -> impl Iterator<Item = (&Connection, &Stream)> {
    connections
        .iter()
        .flat_map(|connection| connection.streams.iter().map(move |stream| (connection, stream)))
}

fn text(connections: &[Connection], place: known::Place) -> &str {
    place.find(connections).and_then(Value::as_str).unwrap_or_else(|| panic!("no text at {place:?}"))
}

fn bytes(connections: &[Connection], place: known::Place) -> Vec<u8> {
    let value = place.find(connections).unwrap_or_else(|| panic!("nothing at {place:?}"));
    STANDARD.decode(value["$blob"]["base64"].as_str().unwrap()).unwrap()
}

#[test]
fn is_the_same_bytes_every_time() {
    let mut hash = Sha256::new();
    for (connection, stream) in streams(&connections()) {
        let mut head =
            serde_json::json!([connection.id, connection.connector, connection.label, stream.manifest]);
        // Whether serde_json keeps the order of keys depends on features that another crate may ask for.
        head.sort_all_objects();
        hash.update(head.to_string());
        let mut sorted = stream.clone();
        sorted.records.iter_mut().for_each(|record| record.data.sort_all_objects());
        hash.update(sorted.ndjson());
    }
    let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, PINNED);
}

#[test]
fn keys_are_safe_unique_and_repeated_in_the_data() {
    for (connection, stream) in streams(&connections()) {
        let mut seen = BTreeSet::new();
        for record in &stream.records {
            let key = record.key.as_str();
            assert!(!key.is_empty() && key != "." && !key.contains(".."), "{key:?}");
            assert!(!key.contains(['/', '\\', '\0']), "{key:?}");
            assert!(seen.insert(key), "{key:?} twice in {}/{}", connection.id, stream.name);
            assert_eq!(record.data["id"], key);
        }
    }
}

#[test]
fn has_the_promised_number_of_records() {
    let connections = connections();
    let counts: Vec<_> = streams(&connections).map(|(_, stream)| stream.records.len()).collect();
    assert!((120..=200).contains(&counts.iter().sum::<usize>()), "{counts:?}");
}

#[test]
fn threads_and_rooms_point_at_records_that_exist() {
    for (_, stream) in streams(&connections()) {
        let keys: BTreeSet<_> = stream.records.iter().map(|record| record.key.as_str()).collect();
        for record in &stream.records {
            for field in ["in_reply_to", "reply_to"] {
                if let Some(parent) = record.data.get(field).and_then(Value::as_str) {
                    assert!(keys.contains(parent), "{} answers {parent}", record.key);
                }
            }
        }
    }
    let connections = connections();
    let [rooms, talk] = connections[2].streams.as_slice() else { panic!("two streams") };
    for record in &talk.records {
        assert!(
            rooms.records.iter().any(|room| record.data["conversation_id"] == room.key),
            "{}",
            record.key
        );
    }
}

#[test]
fn times_are_rfc_3339_and_emitted_in_order() {
    for (_, stream) in streams(&connections()) {
        let field = stream.manifest["cursor_field"].as_str().unwrap();
        for record in &stream.records {
            for time in [record.data[field].as_str().unwrap(), record.emitted_at.as_str()] {
                let (moment, zone) = time.split_at(19);
                assert!(moment.starts_with("2025-") && moment.as_bytes()[10] == b'T', "{time}");
                assert!(matches!(zone, "Z" | "+01:00" | "+02:00"), "{time}");
            }
        }
        assert!(stream.records.is_sorted_by_key(|record| &record.emitted_at));
    }
}

#[test]
fn manifests_declare_every_field_that_occurs_and_no_other() {
    for (_, stream) in streams(&connections()) {
        assert_eq!(stream.manifest["name"], stream.name);
        let declared: BTreeSet<_> =
            stream.manifest["schema"]["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        for record in &stream.records {
            let occurs: BTreeSet<_> = record.data.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(occurs, declared, "{}", record.key);
        }
        let query = &stream.manifest["query"];
        let mut named: Vec<_> =
            query["range_filters"].as_object().unwrap().keys().map(String::as_str).collect();
        let views = stream.manifest["views"].as_array().unwrap().iter().map(|view| &view["fields"]);
        let aggregations = query["aggregations"].as_object().unwrap().values();
        for list in views
            .chain(aggregations)
            .chain([&query["search"]["lexical_fields"], &stream.manifest["primary_key"]])
        {
            named.extend(list.as_array().into_iter().flatten().filter_map(Value::as_str));
        }
        for field in named {
            assert!(declared.contains(field), "{field} of {}", stream.name);
        }
    }
}

#[test]
fn values_have_the_types_that_are_declared() {
    for (_, stream) in streams(&connections()) {
        for record in &stream.records {
            for (field, value) in record.data.as_object().unwrap() {
                let declared = &stream.manifest["schema"]["properties"][field]["type"];
                let actual = match value {
                    Value::Null => "null",
                    Value::Bool(_) => "boolean",
                    Value::Number(number) if number.is_f64() => "number",
                    Value::Number(_) => "integer",
                    Value::String(_) => "string",
                    Value::Array(_) => "array",
                    Value::Object(_) => "object",
                };
                let fits = |one: &Value| one == actual;
                assert!(
                    fits(declared) || declared.as_array().is_some_and(|all| all.iter().any(fits)),
                    "{field} of {}: {actual}, not {declared}",
                    record.key,
                );
            }
        }
    }
}

#[test]
fn shared_keys_hold_different_messages() {
    let connections = connections();
    for key in known::SHARED_KEYS {
        let [home, work] = [known::HOME_MAIL, known::WORK_MAIL].map(|connection| {
            let place = known::Place { connection, stream: known::MESSAGES, key, field: "body" };
            text(&connections, place).to_owned()
        });
        assert_ne!(home, work, "{key}");
    }
    let keys = |index: usize| -> BTreeSet<_> {
        connections[index].streams[0].records.iter().map(|record| record.key.as_str()).collect()
    };
    assert_eq!(keys(0).intersection(&keys(1)).count(), known::SHARED_KEYS.len());
}

#[test]
fn the_long_text_is_long_and_keeps_its_answer_for_the_end() {
    let connections = connections();
    let long = text(&connections, known::LONG_TEXT);
    assert!((3_000_000..5_000_000).contains(&long.len()), "{} bytes", long.len());
    let at = long.find(known::UNIQUE_PHRASE).unwrap();
    let (before, total) = (long[..at].chars().count(), long.chars().count());
    assert!(before * 50 >= total * 49, "{before} of {total} chars");
    assert_eq!(known::UNIQUE_PHRASE.to_lowercase(), known::UNIQUE_QUERY);
    let everything: String = streams(&connections).map(|(_, stream)| stream.ndjson()).collect();
    assert_eq!(everything.to_lowercase().matches(known::UNIQUE_QUERY).count(), 1);
}

#[test]
fn the_long_text_has_every_kind_of_character() {
    let connections = connections();
    let long = text(&connections, known::LONG_TEXT);
    for kind in [
        "👨\u{200d}👩\u{200d}👧",
        "🇨🇭",
        "\u{e007f}",
        "\u{fe0f}",
        "潮",
        "ש",
        "ق",
        "e\u{301}",
        "𠮷",
        "ẞ",
        "İ",
        "ς",
        "\u{1112}",
    ] {
        assert!(long.contains(kind), "{kind:?}");
    }
    assert!(!long.contains(['\0', '\r']) && !long.ends_with('\n'));
}

#[test]
fn sizes_are_as_promised() {
    let connections = connections();
    let medium = text(&connections, known::MEDIUM_TEXT).chars().count();
    assert!((27_000..33_000).contains(&medium), "{medium} chars");

    let json = known::LARGE_JSON.find(&connections).unwrap();
    assert!(json.to_string().len() > 8_192);
    let pointer = known::LARGE_JSON_POINTER.strip_prefix("/headers").unwrap();
    assert!(json.pointer(pointer).unwrap().as_str().unwrap().chars().count() > 5_000);

    assert!(bytes(&connections, known::SMALL_BLOB).len() < 8_192);
    let large = bytes(&connections, known::LARGE_BLOB).len();
    assert!((180_000..220_000).contains(&large), "{large} bytes");
}

#[test]
fn blobs_are_what_they_claim_to_be() {
    let connections = connections();
    assert!(bytes(&connections, known::SMALL_BLOB).starts_with(b"\x89PNG\r\n\x1a\n"));
    let pdf = String::from_utf8(bytes(&connections, known::INVOICE_BLOB)).unwrap();
    let table = pdf.find("xref\n").unwrap();
    assert!(pdf.starts_with("%PDF-1.4\n") && pdf.ends_with(&format!("startxref\n{table}\n%%EOF\n")));
    assert!(pdf.contains(known::INVOICE_NUMBER) && pdf.contains(known::INVOICE_EUR));
    let csv = String::from_utf8(bytes(&connections, known::LARGE_BLOB)).unwrap();
    assert!(csv.lines().all(|line| line.split(',').count() == 5));
    let blobs = streams(&connections)
        .flat_map(|(_, stream)| &stream.records)
        .filter(|record| record.data.get("attachment").is_some_and(Value::is_object))
        .count();
    assert_eq!(blobs, known::BLOBS.len());
}

#[test]
fn canaries_sing_in_one_place_only() {
    let connections = connections();
    let everything: String = streams(&connections).map(|(_, stream)| stream.ndjson()).collect();
    for canary in known::CANARIES {
        let value =
            canary.place.find(&connections).unwrap_or_else(|| panic!("nothing at {:?}", canary.place));
        assert!(value.to_string().contains(canary.text), "{}", canary.text);
        assert_eq!(everything.matches(canary.text).count(), 1, "{}", canary.text);
    }
}

#[test]
fn the_questions_of_the_demonstration_have_answers() {
    let connections = connections();
    assert!(text(&connections, known::ROOF_QUOTE).contains(known::ROOF_QUOTE_EUR));
    let invoice = text(&connections, known::INVOICE);
    assert!(invoice.contains(known::INVOICE_NUMBER) && invoice.contains(known::INVOICE_EUR));
}

#[test]
fn hostile_records_are_there() {
    let connections = connections();
    for key in known::HOSTILE_KEYS.iter().chain(known::ODD_KEYS) {
        let place = known::Place { connection: known::HOME_MAIL, stream: known::MESSAGES, key, field: "id" };
        assert_eq!(place.find(&connections), Some(&Value::from(*key)));
        assert!(place.id().ends_with(key));
    }
}

#[test]
fn ndjson_has_one_parsable_record_a_line() {
    for (_, stream) in streams(&connections()) {
        let lines = stream.ndjson();
        assert_eq!(lines.lines().count(), stream.records.len());
        for (line, record) in lines.lines().zip(&stream.records) {
            let parsed: Value = serde_json::from_str(line).unwrap();
            assert_eq!(parsed["key"], record.key);
            assert_eq!(parsed["data"], record.data);
            assert_eq!(parsed["emitted_at"], record.emitted_at);
        }
    }
}
