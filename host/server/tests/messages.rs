//! What is no message, what is a strange one, and what clients do that the protocol does not ask for.

use crate::client::{Answer, Ask, read_answer};
use crate::world::{Running, World};
use serde_json::{Value, json};
use stepwell_server::http::HttpOptions;
use tokio::io::AsyncWriteExt as _;

async fn open() -> (World, Running, String) {
    let world = World::new().await;
    let (_, token) = world.grant().await;
    let server = world.serve(HttpOptions::default()).await;
    (world, server, token)
}

fn error(answer: &Answer) -> (u16, i64, Value) {
    let body = answer.json();
    (
        answer.status,
        body["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer:?}")),
        body["id"].clone(),
    )
}

#[tokio::test]
async fn what_is_no_message_is_told_so_in_the_protocol_s_words() {
    let (world, server, token) = open().await;
    for (body, code, id) in [
        ("", -32700, Value::Null),
        ("{", -32700, Value::Null),
        ("\u{feff}{}", -32700, Value::Null),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping""#, -32700, Value::Null),
        ("[]", -32600, Value::Null),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, Value::Null),
        (r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, -32600, json!(7)),
        (r#"{"id":"a","method":"ping"}"#, -32600, json!("a")),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, Value::Null),
        ("null", -32600, Value::Null),
        ("\"ping\"", -32600, Value::Null),
    ] {
        let answer = server.ask(&Ask::message(body).bearing(&token)).await;
        assert_eq!(error(&answer), (400, code, id), "{body}");
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
    let mut nested = Ask::message(&"[".repeat(100_000)).bearing(&token);
    assert_eq!(error(&server.ask(&nested).await).0, 400);
    nested.body =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}"#, "{\"a\":".repeat(50_000));
    assert_eq!(error(&server.ask(&nested).await).0, 400);
    let plain = Ask::message("{}").instead("content-type", "text/plain").bearing(&token);
    assert_eq!(server.ask(&plain).await.status, 415, "another type is another matter");
    drop(world);
}

#[tokio::test]
async fn params_of_the_wrong_shape_are_invalid_and_unknown_methods_are_not_found() {
    let (_world, server, token) = open().await;
    for (method, params) in [
        ("tools/call", json!({ "name": "search", "arguments": [1] })),
        ("tools/call", json!({ "name": 5 })),
        ("tools/call", json!({})),
        ("tools/call", json!({ "name": "no_such_tool", "arguments": {} })),
        ("tools/list", json!({ "cursor": "made-up" })),
    ] {
        let answer = server.ask(&Ask::legacy(method, params.clone()).bearing(&token)).await;
        assert_eq!(error(&answer), (200, -32602, json!(1)), "{method} {params}: {answer:?}");
    }
    for method in ["prompts/get", "completion/complete"] {
        let answer = server.ask(&Ask::legacy(method, json!({})).bearing(&token)).await;
        assert_eq!(error(&answer), (200, -32602, json!(1)), "{method}: {answer:?}");
    }
    // Resources are off in this server: some clients ask for them all the same.
    for method in ["resources/list", "resources/templates/list", "logging/setLevel", "no/such/method"] {
        let answer = server.ask(&Ask::legacy(method, json!({})).bearing(&token)).await;
        assert_eq!(error(&answer), (200, -32601, json!(1)), "{method}: {answer:?}");
        let answer = server.ask(&Ask::modern(method, json!({})).bearing(&token)).await;
        assert_eq!(error(&answer), (404, -32601, json!(1)), "{method}: {answer:?}");
    }
    let answer = server.ask(&Ask::legacy("tools/list", json!({})).bearing(&token)).await;
    assert!(answer.json()["result"]["tools"].is_array(), "and the rest goes on");
}

#[tokio::test]
async fn results_of_the_newer_era_say_who_they_are_from() {
    let (_world, server, token) = open().await;
    let key = "io.modelcontextprotocol/serverInfo";
    let call = json!({ "name": "schema", "arguments": {} });
    let refused = json!({ "name": "fetch", "arguments": { "id": "home/notes:absent" } });
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("tools/call", call.clone()),
        ("tools/call", refused),
    ] {
        let answer = server.ask(&Ask::modern(method, params).bearing(&token)).await;
        let info = answer.json()["result"]["_meta"][key].take();
        assert_eq!(
            (&info["name"], &info["title"]),
            (&json!("stepwell"), &json!("Stepwell")),
            "{method} {answer:?}"
        );
        assert!(info["version"].is_string());
    }
    let answer = server.ask(&Ask::legacy("tools/call", call).bearing(&token)).await;
    assert!(answer.json()["result"]["_meta"].get(key).is_none(), "older clients were told when they began");
}

#[tokio::test]
async fn habits_of_clients_are_tolerated() {
    let (_world, server, token) = open().await;
    let opened = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "a test", "version": "1" },
    });
    // A new session for every call, as LangChain does; its calls name a session that there never was.
    for _ in 0..3 {
        let answer = server.ask(&Ask::legacy("initialize", opened.clone()).bearing(&token)).await;
        assert_eq!(answer.json()["result"]["protocolVersion"], "2025-11-25");
        assert_eq!(answer.header("mcp-session-id"), None);
        let notice = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
        assert_eq!(server.ask(&Ask::message(&notice).bearing(&token)).await.status, 202);
        let call = Ask::legacy("tools/call", json!({ "name": "schema", "arguments": {} }));
        let answer = server.ask(&call.bearing(&token).with("mcp-session-id", "made-up")).await;
        assert_eq!((answer.status, &answer.json()["result"]["isError"]), (200, &json!(false)), "{answer:?}");
        for method in ["GET", "DELETE"] {
            let ask = Ask::new(method, "/mcp").with("accept", "text/event-stream").bearing(&token);
            let answer = server.ask(&ask).await;
            assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
        }
    }
    // A cancel notice for a call that is long answered, as opencode sends, and one for a call that never was.
    for id in [json!(1), json!("never")] {
        let params = json!({ "requestId": id, "reason": "done" });
        let notice = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        assert_eq!(server.ask(&Ask::message(&notice.to_string()).bearing(&token)).await.status, 202);
    }
    let answer = server.ask(&Ask::legacy("ping", json!({})).bearing(&token)).await;
    assert_eq!((answer.status, answer.json()["result"].clone()), (200, json!({})));
}

#[tokio::test]
async fn heads_and_bodies_have_their_limits() {
    let (world, server, token) = open().await;
    let list = || Ask::legacy("tools/list", json!({})).bearing(&token);
    assert_eq!(server.ask(&list().with("x-long", &"x".repeat(200_000))).await.status, 431);
    let many = (0..100).fold(list(), |ask, number| ask.with(&format!("x-{number}"), "1"));
    assert_eq!(server.ask(&many).await.status, 431);
    world.seen();
    let mut large = list();
    large.body = " ".repeat(1024 * 1024 + 1);
    let answer = server.ask(&large).await;
    assert_eq!((answer.status, answer.code().as_str()), (413, "request_too_large"));
    // A length that is not announced is counted all the same.
    let chunked = list().with("transfer-encoding", "chunked");
    let mut stream = Ask { body: String::new(), ..chunked }.begin(server.address).await;
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    for _ in 0..17 {
        if stream.write_all(chunk.as_bytes()).await.is_err() {
            break;
        }
    }
    let answer = read_answer(stream).await;
    assert_eq!((answer.status, answer.code().as_str()), (413, "request_too_large"));
    assert_eq!(server.ask(&list()).await.status, 200);
}
