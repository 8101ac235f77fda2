//! What goes wrong, in the shape that clients show to a model.

use crate::mcp::way::{Era, Way};
use serde_json::{Value, json};
use stepwell_contract::handle::Handle;
use stepwell_contract::{ConnectionId, RecordId, StreamName};
use stepwell_sample::known;

/// The error object of a refused call, after all that holds for every refusal.
pub(crate) fn refusal(result: &Value) -> Value {
    assert_eq!(result["isError"], true, "{result}");
    assert!(result.get("structuredContent").is_none(), "{result}");
    let blocks = result["content"].as_array().unwrap();
    assert_eq!(blocks.len(), 1);
    let text = blocks[0]["text"].as_str().unwrap();
    let (sentence, object) = text.split_once('\n').unwrap();
    assert!(!object.contains('\n'), "{text}");
    let error = serde_json::from_str::<Value>(object).unwrap()["error"].take();
    let code = error["code"].as_str().unwrap();
    assert_eq!(sentence, format!("{code}: {}", error["message"].as_str().unwrap()));
    assert!(error["request_id"].as_str().unwrap().starts_with("req_"), "{error}");
    assert!(error["type"].is_string());
    error
}

/// Calls that are refused, with the code, and the argument that is to blame.
pub(crate) fn refused_calls() -> Vec<(&'static str, Value, &'static str, Option<&'static str>)> {
    let id = known::ROOF_QUOTE.id();
    vec![
        ("search", json!({}), "invalid_arguments", Some("q")),
        ("search", json!({ "q": "x", "limit": 101 }), "invalid_arguments", Some("limit")),
        ("search", json!({ "q": "x", "colour": "red" }), "invalid_arguments", Some("colour")),
        ("query_records", json!({ "stream": "nothing" }), "grant_stream_not_allowed", None),
        ("query_records", json!({ "stream": "messages", "order": "up" }), "invalid_arguments", Some("order")),
        ("query_records", json!({ "stream": "messages", "view": "nothing" }), "unknown_view", Some("view")),
        (
            "query_records",
            json!({ "stream": "messages", "expand": ["nothing"] }),
            "invalid_expand",
            Some("expand"),
        ),
        ("fetch", json!({ "id": id, "expand": ["nothing"] }), "invalid_expand", Some("expand")),
        ("aggregate", json!({ "stream": "messages" }), "invalid_arguments", Some("metric")),
        ("fetch", json!({ "id": "nonsense" }), "invalid_result_id", Some("id")),
        ("fetch", json!({ "id": "cin_home_mail/messages:none" }), "not_found", None),
        ("fetch", json!({ "id": id, "connection_id": "cin_work_mail" }), "conflicting_connection_id", None),
        (
            "fetch",
            json!({ "id": format!("messages:{}", known::SHARED_KEYS[0]) }),
            "ambiguous_connection",
            None,
        ),
        ("read_record_field", json!({ "id": id }), "invalid_arguments", None),
        (
            "read_record_field",
            json!({ "id": id, "field_path": "body", "limit_chars": 16_385 }),
            "invalid_arguments",
            Some("limit_chars"),
        ),
        (
            "read_record_field",
            json!({ "id": id, "field_path": "body", "before_chars": 5 }),
            "invalid_window_selector",
            Some("before_chars"),
        ),
        (
            "read_record_field",
            json!({ "id": id, "field_path": "body", "cursor": "x" }),
            "invalid_cursor",
            Some("cursor"),
        ),
        ("read_record_field", json!({ "id": id, "field_path": "nothing" }), "field_not_granted", None),
        (
            "read_record_field",
            json!({ "id": id, "field_path": "body", "q": "no such phrase" }),
            "query_not_found",
            Some("q"),
        ),
        (
            "query_records",
            json!({ "stream": "messages", "filter": { "from": { "like": "x" } } }),
            "invalid_filter",
            Some("filter.from"),
        ),
        ("search", json!({ "q": "x", "mode": "semantic" }), "unsupported_search_mode", Some("mode")),
        ("fetch", json!({ "id": "pdpp://record/!!" }), "invalid_result_id", Some("id")),
        ("fetch", json!({ "id": "cin_nothing/messages:x" }), "connection_not_found", None),
        ("read_record_field", json!({ "id": id, "field_path": "/a~2" }), "invalid_field_path", None),
        ("read_record_field", json!({ "id": id, "field_path": "/headers/none" }), "field_not_found", None),
        ("read_record_field", json!({ "id": id, "field_path": "is_read" }), "field_not_text", None),
        (
            "read_record_field",
            json!({ "id": known::LARGE_BLOB.id(), "field_path": known::LARGE_BLOB.field }),
            "field_not_text",
            None,
        ),
    ]
}

