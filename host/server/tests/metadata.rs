//! What a client is told about authorization before it has a token.

use crate::authorization_server::AuthorizationServer;
use crate::client::Ask;
use crate::world::World;
use serde_json::json;
use stepwell_server::auth::config::Algorithm;
use stepwell_server::http::{HttpOptions, PublicUrl};

const ROOT: &str = "/.well-known/oauth-protected-resource";

#[tokio::test]
async fn both_paths_name_the_resource_and_its_authorization_server() {
    let world = World::new().await;
    let authority = AuthorizationServer::start().await;
    let mut auth = authority.signing(&[Algorithm::Es256]);
    auth.scopes = vec!["records:read".to_owned(), "offline".to_owned()];
    let public_url = Some(PublicUrl::parse("https://well.example/behind/mcp").unwrap());
    let server = world.serve(HttpOptions { public_url, auth, ..HttpOptions::default() }).await;
    for path in [ROOT.to_owned(), format!("{ROOT}/mcp"), format!("{ROOT}/behind/mcp")] {
        let answer = server.ask(&Ask::new("GET", &path)).await;
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some("*")), "{path}");
        let expected = json!({
            "resource": "https://well.example/behind/mcp",
            "authorization_servers": ["https://as.example"],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["records:read", "offline"],
            "resource_name": "Stepwell",
            "pdpp_token_kinds_supported": ["client"],
        });
        assert_eq!(answer.json(), expected, "{path}");
    }
    // Behind a proxy the server is asked under its public name, and says it in its challenge.
    let ask = Ask::legacy("tools/list", json!({})).instead("host", "well.example");
    let answer = server.ask(&ask).await;
    let challenge = answer.header("www-authenticate").unwrap();
    assert!(
        challenge.ends_with(
            "scope=\"records:read offline\", \
             resource_metadata=\"https://well.example/.well-known/oauth-protected-resource/behind/mcp\""
        ),
        "{challenge}"
    );
    assert_eq!(world.seen(), []);
}

#[tokio::test]
async fn a_store_without_an_authorization_server_names_none() {
    let world = World::new().await;
    let server = world.serve(HttpOptions::default()).await;
    let answer = server.ask(&Ask::new("GET", &format!("{ROOT}/mcp"))).await;
    let expected = json!({
        "resource": format!("http://{}/mcp", server.address),
        "bearer_methods_supported": ["header"],
        "resource_name": "Stepwell",
        "pdpp_token_kinds_supported": ["client"],
    });
    assert_eq!((answer.status, answer.json()), (200, expected));
    assert_eq!(server.ask(&Ask::new("GET", "/.well-known/openid-configuration")).await.status, 404);
    let elsewhere = Ask::new("GET", ROOT).instead("host", "evil.example");
    assert_eq!(server.ask(&elsewhere).await.code(), "host_not_allowed");
}

#[tokio::test]
async fn pages_of_named_origins_may_ask_and_are_told_so() {
    let world = World::new().await;
    let (_, token) = world.grant().await;
    let origins = vec!["https://app.example".to_owned()];
    let server = world.serve(HttpOptions { origins, ..HttpOptions::default() }).await;
    let preflight = |origin: &str| {
        Ask::new("OPTIONS", "/mcp").with("origin", origin).with("access-control-request-method", "POST")
    };
    let answer = server.ask(&preflight("https://app.example")).await;
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example"));
    assert!(answer.header("access-control-allow-headers").unwrap().contains("authorization"));
    for origin in ["https://evil.example", "null", "https://app.example.evil.example"] {
        let answer = server.ask(&preflight(origin)).await;
        assert_eq!((answer.status, answer.code().as_str()), (403, "origin_not_allowed"), "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    let ask = Ask::legacy("tools/list", json!({})).bearing(&token).with("origin", "https://app.example");
    let answer = server.ask(&ask).await;
    assert_eq!(
        (answer.status, answer.header("access-control-allow-origin")),
        (200, Some("https://app.example"))
    );
    assert_eq!(server.ask(&ask.instead("origin", "https://evil.example")).await.code(), "origin_not_allowed");
}
