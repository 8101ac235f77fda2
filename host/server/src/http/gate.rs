//! Under which names the server answers, and to which web pages.
//!
//! A program sends no `Origin`, and a web page cannot leave it out. `Host` is checked too, because a page can give a name of
//! its own the address of this machine.

use super::front::Front;
use crate::note::Note;
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HOST, ORIGIN, VARY,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use stepwell_contract::{Code, Refusal};

/// The headers that a page may send: those of the protocol.
const SENT: &str = "authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, \
                    last-event-id, range, if-none-match, if-range, pdpp-version";
/// The headers that a page may see.
const SEEN: &str = "www-authenticate, retry-after, x-request-id, request-id, content-disposition, content-range, etag, \
                    pdpp-version";

/// The names and origins that count.
#[derive(Debug)]
pub(super) struct Names {
    /// In lower case, some with a port.
    hosts: Vec<String>,
    /// In lower case, each with a port or `*` for any.
    origins: Vec<String>,
}

impl Names {
    pub(super) fn new(hosts: &[String], origins: &[String]) -> Self {
        Self {
            hosts: hosts.iter().map(|host| host.trim_matches(['[', ']']).to_ascii_lowercase()).collect(),
            origins: origins.iter().map(|origin| with_port(&origin.to_ascii_lowercase())).collect(),
        }
    }

    /// The hosts, for whoever checks them once more.
    pub(super) fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// The origins, for whoever checks them once more.
    pub(super) fn origins(&self) -> &[String] {
        &self.origins
    }

    /// Checks the name that a request asks under.
    fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let malformed = || Refusal::new(Code::InvalidRequest, "the Host header is missing or malformed");
        let mut values = headers.get_all(HOST).iter();
        let (given, more) = (values.next(), values.next());
        let header =
            given.and_then(|value| value.to_str().ok()).and_then(|text| text.parse::<Authority>().ok());
        let authority = match (uri.authority(), header) {
            (_, _) if more.is_some() => return Err(malformed()),
            (Some(authority), _) => authority.clone(),
            (None, Some(authority)) => authority,
            (None, None) => return Err(malformed()),
        };
        let host = authority.host().trim_matches(['[', ']']).to_ascii_lowercase();
        let with_port = authority.port_u16().map(|port| format!("{host}:{port}"));
        if self.hosts.iter().any(|allowed| *allowed == host || Some(allowed) == with_port.as_ref()) {
            return Ok(());
        }
        Err(Refusal::new(Code::HostNotAllowed, "the server does not answer under this name")
            .hint("name it in allow_hosts or public_url of the configuration"))
    }

    /// Checks the page that asks, and gives its origin if there is one.
    fn origin(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refusal> {
        let mut values = headers.get_all(ORIGIN).iter();
        let Some(value) = values.next() else { return Ok(None) };
        let text = value.to_str().ok().filter(|_| values.next().is_none());
        if text.is_some_and(|text| self.knows(text)) {
            return Ok(Some(value.clone()));
        }
        Err(Refusal::new(Code::OriginNotAllowed, "web pages of this origin may not ask")
            .hint("name the origin in allow_origins of the configuration"))
    }

    fn knows(&self, origin: &str) -> bool {
        let origin = with_port(&origin.to_ascii_lowercase());
        self.origins.iter().any(|allowed| {
            let any_port = || allowed.strip_suffix(":*") == origin.rsplit_once(':').map(|(base, _)| base);
            *allowed == origin || (allowed.ends_with(":*") && any_port())
        })
    }
}

/// The door as a layer.
pub(super) async fn known(
    State(front): State<Front>,
    Extension(note): Extension<Note>,
    request: Request,
    next: Next,
) -> Response {
    pass(&front, &note, request, |request| next.run(request)).await
}

/// Lets in who asks under a known name and is no foreign page.
pub(super) async fn pass<F: Future<Output = Response>>(
    front: &Front,
    note: &Note,
    request: Request,
    next: impl FnOnce(Request) -> F,
) -> Response {
    let names = &front.0.names;
    let checked = names.host(request.uri(), request.headers()).and_then(|()| names.origin(request.headers()));
    let origin = match checked {
        Ok(None) => return next(request).await,
        Ok(Some(origin)) => origin,
        Err(refusal) => return front.refuse(note, &refusal),
    };
    let asks_first =
        request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if asks_first { allowed() } else { next(request).await };
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(SEEN));
    headers.append(VARY, HeaderValue::from_static("origin"));
    response
}

/// What a page is told that asks whether it may ask. There is no personal data in it, so no token is needed.
fn allowed() -> Response {
    let headers = [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        (ACCESS_CONTROL_ALLOW_HEADERS, SENT),
        (ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// An origin without a port means the usual one of its scheme; left out, it would mean any.
fn with_port(origin: &str) -> String {
    let port = match origin.split_once("://") {
        Some(("https", rest)) if !rest.rsplit(']').next().is_some_and(|end| end.contains(':')) => ":443",
        Some(("http", rest)) if !rest.rsplit(']').next().is_some_and(|end| end.contains(':')) => ":80",
        _ => "",
    };
    format!("{}{port}", origin.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_names_one_port() {
        for (given, meant) in [
            ("https://app.example", "https://app.example:443"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("http://localhost:*", "http://localhost:*"),
            ("http://[::1]", "http://[::1]:80"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("https://app.example/", "https://app.example:443"),
            ("null", "null"),
        ] {
            assert_eq!(with_port(given), meant);
        }
    }

    #[test]
    fn only_named_origins_are_known() {
        let origins =
            ["https://App.example", "http://localhost:*", "https://a.example:8443"].map(str::to_owned);
        let names = Names::new(&[], &origins);
        for origin in [
            "https://app.example",
            "https://app.example:443",
            "http://LOCALHOST:3000",
            "https://a.example:8443",
        ] {
            assert!(names.knows(origin), "{origin}");
        }
        for origin in [
            "http://app.example",
            "https://app.example:8443",
            "https://app.example.evil.example",
            "https://evil.example/https://app.example",
            "https://localhost:3000",
            "http://localhost.evil.example:1",
            "https://a.example",
            "null",
            "",
        ] {
            assert!(!names.knows(origin), "{origin}");
        }
    }

    #[test]
    fn only_named_hosts_are_answered() {
        let names = Names::new(&["localhost", "::1", "well.example:8443"].map(str::to_owned), &[]);
        let check = |hosts: &[&str]| {
            let mut headers = HeaderMap::new();
            hosts.iter().for_each(|host| {
                headers.append(HOST, host.parse().unwrap());
            });
            names.host(&Uri::from_static("/mcp"), &headers).map_err(|refusal| refusal.code)
        };
        for host in ["localhost", "LOCALHOST:1", "[::1]:8", "well.example:8443"] {
            assert_eq!(check(&[host]), Ok(()), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "well.example",
            "well.example:80",
            "localhost@evil.example",
        ] {
            assert_eq!(check(&[host]), Err(Code::HostNotAllowed), "{host}");
        }
        for hosts in [&[][..], &["localhost", "evil.example"], &["a b"], &[""]] {
            assert_eq!(check(hosts), Err(Code::InvalidRequest), "{hosts:?}");
        }
    }
}
