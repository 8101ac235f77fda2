use super::*;
use crate::grant::AccessMode;
use serde_json::json;

fn fault(value: &serde_json::Value) -> String {
    GrantDocument::parse(&value.to_string()).unwrap_err().to_string()
}

#[test]
fn reads_a_request_of_pdpp() {
    let read = GrantDocument::parse(
        r#"{"type":"https://pdpp.dev/data-access","source":{"id":"https://example.org/m.json","kind":"connector"},
            "client":{"client_id":"Claude"},"subject":{"id":"me"},"purpose_code":"research","purpose_description":"to learn",
            "access_mode":"single_use","retention":{"max_days":30},"expires_at":null,
            "streams":[{"name":"mail","necessity":"required","instance_ids":["home"],"fields":["subject"],
                        "time_range":{"since":"2026-01-01","until":"2026-02-01T00:00:00Z"},"resources":["m1"]},
                       {"name":"notes","view":"short"}]}"#,
    )
    .unwrap();
    assert_eq!((read.client.as_deref(), read.subject.as_deref()), (Some("Claude"), Some("me")));
    assert_eq!(read.terms.access_mode, AccessMode::SingleUse);
    assert_eq!(read.terms.retention, Some(json!({ "max_days": 30 })));
    let [mail, notes] = &read.streams[..] else { panic!("{read:?}") };
    assert_eq!(mail.fields, Selection::Fields(vec!["subject".into()]));
    assert_eq!((mail.since, mail.until), (Some(1_767_225_600_000), Some(1_769_904_000_000)));
    assert_eq!(mail.resources.as_ref().unwrap()[0].as_str(), "m1");
    assert_eq!((&notes.fields, notes.connections.len()), (&Selection::View("short".into()), 0));
}

#[test]
fn every_mistake_is_told_with_its_path() {
    let with = |member: &str, value: serde_json::Value| {
        let mut stream = json!({ "name": "mail" });
        stream[member] = value;
        json!({ "streams": [{ "name": "a" }, stream] })
    };
    for (document, expected) in [
        (json!([]), "\"(root)\" must be an object"),
        (json!({ "streams": [] }), "\"streams\" must be a list with at least one stream"),
        (json!({ "streams": [{ "name": "a" }], "predicate": 1 }), "a member \"predicate\" that is not known"),
        (json!({ "streams": [{ "name": "*" }, { "name": "a" }] }), "a single entry if it names \"*\""),
        (json!({ "streams": ["mail"] }), "\"streams[0]\" must be an object"),
        (json!({ "streams": [{}] }), "\"streams[0].name\" must be a string"),
        (
            json!({ "streams": [{ "name": "a" }], "access_mode": "forever" }),
            "\"access_mode\" must be single_use",
        ),
        (json!({ "streams": [{ "name": "a" }], "client": { "name": "x" } }), "a member \"client.name\""),
        (json!({ "streams": [{ "name": "a" }], "source": { "kind": "x" } }), "\"source.id\" must be"),
        (json!({ "streams": [{ "name": "a" }], "expires_at": "soon" }), "\"expires_at\" must be a moment"),
        (json!({ "streams": [{ "name": "a" }], "type": "other" }), "\"type\" must be \"https://pdpp.dev"),
        (with("name", json!("a/b")), "\"streams[1].name\" must be \"*\" or"),
        (with("filter", json!({})), "a member \"streams[1].filter\""),
        (with("fields", json!([])), "\"streams[1].fields\" must be a list with at least one"),
        (with("fields", json!([1])), "\"streams[1].fields\" must be a list of strings"),
        (with("instance_ids", json!(["a/b"])), "\"streams[1].instance_ids[0]\" must be the id"),
        (with("instance_ids", json!([])), "\"streams[1].instance_ids\" must be"),
        (with("resources", json!(["ok", ""])), "\"streams[1].resources[1]\" must be the key"),
        (with("time_range", json!({ "from": "2026-01-01" })), "a member \"streams[1].time_range.from\""),
        (with("time_range", json!({ "since": 5 })), "\"streams[1].time_range.since\" must be a string"),
    ] {
        assert!(fault(&document).contains(expected), "{document}: {}", fault(&document));
    }
    let both = json!({ "streams": [{ "name": "a", "view": "v", "fields": ["f"] }] });
    assert!(fault(&both).contains("\"streams[0].view\" must be left out"), "{}", fault(&both));
    assert!(GrantDocument::parse("{").unwrap_err().to_string().contains("no JSON"));
}
