//! Every way in which a token can be wrong, with the exact answer of `/mcp` and of `/v1`, and with the store untouched where
//! it need not be asked.

use crate::authorization_server::{AUDIENCE, AuthorizationServer, ISSUER, Keys, Manner, now, unsigned};
use crate::client::{Answer, Ask};
use crate::world::{Running, World};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::signature::KeyPair as _;
use serde_json::{Value, json};
use std::time::Duration;
use stepwell_server::auth::config::Algorithm;
use stepwell_server::http::HttpOptions;
use stepwell_source::embedded::statement::Statement;

const ALL: [Algorithm; 3] = [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa];

/// What a refused request may ask of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Store {
    /// Nothing.
    Untouched,
    /// Whose token or grant it is.
    Asked(Statement),
}

/// How a request is refused.
#[derive(Clone, Copy, Debug)]
struct Refused {
    status: u16,
    challenge: Option<&'static str>,
    class: &'static str,
    code: &'static str,
    message: &'static str,
    store: Store,
}

impl Refused {
    /// A token that does not count: 401.
    const fn token(message: &'static str) -> Self {
        Self {
            status: 401,
            challenge: Some("invalid_token"),
            class: "authorization_error",
            code: "invalid_token",
            message,
            store: Store::Untouched,
        }
    }

    /// A grant that ended: 401.
    const fn grant(code: &'static str, message: &'static str, asked: Statement) -> Self {
        Self { code, store: Store::Asked(asked), ..Self::token(message) }
    }

    /// A request that is none: 400.
    const fn request(message: &'static str) -> Self {
        Self {
            status: 400,
            challenge: Some("invalid_request"),
            class: "adapter_error",
            code: "invalid_request",
            ..Self::token(message)
        }
    }

    /// An owner's token: 403.
    const fn owner(store: Store) -> Self {
        Self {
            status: 403,
            challenge: Some("insufficient_scope"),
            code: "owner_token_refused",
            store,
            ..Self::token("an owner token does not read records through this door")
        }
    }

    const fn asking(self, statement: Statement) -> Self {
        Self { store: Store::Asked(statement), ..self }
    }
}

const ABSENT: Refused = Refused::token("the request carries no bearer token");
const MALFORMED: Refused = Refused::request("the Authorization header is malformed");
const IN_ADDRESS: Refused = Refused::request("a token does not belong into an address");
const NO_JWT: Refused = Refused::token("the token is no signed JWT");
const ALGORITHM: Refused = Refused::token("the token is signed in a way that does not count here");
const KEY: Refused = Refused::token("the token is signed by a key that is not known");
const SIGNATURE: Refused = Refused::token("the signature of the token is not right");
const ISSUED: Refused = Refused::token("the token is of an issuer that is not trusted here");
const MEANT: Refused = Refused::token("the token is for another audience");
const EXPIRED: Refused = Refused::token("the token has expired");
const EARLY: Refused = Refused::token("the token does not count yet");
const NO_GRANT: Refused = Refused::token("the token names no grant");
const UNKNOWN: Refused = Refused::token("the token is unknown, expired or revoked");
const MOMENT: Refused = Refused::token("the token says no moment where it has to");
const KIND: Refused = Refused::token("the token is of a kind that does not read records");
const SILENT: Refused = Refused {
    status: 503,
    challenge: None,
    code: "authorization_unavailable",
    ..Refused::token("the authorization server could not be asked about the token")
};
const NO_SUCH_GRANT: Refused =
    Refused::token("the token names no grant that is known here").asking(Statement::Admit);
const REVOKED: Refused = Refused::grant("grant_revoked", "the owner revoked the grant", Statement::Admit);

fn list() -> Ask {
    Ask::legacy("tools/list", json!({}))
}

/// The same request to `/v1`.
fn at_v1(ask: &Ask) -> Ask {
    let mut same = Ask::new("GET", &ask.path.replace("/mcp", "/v1/streams"));
    same.headers.extend(ask.headers.iter().filter(|(name, _)| name == "authorization").cloned());
    same
}

/// Sends a request to both doors and holds the answers against what is expected, to the letter.
async fn refused(world: &World, server: &Running, name: &str, ask: &Ask, expected: Refused) {
    refused_by_mcp(world, server, name, ask, expected).await;
    refused_by_v1(world, server, name, &at_v1(ask), expected).await;
}