#[test]
fn every_refused_call_says_why() {
    for (name, mut way) in Way::all(&[]) {
        for (tool, arguments, code, param) in &refused_calls() {
            let error = refusal(&way.call(tool, arguments.clone()));
            assert_eq!(error["code"], *code, "{name}: {tool} {arguments}: {error}");
            if let Some(param) = param {
                assert_eq!(error["param"], *param, "{name}: {tool} {arguments}: {error}");
            }
        }
    }
}

#[test]
fn a_refusal_blames_an_argument_that_the_tool_has() {
    let id = known::ROOF_QUOTE.id();
    for (name, mut way) in Way::all(&[]) {
        let calls = [
            ("fetch", json!({ "id": id, "fields": ["nothing"] }), "fields"),
            ("query_records", json!({ "stream": "messages", "fields": ["nothing"] }), "fields"),
            ("aggregate", json!({ "stream": "messages", "metric": "sum", "field": "nothing" }), "field"),
            (
                "aggregate",
                json!({ "stream": "messages", "metric": "count", "group_by": "nothing" }),
                "group_by",
            ),
            ("search", json!({ "q": "x", "streams": ["nothing"] }), "streams"),
        ];
        for (tool, arguments, param) in calls {
            let error = refusal(&way.call(tool, arguments.clone()));
            assert_eq!(error["param"], param, "{name}: {tool} {arguments}: {error}");
        }
    }
}

#[test]
fn what_the_protocol_refuses_is_a_protocol_error() {
    let table = [
        ("tools/call", json!({ "name": "nothing" }), -32602),
        ("tools/call", json!({ "name": "search", "arguments": [1] }), -32602),
        ("tools/call", json!({ "name": "search", "arguments": "q" }), -32602),
        ("tools/list", json!({ "cursor": "unknown" }), -32602),
        ("resources/read", json!({}), -32602),
        ("resources/read", json!({ "uri": "pdpp://record/!!" }), -32602),
        ("resources/read", json!({ "uri": "https://example.org/" }), -32602),
        ("prompts/list", json!({ "cursor": "unknown" }), -32602),
        ("prompts/get", json!({ "name": "x" }), -32602),
        ("prompts/get", json!({ "name": "find" }), -32602),
        ("prompts/get", json!({}), -32602),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/resource", "uri": "x" }, "argument": { "name": "a", "value": "" } }),
            -32602,
        ),
        ("logging/setLevel", json!({ "level": "info" }), -32601),
        ("nothing/at_all", json!({}), -32601),
    ];
    for (name, mut way) in Way::all(&[]) {
        for (method, params, code) in &table {
            let reply = way.ask(method, params.clone());
            assert_eq!(reply["error"]["code"], *code, "{name}: {method} {params}: {reply}");
        }
        let ping = way.ask("ping", json!({}));
        match way.era() {
            Era::Legacy => assert_eq!(ping["result"], json!({}), "{name}"),
            Era::Modern => assert_eq!(ping["error"]["code"], -32601, "{name}"),
        }
    }
}

#[test]
fn a_resource_that_is_not_there_has_the_code_of_its_era() {
    for (name, mut way) in Way::all(&[]) {
        let uri = record_uri("cin_home_mail", "messages", "none");
        let reply = way.ask("resources/read", json!({ "uri": uri }));
        let code = if way.era() == Era::Legacy { -32002 } else { -32602 };
        assert_eq!(reply["error"]["code"], code, "{name}: {reply}");
        assert_eq!(reply["error"]["data"]["code"], "not_found");
        assert!(reply["error"]["data"]["request_id"].is_string());
    }
}

/// A URI as any client of the design could make it: it identifies and allows nothing.
fn record_uri(connection: &str, stream: &str, record: &str) -> String {
    let handle = Handle::Record {
        connection: Some(ConnectionId::new(connection).unwrap()),
        stream: StreamName::new(stream).unwrap(),
        record: RecordId::new(record).unwrap(),
    };
    handle.uri()
}

#[test]
fn an_argument_that_a_host_adds_is_ignored() {
    for (name, mut way) in Way::all(&[]) {
        let result = way.call("search", json!({ "q": "heron", "limit": 2.0, "wait_for_previous": true }));
        assert!(result.get("isError").is_none_or(|is| *is == false), "{name}: {result}");
        assert!(result["structuredContent"]["results"].is_array(), "{name}: {result}");
    }
}
