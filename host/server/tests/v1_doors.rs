//! The doors before `/v1`: the same as before `/mcp`, in the words of a resource server. Tokens are tried in `token_matrix`.

use crate::authorization_server::{AuthorizationServer, ISSUER, now};
use crate::client::{Answer, Ask, PATIENCE, read_answer};
use crate::limits::{Lock, call, until_blocked};
use crate::world::{Running, World};
use serde_json::{Value, json};
use std::time::Duration;
use stepwell_server::auth::config::Algorithm;
use stepwell_server::http::{HttpOptions, PublicUrl, Times};
use stepwell_server::{AuthConfig, LimitsConfig, V1Config};
use stepwell_source::embedded::statement::Statement;
use tokio::io::AsyncWriteExt as _;

fn streams(token: &str) -> Ask {
    Ask::new("GET", "/v1/streams").bearing(token)
}

/// A question that reads the table which a test can lock.
fn records(token: &str) -> Ask {
    Ask::new("GET", "/v1/streams/notes/records").bearing(token)
}

fn fill(token: &str, lines: &str) -> Ask {
    let mut ask = Ask::new("POST", "/v1/ingest/notes?connection_id=home").bearing(token);
    lines.clone_into(&mut ask.body);
    ask
}

fn error(answer: &Answer) -> (u16, String, String) {
    let error = answer.json()["error"].take();
    let text = |name: &str| error[name].as_str().unwrap_or_else(|| panic!("{answer:?}")).to_owned();
    (answer.status, text("type"), text("code"))
}

fn said(status: u16, kind: &str, code: &str) -> (u16, String, String) {
    (status, kind.to_owned(), code.to_owned())
}

#[tokio::test]
async fn it_answers_under_known_names_and_to_known_pages() {
    let mut world = World::new().await;
    world.v1 = V1Config {
        public_url: Some(PublicUrl::parse("https://rs.example/pdpp").unwrap()),
        ..V1Config::default()
    };
    let (_, token) = world.grant().await;
    let options = HttpOptions {
        hosts: vec!["also.example".to_owned()],
        origins: vec!["https://app.example".to_owned()],
        public_url: Some(PublicUrl::parse("https://well.example/mcp").unwrap()),
        ..HttpOptions::default()
    };
    let server = world.serve(options).await;
    for host in ["localhost", "127.0.0.1:1", "rs.example", "also.example"] {
        let answer = streams(&token).instead("host", host).send(server.v1).await;
        assert_eq!(answer.status, 200, "{host}: {answer:?}");
    }
    world.seen();
    let forbidden = |code: &str| said(403, "permission_error", code);
    for (name, ask, expected) in [
        ("a foreign name", streams(&token).instead("host", "evil.example"), forbidden("host_not_allowed")),
        // Each address has its own name.
        (
            "the name of the other",
            streams(&token).instead("host", "well.example"),
            forbidden("host_not_allowed"),
        ),
        (
            "two names",
            streams(&token).with("host", "evil.example"),
            said(400, "invalid_request_error", "invalid_request"),
        ),
        (
            "a foreign page",
            streams(&token).with("origin", "https://evil.example"),
            forbidden("origin_not_allowed"),
        ),
        ("no page at all", streams(&token).with("origin", "null"), forbidden("origin_not_allowed")),
        (
            "a foreign page that asks first",
            Ask::new("OPTIONS", "/v1/streams")
                .with("origin", "https://evil.example")
                .with("access-control-request-method", "GET"),
            forbidden("origin_not_allowed"),
        ),
        (
            "a foreign page that fills",
            fill(&token, "").with("origin", "https://evil.example"),
            forbidden("origin_not_allowed"),
        ),
        (
            "nowhere, under a foreign name",
            Ask::new("GET", "/v1/nowhere").instead("host", "evil.example"),
            forbidden("host_not_allowed"),
        ),
    ] {
        let answer = ask.send(server.v1).await;
        assert_eq!(error(&answer), expected, "{name}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{name}");
    }
    assert_eq!(world.seen(), [], "none of them came to the store");
    let preflight = Ask::new("OPTIONS", "/v1/streams")
        .with("origin", "https://app.example")
        .with("access-control-request-method", "GET")
        .send(server.v1)
        .await;
    assert_eq!(
        (preflight.status, preflight.header("access-control-allow-origin")),
        (204, Some("https://app.example"))
    );
    assert!(preflight.header("access-control-allow-headers").unwrap().contains("pdpp-version"));
    let page = streams(&token).with("origin", "https://app.example").send(server.v1).await;
    assert_eq!((page.status, page.header("access-control-allow-origin")), (200, Some("https://app.example")));
}

