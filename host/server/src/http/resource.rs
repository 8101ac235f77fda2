//! The address that this server is known by, and what a client is told about its authorization (RFC 9728).

use crate::auth::AuthConfig;
use axum::Router;
use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use axum::routing::get;
use reqwest::Url;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Where the metadata stands. What comes behind it is the path of the resource that it is about.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The canonical address of the endpoint: what tokens are meant for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    url: Url,
    text: String,
}

impl PublicUrl {
    /// Reads an address as an operator writes it.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let wrong = "write the address that clients use, such as https://well.example/mcp";
        let url = Url::parse(text).map_err(|_| wrong)?;
        let is_plain = url.query().is_none() && url.fragment().is_none();
        let is_open = url.username().is_empty() && url.password().is_none() && url.host_str().is_some();
        if !matches!(url.scheme(), "http" | "https") || !is_plain || !is_open {
            return Err(wrong);
        }
        let text = url.as_str().trim_end_matches('/').to_owned();
        Ok(Self { url, text })
    }

    /// The address of an endpoint that nobody gave another one.
    pub(super) fn of(address: SocketAddr, is_encrypted: bool, path: &str) -> Option<Self> {
        let ip = if address.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { address.ip() };
        let scheme = if is_encrypted { "https" } else { "http" };
        Self::parse(&format!("{scheme}://{}{path}", SocketAddr::new(ip, address.port()))).ok()
    }

    /// As tokens spell it: lower case, no slash at its end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its name, which requests under it bring in `Host`.
    pub(super) fn host(&self) -> Option<&str> {
        self.url.host_str().map(|host| host.trim_matches(['[', ']']))
    }

    /// The address of something else on the same server. What a proxy put before `path`, where this server has the
    /// resource, is put before that too.
    pub(super) fn beside(&self, path: &str, other: &str) -> String {
        let prefix = self.url.path().trim_end_matches('/').strip_suffix(path).unwrap_or_default();
        format!("{}{prefix}{other}", self.url.origin().ascii_serialization())
    }

    /// Where its metadata is to be had.
    pub(super) fn metadata(&self) -> String {
        let path = self.url.path().trim_end_matches('/');
        format!("{}{WELL_KNOWN}{path}", self.url.origin().ascii_serialization())
    }
}

/// Answers at both paths that clients look at, and at the one that follows from the address if that is another. `path` is
/// where the resource is on this server, and `kinds` are the tokens that it takes.
pub(super) fn routes(url: &PublicUrl, path: &str, auth: &AuthConfig, kinds: &[&str]) -> Router {
    let document = document(url, auth, kinds).to_string();
    let answer = get(move || {
        let document = document.clone();
        async move {
            // Everyone may read it: it says where to ask for a token, and a web page cannot ask otherwise.
            let headers = [
                (CONTENT_TYPE, "application/json"),
                (CACHE_CONTROL, "max-age=300"),
                (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
            ];
            (headers, document)
        }
    });
    let usual = format!("{WELL_KNOWN}{path}");
    let own = format!("{WELL_KNOWN}{}", url.url.path().trim_end_matches('/'));
    let paths = BTreeSet::from([WELL_KNOWN, &usual, &own]);
    // Braces would be read as a pattern.
    let paths = paths.into_iter().filter(|path| !path.contains(['{', '}']));
    paths.fold(Router::new(), |router, path| router.route(path, answer.clone()))
}

fn document(url: &PublicUrl, auth: &AuthConfig, kinds: &[&str]) -> Value {
    let mut document = Map::new();
    document.insert("resource".to_owned(), json!(url.as_str()));
    if let Some(issuer) = &auth.issuer {
        document.insert("authorization_servers".to_owned(), json!([issuer]));
    }
    document.insert("bearer_methods_supported".to_owned(), json!(["header"]));
    if !auth.scopes.is_empty() {
        document.insert("scopes_supported".to_owned(), json!(auth.scopes));
    }
    document.insert("resource_name".to_owned(), json!("Stepwell"));
    document.insert("pdpp_token_kinds_supported".to_owned(), json!(kinds));
    Value::Object(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_spelling() {
        for (given, meant, metadata) in [
            (
                "https://Well.Example:443/mcp/",
                "https://well.example/mcp",
                "https://well.example/.well-known/oauth-protected-resource/mcp",
            ),
            (
                "https://well.example",
                "https://well.example",
                "https://well.example/.well-known/oauth-protected-resource",
            ),
            (
                "http://127.0.0.1:8021/a/mcp",
                "http://127.0.0.1:8021/a/mcp",
                "http://127.0.0.1:8021/.well-known/oauth-protected-resource/a/mcp",
            ),
        ] {
            let url = PublicUrl::parse(given).unwrap();
            assert_eq!((url.as_str(), url.metadata().as_str()), (meant, metadata));
        }
        for wrong in [
            "well.example/mcp",
            "ftp://a/",
            "https://a/?b",
            "https://a/#b",
            "https://me:pw@a/mcp",
            "",
            "https://",
        ] {
            assert!(PublicUrl::parse(wrong).is_err(), "{wrong}");
        }
        for (given, beside) in [
            ("https://well.example/mcp", "https://well.example/export/"),
            ("https://well.example:8443/a/mcp/", "https://well.example:8443/a/export/"),
            ("https://well.example", "https://well.example/export/"),
        ] {
            assert_eq!(PublicUrl::parse(given).unwrap().beside("/mcp", "/export/"), beside);
        }
        let any: SocketAddr = "0.0.0.0:8021".parse().unwrap();
        assert_eq!(PublicUrl::of(any, true, "/mcp").unwrap().as_str(), "https://127.0.0.1:8021/mcp");
        let six: SocketAddr = "[::1]:8021".parse().unwrap();
        assert_eq!(PublicUrl::of(six, false, "/mcp").unwrap().host(), Some("::1"));
    }
}
