//! A small authorization server on loopback: it signs tokens, publishes its keys and answers about tokens, and can be told
//! to misbehave.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::rsa::{KeyPairComponents, PublicKeyComponents};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use stepwell_server::auth::config::{Algorithm, AuthConfig, IntrospectionConfig, JwtConfig, Mode};
use stepwell_source::Token;
use tokio::net::TcpListener;

/// Whom tokens are meant for.
pub(crate) const AUDIENCE: &str = "https://well.example/mcp";
pub(crate) const ISSUER: &str = "https://as.example";
const CLIENT: &str = "the well";
const SECRET: &str = "a secret: with all/sorts+of=characters";

/// How it answers a question about a token.
#[derive(Clone, Debug)]
pub(crate) enum Manner {
    Says(Value),
    Status(u16),
    Html,
    Huge,
    Redirects,
    Never,
}

/// The keys, made for each test. ring makes no RSA keys, so that one is the example of RFC 7515, A.2.
pub(crate) struct Keys {
    pub(crate) es256: EcdsaKeyPair,
    pub(crate) ed25519: Ed25519KeyPair,
    pub(crate) rsa: RsaKeyPair,
}

const RSA: [&str; 7] = [
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
    "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ",
    "4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc",
    "uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc",
    "BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0",
    "h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU",
    "IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U",
];

impl Keys {
    pub(crate) fn new() -> Self {
        let random = SystemRandom::new();
        let es256 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
        let ed25519 = Ed25519KeyPair::generate_pkcs8(&random).expect("a key");
        let [n, d, p, q, dp, dq, qi] = RSA.map(|part| URL_SAFE_NO_PAD.decode(part).expect("base64"));
        let public_key = PublicKeyComponents { n, e: vec![1, 0, 1] };
        let rsa = KeyPairComponents { public_key, d, p, q, dP: dp, dQ: dq, qInv: qi };
        Self {
            es256: EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, es256.as_ref(), &random)
                .expect("a key"),
            ed25519: Ed25519KeyPair::from_pkcs8(ed25519.as_ref()).expect("a key"),
            rsa: RsaKeyPair::from_components(&rsa).expect("a key"),
        }
    }

    /// The public halves.
    fn published(&self) -> Value {
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let point = self.es256.public_key().as_ref();
        json!({ "keys": [
            { "kty": "EC", "crv": "P-256", "kid": "es", "use": "sig", "alg": "ES256",
              "x": encode(&point[1..33]), "y": encode(&point[33..]) },
            { "kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": encode(self.ed25519.public_key().as_ref()) },
            { "kty": "RSA", "kid": "rs", "n": RSA[0], "e": "AQAB" },
            // What others publish too, and does not count.
            { "kty": "oct", "kid": "secret", "k": encode(&[7; 32]) },
            { "kty": "RSA", "kid": "for-encryption", "use": "enc", "n": RSA[0], "e": "AQAB" },
        ] })
    }

    /// Signs a token as its head says.
    pub(crate) fn sign(&self, head: &Value, claims: &Value) -> String {
        let message = unsigned(head, claims);
        let signature = match head["alg"].as_str() {
            Some("ES256") => {
                let signature =
                    self.es256.sign(&SystemRandom::new(), message.as_bytes()).expect("a signature");
                signature.as_ref().to_vec()
            }
            Some("EdDSA") => self.ed25519.sign(message.as_bytes()).as_ref().to_vec(),
            Some("RS256") => {
                let mut signature = vec![0; self.rsa.public().modulus_len()];
                let random = SystemRandom::new();
                self.rsa
                    .sign(&RSA_PKCS1_SHA256, &random, message.as_bytes(), &mut signature)
                    .expect("a signature");
                signature
            }
            other => panic!("no key for {other:?}"),
        };
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// Head and claims of a token, as they are signed.
pub(crate) fn unsigned(head: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}", part(head), part(claims))
}

/// The present second.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs()
}

/// A server, and what it was asked.
pub(crate) struct AuthorizationServer {
    pub(crate) keys: Keys,
    base: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    jwks: Mutex<Value>,
    answers: Mutex<HashMap<String, Manner>>,
    questions: AtomicUsize,
    looks: AtomicUsize,
    strangers: AtomicUsize,
}