/// A resource server has its own words for the same: no difference between no token and a malformed one, and 403 for a
/// grant that ended.
async fn refused_by_v1(world: &World, server: &Running, name: &str, ask: &Ask, expected: Refused) {
    let name = format!("{name}, at /v1");
    world.seen();
    let answer = ask.send(server.v1).await;
    let (status, kind, code) = match expected.code {
        "invalid_token" => (401, "authentication_error", "authentication_error"),
        "invalid_request" if expected.message == MALFORMED.message => {
            (401, "authentication_error", "authentication_error")
        }
        "invalid_request" => (400, "invalid_request_error", "invalid_request"),
        "authorization_unavailable" => (503, "api_error", "authorization_unavailable"),
        code => (403, "permission_error", code),
    };
    assert_eq!(answer.status, status, "{name}: {answer:?}");
    assert_eq!(
        answer.header("www-authenticate"),
        challenge(&server.v1.to_string(), expected).as_deref(),
        "{name}"
    );
    assert_eq!(answer.header("content-type"), Some("application/json"), "{name}");
    assert_eq!(answer.header("cache-control"), Some("private, no-store"), "{name}");
    assert_eq!(answer.header("retry-after"), (status == 503).then_some("1"), "{name}");
    assert_eq!(answer.header("pdpp-version"), Some("2026-04-06"), "{name}");
    assert_eq!(answer.header("request-id"), answer.header("x-request-id"), "{name}");
    let mut error = answer.json()["error"].take();
    let error = error.as_object_mut().unwrap_or_else(|| panic!("{name}: {answer:?}"));
    assert!(error.remove("hint").is_none_or(|hint| hint.is_string()), "{name}");
    let expected_error = json!({
        "type": kind,
        "code": code,
        "message": expected.message,
        "request_id": answer.header("x-request-id"),
    });
    assert_eq!(Value::Object(error.clone()), expected_error, "{name}");
    left_alone(world, &name, ask, &answer, expected);
}

fn challenge(resource: &str, expected: Refused) -> Option<String> {
    let (address, path) = resource.split_once('/').map_or((resource, ""), |(address, _)| (address, "/mcp"));
    let metadata = format!("http://{address}/.well-known/oauth-protected-resource{path}");
    expected.challenge.map(|error| {
        let description = expected.message;
        format!(
            "Bearer realm=\"stepwell\", error=\"{error}\", error_description=\"{description}\", \
             resource_metadata=\"{metadata}\""
        )
    })
}

/// The store was asked for no more than it had to be, and the token is not repeated.
fn left_alone(world: &World, name: &str, ask: &Ask, answer: &Answer, expected: Refused) {
    let asked: Vec<Statement> = world.seen().into_iter().map(|seen| seen.statement).collect();
    match expected.store {
        Store::Untouched => assert_eq!(asked, [], "{name}"),
        Store::Asked(statement) => assert_eq!(asked, [statement], "{name}"),
    }
    for (header, value) in &ask.headers {
        if let Some(token) =
            value.strip_prefix("Bearer ").filter(|token| header == "authorization" && token.len() > 8)
        {
            assert!(
                !answer.body.contains(token) && !format!("{:?}", answer.headers).contains(token),
                "{name}"
            );
        }
    }
}

async fn refused_by_mcp(world: &World, server: &Running, name: &str, ask: &Ask, expected: Refused) {
    world.seen();
    let answer = server.ask(ask).await;
    assert_eq!(answer.status, expected.status, "{name}: {answer:?}");
    let challenge = challenge(&format!("{}/mcp", server.address), expected);
    assert_eq!(answer.header("www-authenticate"), challenge.as_deref(), "{name}");
    assert_eq!(answer.header("content-type"), Some("application/json"), "{name}");
    assert_eq!(answer.header("cache-control"), Some("no-store"), "{name}");
    assert_eq!(answer.header("retry-after"), (expected.status == 503).then_some("1"), "{name}");
    let mut error = answer.json()["error"].take();
    let error = error.as_object_mut().unwrap_or_else(|| panic!("{name}: {answer:?}"));
    assert!(error.remove("hint").is_none_or(|hint| hint.is_string()), "{name}");
    let expected_error = json!({
        "type": expected.class,
        "code": expected.code,
        "message": expected.message,
        "http_status": expected.status,
        "request_id": answer.header("x-request-id"),
    });
    assert_eq!(Value::Object(error.clone()), expected_error, "{name}");
    left_alone(world, name, ask, &answer, expected);
}