#[tokio::test]
async fn it_says_where_to_get_a_token() {
    let mut world = World::new().await;
    let authority = AuthorizationServer::start().await;
    let root = "/.well-known/oauth-protected-resource";
    world.v1.public_url = Some(PublicUrl::parse("https://rs.example/pdpp").unwrap());
    let auth = authority.signing(&[Algorithm::Es256]);
    let server = world.serve(HttpOptions { auth, ..HttpOptions::default() }).await;
    for path in [root.to_owned(), format!("{root}/pdpp")] {
        let answer = Ask::new("GET", &path).send(server.v1).await;
        let expected = json!({
            "resource": "https://rs.example/pdpp",
            "authorization_servers": [ISSUER],
            "bearer_methods_supported": ["header"],
            "resource_name": "Stepwell",
            "pdpp_token_kinds_supported": ["client", "owner"],
        });
        assert_eq!((answer.status, answer.json()), (200, expected), "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    }
    let refused = Ask::new("GET", "/v1/streams").send(server.v1).await;
    let challenge = refused.header("www-authenticate").unwrap();
    let named = format!("resource_metadata=\"https://rs.example{root}/pdpp\"");
    assert!(challenge.ends_with(&named), "{challenge}");
}

/// A token is for the address that it names, unless the operator said that both are one.
#[tokio::test]
async fn each_address_has_an_audience_of_its_own() {
    let world = World::new().await;
    let (grant, _) = world.grant().await;
    let authority = AuthorizationServer::start().await;
    let auth = AuthConfig { audience: None, ..authority.signing(&[Algorithm::Es256]) };
    let server = world.serve(HttpOptions { auth, ..HttpOptions::default() }).await;
    let token = |audience: String| {
        let head = json!({ "alg": "ES256", "kid": "es" });
        let claims = json!({ "iss": ISSUER, "aud": audience, "exp": now() + 300, "grant_id": grant });
        authority.keys.sign(&head, &claims)
    };
    let (of_mcp, of_v1) =
        (token(format!("http://{}/mcp", server.address)), token(format!("http://{}", server.v1)));
    let list = |token: &str| Ask::legacy("tools/list", json!({})).bearing(token);
    assert_eq!(server.ask(&list(&of_mcp)).await.status, 200);
    assert_eq!(streams(&of_v1).send(server.v1).await.status, 200);
    assert_eq!(server.ask(&list(&of_v1)).await.status, 401);
    let refused = streams(&of_mcp).send(server.v1).await;
    assert_eq!(error(&refused), said(401, "authentication_error", "authentication_error"));
}

/// Owners' tokens are the store's own, whoever vouches for those who read.
#[tokio::test]
async fn only_owners_fill_streams() {
    let world = World::new().await;
    let authority = AuthorizationServer::start().await;
    let (grant, client) = world.grant().await;
    let owner = world.store.create_owner_token(None).await.unwrap().reveal().to_owned();
    let old = world.store.create_owner_token(Some(1_000)).await.unwrap().reveal().to_owned();
    let vouched = |kind: &str| {
        let claims = json!({
            "iss": ISSUER, "aud": crate::authorization_server::AUDIENCE, "exp": now() + 300, "grant_id": grant,
            "pdpp_token_kind": kind,
        });
        authority.keys.sign(&json!({ "alg": "ES256", "kid": "es" }), &claims)
    };
    let line = |key: &str| format!("{}\n", json!({ "key": key, "data": { "body": "new" } }));
    for (number, auth) in
        [AuthConfig::default(), authority.signing(&[Algorithm::Es256])].into_iter().enumerate()
    {
        let server = world.serve(HttpOptions { auth, ..HttpOptions::default() }).await;
        let unknown = || (said(401, "authentication_error", "authentication_error"), "invalid_token");
        for (name, ask, ((status, kind, code), challenge), asked) in [
            ("nobody", Ask::new("POST", "/v1/ingest/notes?connection_id=home"), unknown(), &[][..]),
            (
                "a client",
                fill(&client, &line("x")),
                (said(403, "permission_error", "insufficient_scope"), "insufficient_scope"),
                &[Statement::Authenticate],
            ),
            ("an old owner", fill(&old, &line("x")), unknown(), &[Statement::Authenticate]),
            (
                "an owner whom another server names",
                fill(&vouched("owner"), &line("x")),
                unknown(),
                &[Statement::Authenticate],
            ),
            (
                "a client whom another server names",
                fill(&vouched("client"), &line("x")),
                unknown(),
                &[Statement::Authenticate],
            ),
            (
                "an owner in the address",
                fill(&owner, &line("x"))
                    .to(&format!("/v1/ingest/notes?connection_id=home&access_token={owner}")),
                (said(400, "invalid_request_error", "invalid_request"), "invalid_request"),
                &[],
            ),
        ] {
            world.seen();
            let answer = ask.send(server.v1).await;
            assert_eq!(error(&answer), (status, kind, code), "{name}");
            let header = answer.header("www-authenticate").unwrap_or_else(|| panic!("{name}"));
            assert!(header.contains(&format!("error=\"{challenge}\"")), "{name}: {header}");
            let seen: Vec<Statement> = world.seen().into_iter().map(|seen| seen.statement).collect();
            assert_eq!(seen, asked, "{name}");
        }
        let filled = fill(&owner, &line(&format!("new-{number}"))).send(server.v1).await;
        assert_eq!((filled.status, &filled.json()["records_accepted"]), (200, &json!(1)), "{filled:?}");
        // An owner writes and never reads.
        let answer = streams(&owner).send(server.v1).await;
        assert_ne!(answer.status, 200, "{answer:?}");
    }
}

fn limited(limits: LimitsConfig) -> HttpOptions {
    HttpOptions { limits, ..HttpOptions::default() }
}

#[tokio::test]
async fn a_grant_has_one_rate_at_both_addresses() {
    let world = World::new().await;
    let ((_, fast), (_, slow)) = (world.grant().await, world.grant().await);
    let owner = world.store.create_owner_token(None).await.unwrap().reveal().to_owned();
    // A rate so low that nothing comes back while the test runs.
    let limits = LimitsConfig { requests_per_second: 1, burst: 300, ..LimitsConfig::default() };
    let server = world.serve(limited(LimitsConfig { burst: 2, ..limits })).await;
    assert_eq!(server.ask(&Ask::legacy("ping", json!({})).bearing(&fast)).await.status, 200);
    let mut refused = None;
    for _ in 0..50 {
        let answer = streams(&fast).send(server.v1).await;
        if answer.status != 200 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("a limit");
    assert_eq!(error(&refused), said(429, "rate_limit_error", "rate_limit_exceeded"));
    assert_eq!((refused.header("retry-after"), refused.header("www-authenticate")), (Some("1"), None));
    assert_eq!(streams(&slow).send(server.v1).await.status, 200, "others have their own");
    let mut statuses = Vec::new();
    for _ in 0..50 {
        statuses.push(fill(&owner, "").send(server.v1).await.status);
    }
    assert!(statuses[0] == 200 && statuses.contains(&429), "an owner has one too: {statuses:?}");
}

async fn found(stream: tokio::net::TcpStream) {
    let answer = read_answer(stream).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains("the roof leaks"), "{answer:?}");
}

#[tokio::test]
async fn places_are_shared_with_mcp_and_given_back() {
    let world = World::on_postgres().await;
    let ((_, busy), (_, calm)) = (world.grant().await, world.grant().await);
    let server =
        world.serve(limited(LimitsConfig { per_grant: 1, in_flight: 2, ..LimitsConfig::default() })).await;
    let lock = Lock::on(&world, "record").await;
    let first = call(&busy).begin(server.address).await;
    until_blocked(&world, 1).await;
    let waiting = [records(&busy).begin(server.v1).await, records(&busy).begin(server.v1).await];
    for stream in waiting {
        let answer = read_answer(stream).await;
        assert_eq!(error(&answer), said(429, "rate_limit_error", "rate_limit_exceeded"));
    }
    let second = records(&calm).begin(server.v1).await;
    until_blocked(&world, 2).await;
    let (_, third) = world.grant().await;
    let answer = records(&third).send(server.v1).await;
    assert_eq!(error(&answer), said(503, "api_error", "overloaded"));
    assert_eq!(answer.header("retry-after"), Some("1"));
    lock.release().await;
    assert_eq!(read_answer(first).await.status, 200);
    found(second).await;
    found(records(&busy).begin(server.v1).await).await;
}

#[tokio::test]
async fn whoever_leaves_or_waits_too_long_takes_the_statement_along() {
    let world = World::on_postgres().await;
    let (_, token) = world.grant().await;
    let server = world.serve(limited(LimitsConfig { answer_seconds: 5, ..LimitsConfig::default() })).await;
    let lock = Lock::on(&world, "record").await;
    let stream = records(&token).begin(server.v1).await;
    until_blocked(&world, 1).await;
    drop(stream);
    until_blocked(&world, 0).await;
    let answer = records(&token).send(server.v1).await;
    assert_eq!(error(&answer), said(504, "api_error", "answer_timeout"));
    until_blocked(&world, 0).await;
    lock.release().await;
    found(records(&token).begin(server.v1).await).await;
}

#[tokio::test]
async fn a_server_that_ends_finishes_what_was_asked_of_v1() {
    let world = World::on_postgres().await;
    let (_, token) = world.grant().await;
    let server = world.serve(HttpOptions::default()).await;
    let lock = Lock::on(&world, "record").await;
    let stream = records(&token).begin(server.v1).await;
    until_blocked(&world, 1).await;
    server.end();
    lock.release().await;
    found(stream).await;
    server.ended().await;
}

#[tokio::test]
async fn records_that_stop_coming_are_not_waited_for_and_what_came_is_kept() {
    let world = World::new().await;
    let owner = world.store.create_owner_token(None).await.unwrap().reveal().to_owned();
    let times = Times { body: Duration::from_secs(1), head: Duration::from_secs(1), ..Times::default() };
    let server: Running = world.serve(HttpOptions { times, ..HttpOptions::default() }).await;
    let lines = format!("{}\n{{\"key\": \"half", json!({ "key": "whole", "data": { "body": "new" } }));
    let stream = fill(&owner, &lines).with("content-length", "100000").begin(server.v1).await;
    let answer = read_answer(stream).await;
    assert_eq!(error(&answer), said(408, "invalid_request_error", "request_timeout"));
    let report: Value = answer.json()["error"].take();
    assert_eq!(
        (&report["records_accepted"], &report["records_rejected"]),
        (&json!(1), &json!(0)),
        "{report}"
    );
    // A head that does not come is not waited for either.
    let mut half = tokio::net::TcpStream::connect(server.v1).await.unwrap();
    half.write_all(b"GET /v1/streams HTTP/1.1\r\n").await.unwrap();
    let mut rest = Vec::new();
    let closed =
        tokio::time::timeout(PATIENCE, tokio::io::AsyncReadExt::read_to_end(&mut half, &mut rest)).await;
    let _ = closed.expect("the server closes");
    assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
}
