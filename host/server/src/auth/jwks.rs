//! The public keys of an authorization server (RFC 7517).

use super::config::Algorithm;
use super::{client, unavailable, untrusted};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Client;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use stepwell_contract::Refusal;
use tokio::sync::Mutex;

/// How long keys are used without looking again.
const FRESH: Duration = Duration::from_secs(600);
/// How long they are used at most while the server cannot be asked for newer ones.
const STALE: Duration = Duration::from_secs(3600);
/// How often the server is asked at most, whatever keys tokens name.
const PAUSE: Duration = Duration::from_secs(30);

/// A public key, and what its server says about it.
#[derive(Debug)]
pub(super) struct Key {
    kid: Option<String>,
    algorithm: Algorithm,
    material: Material,
}

#[derive(Debug)]
enum Material {
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
    /// A point on P-256, uncompressed.
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl Key {
    /// Whether the signature is of this key. The algorithm is the key's own, never one that a token chose.
    pub(super) fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        match &self.material {
            Material::Rsa { n, e } => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            Material::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            Material::Ed25519(point) => UnparsedPublicKey::new(&ED25519, point).verify(message, signature),
        }
        .is_ok()
    }
}

/// A key as it is published. What is not named here does not matter.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    crv: Option<String>,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

#[derive(Deserialize)]
struct Published {
    keys: Vec<serde_json::Value>,
}

impl Jwk {
    /// The key, if it is one that tokens are checked with here.
    fn key(self) -> Option<Key> {
        if self.purpose.is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let bytes = |text: Option<String>| URL_SAFE_NO_PAD.decode(text?).ok();
        let (algorithm, material) = match (self.kty.as_str(), self.crv.as_deref()) {
            ("RSA", _) => (Algorithm::Rs256, Material::Rsa { n: bytes(self.n)?, e: bytes(self.e)? }),
            ("EC", Some("P-256")) => {
                let (x, y) = (bytes(self.x)?, bytes(self.y)?);
                (x.len() == 32 && y.len() == 32).then_some(())?;
                (Algorithm::Es256, Material::P256([&[4], x.as_slice(), &y].concat()))
            }
            ("OKP", Some("Ed25519")) => (Algorithm::EdDsa, Material::Ed25519(bytes(self.x)?)),
            _ => return None,
        };
        // A server that says what its key is for is taken at its word.
        if self.alg.is_some_and(|alg| alg != algorithm.name()) {
            return None;
        }
        Some(Key { kid: self.kid, algorithm, material })
    }
}

/// Reads a key set. Keys of other kinds are passed over, because servers publish those too.
fn parse(body: &[u8]) -> Option<Vec<Arc<Key>>> {
    let published: Published = serde_json::from_slice(body).ok()?;
    let keys = published.keys.into_iter().filter_map(|key| serde_json::from_value::<Jwk>(key).ok()?.key());
    Some(keys.map(Arc::new).collect())
}

/// The keys of a server, fetched when they are needed.
#[derive(Debug)]
pub(super) struct KeySet {
    client: Client,
    url: String,
    known: RwLock<Known>,
    /// When the server was last asked. Whoever asks holds the lock, so that one asks for all.
    asked: Mutex<Option<Instant>>,
}

#[derive(Clone, Debug, Default)]
struct Known {
    keys: Vec<Arc<Key>>,
    since: Option<Instant>,
}

impl Known {
    fn is_younger_than(&self, age: Duration) -> bool {
        self.since.is_some_and(|since| since.elapsed() < age)
    }

    /// The one key that a token can mean. A token that names none can mean a key only if there is no other.
    fn find(&self, kid: Option<&str>, algorithm: Algorithm) -> Option<Arc<Key>> {
        let mut fitting = self
            .keys
            .iter()
            .filter(|key| key.algorithm == algorithm && (kid.is_none() || key.kid.as_deref() == kid));
        let first = fitting.next()?;
        fitting.next().is_none().then(|| first.clone())
    }
}

impl KeySet {
    pub(super) fn new(url: String, client: Client) -> Self {
        Self { client, url, known: RwLock::default(), asked: Mutex::new(None) }
    }