async fn admitted(server: &Running, name: &str, ask: &Ask) {
    let answer = server.ask(ask).await;
    assert_eq!(answer.status, 200, "{name}: {answer:?}");
    assert!(answer.json()["result"]["tools"].is_array(), "{name}: {answer:?}");
    let answer = at_v1(ask).send(server.v1).await;
    assert_eq!(
        (answer.status, &answer.json()["data"][0]["name"]),
        (200, &json!("notes")),
        "{name}: {answer:?}"
    );
}

#[tokio::test]
async fn tokens_of_the_store() {
    let world = World::new().await;
    let (_, good) = world.grant().await;
    let (ended, revoked) = world.grant().await;
    world.store.revoke_grant(&ended).await.unwrap();
    let (_, expired) = world.grant_until(Some(1_000)).await;
    let owner = world.store.create_owner_token(None).await.unwrap().reveal().to_owned();
    let old_owner = world.store.create_owner_token(Some(1_000)).await.unwrap().reveal().to_owned();
    let server = world.serve(HttpOptions::default()).await;
    let authorized = |value: &str| list().with("authorization", value);
    let altered = format!("{}{}", &good[..good.len() - 1], if good.ends_with('A') { 'B' } else { 'A' });
    let unknown = UNKNOWN.asking(Statement::Authenticate);
    let foreign = unsigned(&json!({ "alg": "none" }), &json!({ "grant_id": ended }));
    for (name, ask, expected) in [
        ("absent", list(), ABSENT),
        ("empty", authorized(""), ABSENT),
        ("another scheme", authorized("Basic dXNlcjpwYXNz"), ABSENT),
        ("another scheme with the token", authorized(&format!("Token {good}")), ABSENT),
        ("no token behind the scheme", authorized("Bearer"), MALFORMED),
        ("two words", authorized("Bearer two words"), MALFORMED),
        ("two spaces", authorized(&format!("Bearer  {good}")), MALFORMED),
        ("quoted", authorized(&format!("Bearer \"{good}\"")), MALFORMED),
        ("a list", authorized(&format!("Bearer {good},{good}")), MALFORMED),
        ("not ASCII", authorized("Bearer schlüssel"), MALFORMED),
        ("twice the same", list().bearing(&good).bearing(&good), MALFORMED),
        ("two different", list().bearing(&good).bearing(&revoked), MALFORMED),
        ("huge", list().bearing(&"a".repeat(9_000)), MALFORMED),
        ("unknown", list().bearing("swc_unknown"), unknown),
        ("altered", list().bearing(&altered), unknown),
        ("cut", list().bearing(&good[..20]), unknown),
        ("of another server", list().bearing(&format!("{foreign}.")), unknown),
        ("an old owner's", list().bearing(&old_owner), unknown),
        ("an owner's", list().bearing(&owner), Refused::owner(Store::Asked(Statement::Authenticate))),
        (
            "of a revoked grant",
            list().bearing(&revoked),
            Refused::grant("grant_revoked", "the owner revoked the grant", Statement::Authenticate),
        ),
        (
            "of an expired grant",
            list().bearing(&expired),
            Refused::grant("grant_expired", "the grant has expired", Statement::Authenticate),
        ),
        ("in the address", list().to(&format!("/mcp?access_token={good}")), IN_ADDRESS),
        (
            "in the address too",
            list().bearing(&good).to(&format!("/mcp?a=b&access_token={good}")),
            IN_ADDRESS,
        ),
        ("in the address, in disguise", list().to(&format!("/mcp?Access%5FToken={good}")), IN_ADDRESS),
    ] {
        refused(&world, &server, name, &ask, expected).await;
    }
    admitted(&server, "as it should be", &list().bearing(&good)).await;
    admitted(&server, "the scheme in lower case", &authorized(&format!("bearer {good}"))).await;
}

/// The claims of a good token for a grant, with some of them changed; null takes one away.
fn claims(grant: &str, change: Value) -> Value {
    let mut claims = json!({
        "iss": ISSUER, "aud": AUDIENCE, "exp": now() + 300, "iat": now(), "sub": "someone", "grant_id": grant,
    });
    for (name, value) in change.as_object().unwrap() {
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value.clone(),
        }
    }
    claims
}

