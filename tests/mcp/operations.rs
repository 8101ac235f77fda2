//! What an operator sees of the program: its own listener, and a log of objects.

use crate::mcp::http::Http;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;

/// Asks for a page and gives all of the answer.
pub(crate) fn page(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the listener is there");
    let head = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn the_operator_has_a_listener_and_a_log_without_content() {
    let world = World::shared();
    let config = world.store.file(
        "operations.toml",
        "[server]\nadmin = \"127.0.0.1:0\"\nlog = \"info\"\nlog_format = \"json\"\n[limits]\nper_grant = 3\n",
    );
    let http = Http::open(world, &world.all, &["--config", &config]);
    let admin = http.admin.clone().expect("it says where");
    let call = json!({ "name": "search", "arguments": { "q": "roof" } });
    assert_eq!(http.post(Era::Modern, "tools/call", call, &[]).status, 200);
    assert_eq!(
        http.post(Era::Legacy, "tools/list", json!({}), &[("authorization", "Bearer swc_unknown")]).status,
        401
    );
    assert!(page(&admin, "/readyz").starts_with("HTTP/1.1 200"));
    let metrics = page(&admin, "/metrics");
    assert!(
        metrics.contains("stepwell_requests_total{method=\"tools/call\",tool=\"search\",outcome=\"ok\"} 1"),
        "{metrics}"
    );
    assert!(metrics.contains("stepwell_tier_calls_total{tier=\"preview\"}"), "{metrics}");
    assert!(metrics.trim_end().ends_with("# EOF"));
    for connection in stepwell_sample::connections() {
        assert!(!metrics.contains(connection.id), "{metrics}");
    }

    let token = http.token.clone();
    let Http { mut server, .. } = http;
    assert!(Command::new("kill").arg(server.0.id().to_string()).status().unwrap().success());
    let mut log = String::new();
    server.0.stderr.take().expect("a pipe").read_to_string(&mut log).expect("a log");
    assert!(server.0.wait().unwrap().success());
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no object: {line}")))
        .collect();
    let answered: Vec<_> = lines.iter().filter(|line| line["message"] == "answered").collect();
    let of = |status: u16| answered.iter().find(|line| line["status"] == status).expect("a line");
    assert_eq!((&of(200)["tool"], &of(200)["outcome"]), (&json!("search"), &json!("ok")), "{log}");
    assert!(of(200)["request_id"].is_string() && of(200)["bytes_out"].as_u64() > Some(100), "{log}");
    assert_eq!(of(401)["outcome"], "invalid_token", "{log}");
    assert!(!log.contains(&token) && !log.contains("swc_unknown") && !log.contains("roof"), "{log}");
}
