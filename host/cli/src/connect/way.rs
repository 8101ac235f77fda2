//! How a client is to reach the server.

use crate::config_args::ConfigArguments;
use crate::exit::UsageError;
use crate::serve::store::ServeSource;
use crate::token_args::TokenArguments;
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use stepwell_source::SourceUrl;

/// The variable that a client takes the token from where it cannot take it from a file.
pub(super) const TOKEN_VARIABLE: &str = "STEPWELL_TOKEN";

/// How a client reaches the server. Neither way has room for a token, only for the place where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The client starts the program.
    Stdio {
        /// The program.
        program: String,
        /// What it is told.
        arguments: Vec<String>,
    },
    /// The client asks a server that is running.
    Http {
        /// The endpoint.
        url: Endpoint,
        /// The file with the token, for a client that can read one.
        token_file: Option<String>,
    },
}

impl Way {
    /// This program with what it was told here, spelled so that it means the same wherever the client starts it.
    pub(super) fn stdio(
        source: Option<&ServeSource>,
        config: &ConfigArguments,
        token: &TokenArguments,
    ) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("the program does not know where it is")?;
        let mut arguments = vec!["serve".to_owned(), "--stdio".to_owned()];
        if let Some(source) = source {
            arguments.extend(["--source".to_owned(), spelled(source)?]);
        }
        if let Some(located) = config.locate().filter(|located| located.is_named) {
            arguments.extend(["--config".to_owned(), existing(&located.path)?]);
        }
        match (token.file(), source) {
            (Some(file), _) => arguments.extend(["--token-file".to_owned(), existing(file)?]),
            // It makes a token of its own.
            (None, Some(ServeSource::Demo)) => {}
            (None, _) => {
                let message = "the client needs a token: pass --token-file FILE, which `stepwell grant create --token-out \
                               FILE` writes; the client's configuration then names the file and not the token";
                return Err(UsageError(message.into()).into());
            }
        }
        Ok(Self::Stdio { program: text(&program)?, arguments })
    }

    /// A server that is running.
    pub(super) fn http(url: Endpoint, token: &TokenArguments) -> anyhow::Result<Self> {
        Ok(Self::Http { url, token_file: token.file().map(existing).transpose()? })
    }
}

/// A store as an argument that every user of the machine may see.
fn spelled(source: &ServeSource) -> anyhow::Result<String> {
    let url = match source {
        ServeSource::Demo => return Ok("demo".to_owned()),
        ServeSource::Url(SourceUrl::Sqlite(path)) => SourceUrl::Sqlite(PathBuf::from(absolute(path)?)),
        ServeSource::Url(url) => url.clone(),
    };
    let message = "the store's address may hold a password, which must not become an argument: write the address into \
                   [source] of plugins.toml, with ${NAME} for the password, and pass --config FILE instead";
    Ok(url.without_secret().ok_or_else(|| UsageError(message.into()))?)
}

/// The full path of a file that is there: a client that cannot start the server seldom says why.
fn existing(path: &Path) -> anyhow::Result<String> {
    std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    absolute(path)
}

fn absolute(path: &Path) -> anyhow::Result<String> {
    text(&std::path::absolute(path).with_context(|| format!("cannot make sense of {}", path.display()))?)
}

fn text(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().map(str::to_owned);
    text.with_context(|| {
        format!("the path {} is not text, which a client's file cannot hold", path.display())
    })
}

/// The address of a running server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint(String);

/// Why a text is no endpoint.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadEndpoint {
    #[error("write a URL such as http://127.0.0.1:8021/mcp or https://stepwell.example/mcp")]
    NoUrl,
    #[error("a token or password must not stand in the URL: leave out what is before \"@\" and after \"?\"")]
    Secret,
}

impl FromStr for Endpoint {
    type Err = BadEndpoint;

    fn from_str(text: &str) -> Result<Self, BadEndpoint> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let rest = rest.ok_or(BadEndpoint::NoUrl)?;
        if rest.contains(['@', '?', '#']) {
            return Err(BadEndpoint::Secret);
        }
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let is_visible = |c: char| c.is_ascii_graphic() && !"\"\\<>^`{|}$".contains(c);
        if host.is_empty() || host.starts_with(':') || !rest.chars().all(is_visible) {
            return Err(BadEndpoint::NoUrl);
        }
        let scheme = &text[..text.len() - rest.len()];
        // Who names a host alone means the server's only endpoint.
        let path = if path.is_empty() { "mcp" } else { path };
        Ok(Self(format!("{scheme}{host}/{path}")))
    }
}

impl Endpoint {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the token would cross a network in clear.
    pub(super) fn is_exposed(&self) -> bool {
        let Some(rest) = self.0.strip_prefix("http://") else { return false };
        let host = rest.split_once('/').map_or(rest, |(host, _)| host);
        let name = match host.strip_prefix('[') {
            Some(v6) => v6.split(']').next().unwrap_or_default(),
            None => host.split(':').next().unwrap_or_default(),
        };
        let is_loopback = name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
        name != "localhost" && !is_loopback
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_holds_no_secret_and_says_where_it_ends() {
        let parse = |text: &str| text.parse::<Endpoint>().map(|url| url.0);
        for (text, meant) in [
            ("http://127.0.0.1:8021/mcp", "http://127.0.0.1:8021/mcp"),
            ("http://127.0.0.1:8021", "http://127.0.0.1:8021/mcp"),
            ("https://a.example/", "https://a.example/mcp"),
            ("https://a.example/mail/mcp", "https://a.example/mail/mcp"),
        ] {
            assert_eq!(parse(text).unwrap(), meant);
        }
        for text in ["https://me:pw@a.example/mcp", "https://a.example/mcp?token=x", "http://a/#t"] {
            assert_eq!(parse(text), Err(BadEndpoint::Secret), "{text}");
        }
        for text in ["", "a.example", "ftp://a", "http://", "http://:80", "http://a b/", "http://a/${X}"] {
            assert_eq!(parse(text), Err(BadEndpoint::NoUrl), "{text}");
        }
    }

    #[test]
    fn a_token_in_clear_stays_on_this_machine() {
        let is_exposed = |text: &str| text.parse::<Endpoint>().unwrap().is_exposed();
        for text in ["http://localhost:1", "http://127.0.0.9", "http://[::1]:5/mcp", "https://a.example"] {
            assert!(!is_exposed(text), "{text}");
        }
        for text in ["http://10.0.0.1", "http://a.example:80/mcp", "http://[fe80::1]/mcp"] {
            assert!(is_exposed(text), "{text}");
        }
    }
}