#[tokio::test]
async fn signed_tokens() {
    let world = World::new().await;
    let (grant, own) = world.grant().await;
    let (ended, _) = world.grant().await;
    world.store.revoke_grant(&ended).await.unwrap();
    let authority = AuthorizationServer::start().await;
    let options = HttpOptions { auth: authority.signing(&ALL), ..HttpOptions::default() };
    let server = world.serve(options).await;
    let (keys, stranger) = (&authority.keys, Keys::new());
    let es = || json!({ "alg": "ES256", "kid": "es", "typ": "at+jwt" });
    let with = |change: Value| {
        let mut head = es();
        for (name, value) in change.as_object().unwrap() {
            head[name] = value.clone();
        }
        head
    };
    let good = claims(&grant, json!({}));
    let said = |change: Value| keys.sign(&es(), &claims(&grant, change));

    for (name, token) in [
        ("ES256", keys.sign(&es(), &good)),
        ("EdDSA", keys.sign(&json!({ "alg": "EdDSA", "kid": "ed" }), &good)),
        ("RS256", keys.sign(&json!({ "alg": "RS256", "kid": "rs", "typ": "JWT" }), &good)),
        ("the one key of its kind", keys.sign(&json!({ "alg": "ES256" }), &good)),
        ("one audience of two", said(json!({ "aud": ["https://else.example", AUDIENCE] }))),
        ("the kind said", said(json!({ "pdpp_token_kind": "client" }))),
        ("a moment too old", said(json!({ "exp": now() - 1 }))),
        (
            "its own key brought along, and not needed",
            keys.sign(&with(json!({ "jwk": { "kty": "oct" } })), &good),
        ),
    ] {
        admitted(&server, name, &list().bearing(&token)).await;
    }

    let signed = keys.sign(&es(), &good);
    let (message, signature) = signed.rsplit_once('.').unwrap();
    let shared_secret = |head: Value, secret: &[u8]| {
        let message = unsigned(&head, &good);
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), message.as_bytes());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(tag))
    };
    let public = keys.es256.public_key().as_ref();
    let other = unsigned(&es(), &claims("grt_other", json!({})));
    let own_key = json!({
        "kty": "EC", "crv": "P-256",
        "x": URL_SAFE_NO_PAD.encode(&stranger.es256.public_key().as_ref()[1..33]),
        "y": URL_SAFE_NO_PAD.encode(&stranger.es256.public_key().as_ref()[33..]),
    });
    let twice = URL_SAFE_NO_PAD.encode(r#"{"alg":"none","alg":"ES256","kid":"es"}"#);
    for (name, token, expected) in [
        ("a token of the store", own, NO_JWT),
        ("two parts", message.to_owned(), NO_JWT),
        ("four parts", format!("{signed}.{signature}"), NO_JWT),
        ("no base64", "a.b.c!".to_owned(), MALFORMED),
        ("padded", format!("{signed}=="), NO_JWT),
        ("an algorithm named twice", format!("{twice}.{}", signed.split_once('.').unwrap().1), NO_JWT),
        ("no signature", format!("{}.", unsigned(&json!({ "alg": "none" }), &good)), ALGORITHM),
        (
            "none with a key",
            format!("{}.{signature}", unsigned(&with(json!({ "alg": "none" })), &good)),
            ALGORITHM,
        ),
        ("None", format!("{}.", unsigned(&with(json!({ "alg": "None" })), &good)), ALGORITHM),
        (
            "the public key as a secret",
            shared_secret(json!({ "alg": "HS256", "kid": "es" }), public),
            ALGORITHM,
        ),
        (
            "a published secret",
            shared_secret(json!({ "alg": "HS256", "kid": "secret" }), &[7; 32]),
            ALGORITHM,
        ),
        ("a secret that calls itself a key", shared_secret(es(), public), SIGNATURE),
        ("ES384", format!("{}.{signature}", unsigned(&with(json!({ "alg": "ES384" })), &good)), ALGORITHM),
        ("an unknown key", keys.sign(&with(json!({ "kid": "else" })), &good), KEY),
        ("a key of another kind", keys.sign(&with(json!({ "kid": "rs" })), &good), KEY),
        ("a key for encryption", keys.sign(&json!({ "alg": "RS256", "kid": "for-encryption" }), &good), KEY),
        ("signed by a stranger", stranger.sign(&es(), &good), SIGNATURE),
        ("a stranger's key inside", stranger.sign(&with(json!({ "jwk": own_key })), &good), SIGNATURE),
        (
            "a stranger's key set",
            stranger.sign(&with(json!({ "jku": "http://127.0.0.1:1/" })), &good),
            SIGNATURE,
        ),
        ("other claims", format!("{other}.{signature}"), SIGNATURE),
        ("half a signature", format!("{message}.{}", &signature[..40]), SIGNATURE),
        ("an empty signature", format!("{message}."), SIGNATURE),
        (
            "an extension that must be known",
            keys.sign(&with(json!({ "crit": ["b64"], "b64": false })), &good),
            Refused::token("the token insists on an extension that is not known here"),
        ),
        (
            "a token for another end",
            keys.sign(&with(json!({ "typ": "logout+jwt" })), &good),
            Refused::token("the token is of another type than an access token"),
        ),
        ("another issuer", said(json!({ "iss": "https://evil.example" })), ISSUED),
        ("no issuer", said(json!({ "iss": null })), ISSUED),
        ("another audience", said(json!({ "aud": "https://else.example/mcp" })), MEANT),
        ("an audience that begins alike", said(json!({ "aud": "https://well.example/mcp/else" })), MEANT),
        ("no audience", said(json!({ "aud": null })), MEANT),
        ("expired", said(json!({ "exp": now() - 60 })), EXPIRED),
        ("no expiry", said(json!({ "exp": null })), Refused::token("the token does not say when it expires")),
        ("an expiry in words", said(json!({ "exp": "never" })), MOMENT),
        ("not yet", said(json!({ "nbf": now() + 600 })), EARLY),
        ("an owner's", said(json!({ "pdpp_token_kind": "owner" })), Refused::owner(Store::Untouched)),
        ("a package", said(json!({ "pdpp_token_kind": "mcp_package" })), KIND),
        ("no grant", said(json!({ "grant_id": null })), NO_GRANT),
        ("a number for a grant", said(json!({ "grant_id": 7 })), NO_GRANT),
        ("an unknown grant", said(json!({ "grant_id": "grt_else" })), NO_SUCH_GRANT),
        ("a grant in SQL", said(json!({ "grant_id": "' OR 1=1 --" })), NO_SUCH_GRANT),
        ("a revoked grant", said(json!({ "grant_id": ended })), REVOKED),
    ] {
        refused(&world, &server, name, &list().bearing(&token), expected).await;
    }
    assert_eq!(authority.looks(), 1, "unknown keys are no reason to ask again and again");
}

