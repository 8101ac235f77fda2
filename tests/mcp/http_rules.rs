//! Who gets in over HTTP, and how the rest is turned away.

use crate::mcp::http::{Answer, Http};
use crate::mcp::way::Era;
use crate::mcp::world::{STREAMS, World};
use crate::program::block_on;
use serde_json::json;

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

fn open(arguments: &[&str]) -> Http {
    let world = World::shared();
    Http::open(world, &world.all, arguments)
}

fn list(http: &Http, era: Era, more: &[(&str, &str)]) -> Answer {
    http.post(era, "tools/list", json!({}), more)
}

#[test]
fn every_request_needs_a_token_that_counts() {
    let http = open(&[]);
    for era in ERAS {
        for (authorization, status, challenge) in [
            ("", 401, "invalid_token"),
            ("Bearer swc_unknown", 401, "invalid_token"),
            ("Basic dXNlcjpwYXNz", 401, "invalid_token"),
            ("Bearer", 400, "invalid_request"),
            ("Bearer two words", 400, "invalid_request"),
        ] {
            let answer = list(&http, era, &[("authorization", authorization)]);
            assert_eq!(answer.status, status, "{authorization}: {answer:?}");
            let header = answer.header("www-authenticate").unwrap();
            assert!(
                header.starts_with("Bearer ") && header.contains(&format!("error=\"{challenge}\"")),
                "{header}"
            );
            assert!(answer.json()["error"]["request_id"].is_string());
            assert!(!answer.body.contains("swc_unknown") && !header.contains("swc_unknown"));
        }
        let answer = list(&http, era, &[]);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some("application/json")),
            "{answer:?}"
        );
        assert!(answer.header("mcp-session-id").is_none());
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
    // A token in the address is refused, whatever else the request brings.
    let path = format!("/mcp?access_token={}", http.token);
    let headers = [("host", http.address.as_str()), ("content-type", "application/json")];
    assert_eq!(http.send("POST", &path, &headers, "{}").status, 400);
}

#[test]
fn an_owner_s_token_is_refused() {
    let world = World::new();
    let mut http = Http::open(&world, &world.all, &[]);
    http.token = block_on(async {
        world.store.open().await.create_owner_token(None).await.unwrap().reveal().to_owned()
    });
    let answer = list(&http, Era::Legacy, &[]);
    assert_eq!(answer.status, 403);
    assert_eq!(answer.json()["error"]["code"], "owner_token_refused");
}

#[test]
fn a_revoked_grant_ends_with_the_next_request() {
    let world = World::new();
    let granted = world.store.grant(STREAMS);
    let http = Http::open(&world, &granted, &[]);
    assert_eq!(list(&http, Era::Modern, &[]).status, 200);
    world.store.run(&["grant", "revoke", &granted.id]).assert_code(0);
    let answer = list(&http, Era::Modern, &[]);
    assert_eq!(answer.status, 401);
    assert!(answer.header("www-authenticate").unwrap().contains("invalid_token"));
}

#[test]
fn only_posts_with_the_right_headers_are_read() {
    let http = open(&[]);
    let bearer = format!("Bearer {}", http.token);
    let headers =
        [("host", http.address.as_str()), ("authorization", &bearer), ("accept", "text/event-stream")];
    for method in ["GET", "DELETE", "PUT"] {
        let answer = http.send(method, "/mcp", &headers, "");
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
    }
    assert_eq!(http.send("POST", "/elsewhere", &headers, "").status, 404);
    assert_eq!(list(&http, Era::Legacy, &[("accept", "application/json")]).status, 406);
    assert_eq!(list(&http, Era::Legacy, &[("content-type", "text/plain")]).status, 415);
    assert_eq!(list(&http, Era::Legacy, &[("mcp-protocol-version", "1999-01-01")]).status, 400);
    assert_eq!(list(&http, Era::Modern, &[("mcp-method", "tools/call")]).status, 400);
    let large = json!({ "name": "search", "arguments": { "q": "x".repeat(2 * 1024 * 1024) } });
    assert_eq!(http.post(Era::Legacy, "tools/call", large, &[]).status, 413);
}

#[test]
fn a_web_page_cannot_reach_in() {
    let http = open(&[]);
    for era in ERAS {
        assert_eq!(list(&http, era, &[("host", "evil.example")]).status, 403);
        for origin in ["https://evil.example", "http://localhost:3000", "null"] {
            assert_eq!(list(&http, era, &[("origin", origin)]).status, 403, "{origin}");
        }
        let port = http.address.rsplit(':').next().unwrap();
        assert_eq!(list(&http, era, &[("host", &format!("localhost:{port}"))]).status, 200);
    }
    let http = open(&["--allow-host", "well.example", "--allow-origin", "https://app.example"]);
    assert_eq!(list(&http, Era::Modern, &[("host", "well.example")]).status, 200);
    assert_eq!(list(&http, Era::Modern, &[("origin", "https://app.example")]).status, 200);
    assert_eq!(list(&http, Era::Modern, &[("origin", "https://app.example:8443")]).status, 403);
    assert_eq!(list(&http, Era::Modern, &[("host", "evil.example")]).status, 403);
}