impl AuthorizationServer {
    pub(crate) async fn start() -> Self {
        let keys = Keys::new();
        let shared = Arc::new(Shared { jwks: Mutex::new(keys.published()), ..Shared::default() });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let router = Router::new()
            .route("/introspect", post(introspect))
            .route("/jwks", get(jwks))
            .route("/stranger", post(stranger))
            .with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { keys, base, shared }
    }

    /// Decides what it says about a token.
    pub(crate) fn about(&self, token: &str, manner: Manner) {
        self.shared.answers.lock().expect("a lock").insert(token.to_owned(), manner);
    }

    /// How often it was asked about a token.
    pub(crate) fn questions(&self) -> usize {
        self.shared.questions.load(Ordering::Relaxed)
    }

    /// How often its keys were fetched.
    pub(crate) fn looks(&self) -> usize {
        self.shared.looks.load(Ordering::Relaxed)
    }

    /// How often someone followed it to where the operator had not sent them.
    pub(crate) fn strayed(&self) -> usize {
        self.shared.strangers.load(Ordering::Relaxed)
    }

    /// Publishes other keys.
    pub(crate) fn publish(&self, jwks: Value) {
        *self.shared.jwks.lock().expect("a lock") = jwks;
    }

    fn trusting(mode: Mode) -> AuthConfig {
        AuthConfig {
            mode,
            issuer: Some(ISSUER.to_owned()),
            audience: Some(AUDIENCE.to_owned()),
            ..AuthConfig::default()
        }
    }

    /// A configuration that asks it.
    pub(crate) fn asked(&self, cache_seconds: u64) -> AuthConfig {
        Self::trusting(Mode::Introspection(IntrospectionConfig {
            url: format!("{}/introspect", self.base),
            client_id: CLIENT.to_owned(),
            client_secret: Token::new(SECRET),
            cache_seconds,
        }))
    }

    /// A configuration that checks its signatures.
    pub(crate) fn signing(&self, algorithms: &[Algorithm]) -> AuthConfig {
        let jwks_url = format!("{}/jwks", self.base);
        Self::trusting(Mode::Jwt(JwtConfig { jwks_url, algorithms: algorithms.to_vec() }))
    }
}

async fn jwks(State(shared): State<Arc<Shared>>) -> String {
    shared.looks.fetch_add(1, Ordering::Relaxed);
    shared.jwks.lock().expect("a lock").to_string()
}

async fn stranger(State(shared): State<Arc<Shared>>) -> &'static str {
    shared.strangers.fetch_add(1, Ordering::Relaxed);
    r#"{"active":true}"#
}

async fn introspect(State(shared): State<Arc<Shared>>, headers: HeaderMap, form: String) -> Response {
    shared.questions.fetch_add(1, Ordering::Relaxed);
    let pair = "the+well:a+secret%3A+with+all%2Fsorts%2Bof%3Dcharacters";
    let expected = format!("Basic {}", STANDARD.encode(pair));
    if headers.get("authorization").and_then(|value| value.to_str().ok()) != Some(&expected) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let token = form.split('&').find_map(|pair| pair.strip_prefix("token=")).unwrap_or_default();
    let manner = shared.answers.lock().expect("a lock").get(token).cloned();
    match manner.unwrap_or(Manner::Says(json!({ "active": false }))) {
        Manner::Says(value) => ([("content-type", "application/json")], value.to_string()).into_response(),
        Manner::Status(status) => StatusCode::from_u16(status).expect("a status").into_response(),
        Manner::Html => ([("content-type", "text/html")], "<html>please log in</html>").into_response(),
        Manner::Huge => {
            let filler = "x".repeat(4 * 1024 * 1024);
            json!({ "active": true, "filler": filler }).to_string().into_response()
        }
        Manner::Redirects => Redirect::temporary("/stranger").into_response(),
        Manner::Never => {
            tokio::time::sleep(Duration::from_secs(3_600)).await;
            StatusCode::OK.into_response()
        }
    }
}