#[tokio::test]
async fn only_pinned_algorithms_count_and_a_server_without_keys_vouches_for_nobody() {
    let world = World::new().await;
    let (grant, _) = world.grant().await;
    let authority = AuthorizationServer::start().await;
    let claims = claims(&grant, json!({}));
    let rs = authority.keys.sign(&json!({ "alg": "RS256", "kid": "rs" }), &claims);
    let ed = authority.keys.sign(&json!({ "alg": "EdDSA", "kid": "ed" }), &claims);
    let auth = authority.signing(&[Algorithm::EdDsa]);
    let server = world.serve(HttpOptions { auth, ..HttpOptions::default() }).await;
    refused(&world, &server, "not pinned", &list().bearing(&rs), ALGORITHM).await;
    admitted(&server, "pinned", &list().bearing(&ed)).await;

    authority.publish(json!("no keys"));
    let server = world.serve(HttpOptions { auth: authority.signing(&ALL), ..HttpOptions::default() }).await;
    refused(&world, &server, "no keys", &list().bearing(&ed), SILENT).await;
    refused(&world, &server, "still none", &list().bearing(&ed), SILENT).await;
    assert_eq!(authority.looks(), 2, "it is not asked again at once");
}

#[tokio::test]
async fn tokens_that_are_asked_about() {
    let world = World::new().await;
    let (grant, own) = world.grant().await;
    let (ended, _) = world.grant().await;
    world.store.revoke_grant(&ended).await.unwrap();
    let authority = AuthorizationServer::start().await;
    let options = HttpOptions { auth: authority.asked(30), ..HttpOptions::default() };
    let server = world.serve(options).await;
    let says = |grant: &str, change: Value| {
        let mut answer = claims(grant, change);
        if answer.get("active").is_none() {
            answer["active"] = json!(true);
        }
        Manner::Says(answer)
    };
    let said = |change: Value| says(&grant, change);
    authority.about("good", said(json!({})));
    authority.about("endless", said(json!({ "exp": null, "aud": [AUDIENCE] })));
    admitted(&server, "good", &list().bearing("good")).await;
    admitted(&server, "endless", &list().bearing("endless")).await;
    for (name, manner, expected) in [
        ("inactive", Manner::Says(json!({ "active": false })), UNKNOWN),
        ("inactive whatever else", said(json!({ "active": false })), UNKNOWN),
        ("another-issuer", said(json!({ "iss": "https://evil.example" })), ISSUED),
        ("no-issuer", said(json!({ "iss": null })), ISSUED),
        ("another-audience", said(json!({ "aud": "https://else.example" })), MEANT),
        ("no-audience", said(json!({ "aud": null })), MEANT),
        ("expired", said(json!({ "exp": now() - 60 })), EXPIRED),
        ("early", said(json!({ "nbf": now() + 600 })), EARLY),
        ("owner", said(json!({ "pdpp_token_kind": "owner" })), Refused::owner(Store::Untouched)),
        ("package", said(json!({ "pdpp_token_kind": "mcp_package" })), KIND),
        ("no-grant", said(json!({ "grant_id": null })), NO_GRANT),
        ("unknown-grant", says("grt_else", json!({})), NO_SUCH_GRANT),
        ("revoked-grant", says(&ended, json!({})), REVOKED),
        ("active-in-words", said(json!({ "active": "true" })), SILENT),
        ("active-as-a-number", said(json!({ "active": 1 })), SILENT),
        ("no-object", Manner::Says(json!([true])), SILENT),
        ("failing", Manner::Status(500), SILENT),
        ("refusing-us", Manner::Status(401), SILENT),
        ("empty", Manner::Status(204), SILENT),
        ("html", Manner::Html, SILENT),
        ("huge", Manner::Huge, SILENT),
        ("redirecting", Manner::Redirects, SILENT),
        ("never", Manner::Never, SILENT),
    ] {
        let token = name.replace(' ', "-");
        authority.about(&token, manner);
        refused(&world, &server, name, &list().bearing(&token), expected).await;
    }
    let questions = authority.questions();
    refused(&world, &server, "of the store", &list().bearing(&own), UNKNOWN).await;
    assert_eq!(authority.questions(), questions, "a token of the store is shown to nobody else");
    assert_eq!(authority.strayed(), 0, "a token goes nowhere but where the operator said");
}

