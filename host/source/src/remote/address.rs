//! Where a resource server is: `https://rs.example`, with a path before `/v1` where it has one.

use reqwest::Url;
use std::fmt;
use std::str::FromStr;

/// The address of a resource server. It carries no secret, so it can be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteUrl(Url);

/// Why a text is no such address. It is not repeated: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRemoteUrl {
    /// It cannot be read.
    #[error("the address of a resource server is https://host, with a path before /v1 where it has one")]
    Malformed,
    /// It has more than a place.
    #[error("the address of a resource server has no user, password, query or fragment")]
    Overfull,
}

impl FromStr for RemoteUrl {
    type Err = BadRemoteUrl;

    fn from_str(text: &str) -> Result<Self, BadRemoteUrl> {
        let mut url: Url = text.parse().map_err(|_| BadRemoteUrl::Malformed)?;
        if !matches!(url.scheme(), "https" | "http") || url.host_str().is_none_or(str::is_empty) {
            return Err(BadRemoteUrl::Malformed);
        }
        let is_place = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !is_place {
            return Err(BadRemoteUrl::Overfull);
        }
        let prefix = url.path().trim_end_matches('/').to_owned();
        url.set_path(&prefix);
        Ok(Self(url))
    }
}

impl RemoteUrl {
    /// Whether a text looks like one, so that its mistakes are told as such.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        ["http:", "https:"]
            .iter()
            .any(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
    }

    /// Whether what is sent there can be read on the way.
    #[must_use]
    pub fn is_exposed(&self) -> bool {
        self.0.scheme() == "http" && !self.is_loopback()
    }

    /// Whether it is this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// The host and port as the file of a credential is called: whatever is no letter, digit, dot or hyphen is `_`.
    #[must_use]
    pub fn host_file(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        let place = self.0.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let plain = |c: char| if c.is_ascii_alphanumeric() || ".-".contains(c) { c } else { '_' };
        place.chars().map(plain).collect()
    }

    /// The address of a route below the prefix. Segments are escaped, so that no name leads elsewhere.
    pub(super) fn route(&self, segments: &[&str], query: &[(String, String)]) -> Url {
        let mut url = self.0.clone();
        let mut path = url.path().trim_end_matches('/').to_owned();
        for segment in segments {
            path.push('/');
            path.push_str(&escaped(segment));
        }
        url.set_path(&path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }
}

/// A segment of a path: letters, digits and `-_.~` as they are, the rest in percent.
fn escaped(segment: &str) -> String {
    let mut out = String::new();
    for byte in segment.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(byte as char),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> RemoteUrl {
        text.parse().unwrap()
    }

    #[test]
    fn a_prefix_is_kept_and_a_name_leads_nowhere_else() {
        let route = |base: &str| url(base).route(&["v1", "streams", "a/b ?#:ü"], &[]).to_string();
        assert_eq!(route("https://rs.example"), "https://rs.example/v1/streams/a%2Fb%20%3F%23%3A%C3%BC");
        assert_eq!(
            route("https://rs.example:8443/pdpp/"),
            "https://rs.example:8443/pdpp/v1/streams/a%2Fb%20%3F%23%3A%C3%BC"
        );
        let pairs = [("filter[a&b]".to_owned(), "1=2".to_owned())];
        let asked = url("https://rs.example").route(&["v1"], &pairs);
        assert_eq!(asked.query_pairs().next().unwrap(), ("filter[a&b]".into(), "1=2".into()));
        assert_eq!(url("https://rs.example/").to_string(), "https://rs.example");
    }

    #[test]
    fn a_secret_has_no_place_in_it() {
        for wrong in ["https://me:pw@rs.example", "https://rs.example?token=x", "https://rs.example#x"] {
            assert_eq!(wrong.parse::<RemoteUrl>(), Err(BadRemoteUrl::Overfull), "{wrong}");
        }
        for wrong in ["https://", "ftp://rs.example", "rs.example", "https:"] {
            assert_eq!(wrong.parse::<RemoteUrl>(), Err(BadRemoteUrl::Malformed), "{wrong}");
        }
    }

    #[test]
    fn plain_http_is_for_this_machine() {
        for (text, exposed) in [
            ("http://127.0.0.1:80/x", false),
            ("http://localhost:7", false),
            ("http://[::1]:7", false),
            ("http://rs.example", true),
            ("http://127.0.0.1.rs.example", true),
            ("https://rs.example", false),
        ] {
            assert_eq!(url(text).is_exposed(), exposed, "{text}");
        }
        assert_eq!(url("http://127.0.0.1:8080").host_file(), "127.0.0.1_8080");
        assert_eq!(url("https://rs.example:443/p").host_file(), "rs.example");
    }
}