    fn known(&self) -> Known {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Finds the key that a token names. Whoever names a known one does not wait for those who name others.
    pub(super) async fn find(&self, kid: Option<&str>, algorithm: Algorithm) -> Result<Arc<Key>, Refusal> {
        let known = self.known();
        if known.is_younger_than(FRESH)
            && let Some(key) = known.find(kid, algorithm)
        {
            return Ok(key);
        }
        // Whoever can do with an old key does not wait for one who already asks for new ones.
        let is_urgent = !known.is_younger_than(STALE) || known.find(kid, algorithm).is_none();
        let problem = self.refresh(known.since, is_urgent).await;
        let known = self.known();
        match (known.is_younger_than(STALE), known.find(kid, algorithm), problem) {
            (true, Some(key), _) => Ok(key),
            (true, None, None) => Err(untrusted("the token is signed by a key that is not known")),
            (_, _, problem) => Err(unavailable(
                &problem.unwrap_or_else(|| "its keys could not be had a moment ago".to_owned()),
            )),
        }
    }

    /// Fetches the keys again, unless someone did since `seen` or the server was asked a moment ago. Says what went wrong.
    async fn refresh(&self, seen: Option<Instant>, is_urgent: bool) -> Option<String> {
        let mut asked = match self.asked.try_lock() {
            Ok(asked) => asked,
            Err(_) if is_urgent => self.asked.lock().await,
            Err(_) => return None,
        };
        if self.known().since != seen || asked.is_some_and(|at| at.elapsed() < PAUSE) {
            return None;
        }
        *asked = Some(Instant::now());
        let request = self.client.get(&self.url).header("accept", "application/json");
        let fetched = client::answer(request).await;
        match fetched.and_then(|body| parse(&body).ok_or_else(|| "its key set cannot be read".to_owned())) {
            Ok(keys) => {
                tracing::info!(keys = keys.len(), "fetched the keys of the authorization server");
                let known = Known { keys, since: Some(Instant::now()) };
                *self.known.write().unwrap_or_else(PoisonError::into_inner) = known;
                None
            }
            Err(problem) => Some(problem),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(keys: Value) -> Known {
        let keys = parse(json!({ "keys": keys }).to_string().as_bytes()).unwrap();
        Known { keys, since: Some(Instant::now()) }
    }

    #[test]
    fn only_public_keys_for_signatures_are_taken() {
        let point = URL_SAFE_NO_PAD.encode([7; 32]);
        let ed = |more: Value| {
            let mut key = json!({ "kty": "OKP", "crv": "Ed25519", "kid": "a", "x": point });
            for (name, value) in more.as_object().unwrap() {
                key[name] = value.clone();
            }
            key
        };
        assert_eq!(read(json!([ed(json!({ "alg": "EdDSA", "use": "sig" }))])).keys.len(), 1);
        for other in [
            ed(json!({ "use": "enc" })),
            ed(json!({ "alg": "HS256" })),
            ed(json!({ "crv": "X25519" })),
            ed(json!({ "x": "not base64!" })),
            ed(json!({ "x": null })),
            json!({ "kty": "oct", "kid": "a", "k": point }),
            json!({ "kty": "EC", "crv": "P-256", "x": point, "y": "AA" }),
            json!({ "kty": "EC", "crv": "P-384", "x": point, "y": point }),
            json!("key"),
            json!({}),
        ] {
            assert_eq!(read(json!([other])).keys.len(), 0, "{other}");
        }
        for broken in ["", "[]", "{}", r#"{"keys":{}}"#, "<html>"] {
            assert!(parse(broken.as_bytes()).is_none(), "{broken}");
        }
    }

    #[test]
    fn a_token_means_one_key_or_none() {
        let point = URL_SAFE_NO_PAD.encode([7; 32]);
        let key = |kid: &str| json!({ "kty": "OKP", "crv": "Ed25519", "kid": kid, "x": point });
        let (one, two) = (read(json!([key("a")])), read(json!([key("a"), key("b")])));
        assert!(
            one.find(None, Algorithm::EdDsa).is_some() && one.find(Some("a"), Algorithm::EdDsa).is_some()
        );
        assert!(
            two.find(None, Algorithm::EdDsa).is_none() && two.find(Some("b"), Algorithm::EdDsa).is_some()
        );
        assert!(
            two.find(Some("c"), Algorithm::EdDsa).is_none()
                && two.find(Some("a"), Algorithm::Es256).is_none()
        );
        assert!(read(json!([key("a"), key("a")])).find(Some("a"), Algorithm::EdDsa).is_none());
    }
}