#[tokio::test]
async fn an_answer_is_believed_for_a_while_and_a_grant_that_ends_counts_at_once() {
    let world = World::new().await;
    let ((first, _), (second, _)) = (world.grant().await, world.grant().await);
    let authority = AuthorizationServer::start().await;
    let says = |grant: &str| {
        let mut answer = claims(grant, json!({}));
        answer["active"] = json!(true);
        Manner::Says(answer)
    };
    let patient = world.serve(HttpOptions { auth: authority.asked(60), ..HttpOptions::default() }).await;
    authority.about("one", says(&first));
    let ask = list().bearing("one");
    let together = (0..16).map(|_| {
        let (ask, address) = (ask.clone(), patient.address);
        tokio::spawn(async move { ask.send(address).await.status })
    });
    for status in together.collect::<Vec<_>>() {
        assert_eq!(status.await.unwrap(), 200);
    }
    assert_eq!(authority.questions(), 1, "one asks for all, and the answer is remembered");
    world.store.revoke_grant(&first).await.unwrap();
    refused(&world, &patient, "revoked here", &ask, REVOKED).await;
    assert_eq!(authority.questions(), 1);

    let curt = world.serve(HttpOptions { auth: authority.asked(1), ..HttpOptions::default() }).await;
    authority.about("two", says(&second));
    let ask = list().bearing("two");
    admitted(&curt, "before", &ask).await;
    authority.about("two", Manner::Says(json!({ "active": false })));
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    refused(&world, &curt, "revoked there", &ask, UNKNOWN).await;
}
