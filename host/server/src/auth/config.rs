//! The `[auth]` table of plugins.toml.

use crate::secret_file;
use serde::Deserialize;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use stepwell_source::Token;
use stepwell_tiers::config::Section;
use stepwell_tiers::{ConfigError, File};

/// The longest time, in seconds, that an authorization server's word is believed without asking again.
const LONGEST_CACHE: u64 = 60;

/// What an operator decided about who may ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthConfig {
    /// Who knows whether a token counts.
    pub mode: Mode,
    /// The authorization server, where there is one.
    pub issuer: Option<String>,
    /// Whom its tokens have to be meant for; without it, the address of this server.
    pub audience: Option<String>,
    /// The claim that names the grant.
    pub grant_claim: String,
    /// What a client is told to ask the authorization server for.
    pub scopes: Vec<String>,
}

impl Default for AuthConfig {
    fn default() -> Self {
        Self {
            mode: Mode::Grants,
            issuer: None,
            audience: None,
            grant_claim: "grant_id".to_owned(),
            scopes: Vec::new(),
        }
    }
}

/// Who knows whether a token counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The store.
    Grants,
    /// An authorization server, which is asked.
    Introspection(IntrospectionConfig),
    /// An authorization server, which signs.
    Jwt(JwtConfig),
}

/// How an authorization server is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntrospectionConfig {
    /// Where.
    pub url: String,
    /// As whom.
    pub client_id: String,
    /// By which secret; it prints as stars.
    pub client_secret: Token,
    /// How long its word is believed.
    pub cache_seconds: u64,
}

/// How an authorization server's signatures are checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JwtConfig {
    /// Where its keys are.
    pub jwks_url: String,
    /// Which algorithms count.
    pub algorithms: Vec<Algorithm>,
}

/// A signature algorithm with a public key. There are no others here: `none` proves nothing, and one with a shared secret
/// would let whoever can check a token also make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Algorithm {
    /// RSA with PKCS #1 v1.5 and SHA-256, from 2048 bits on.
    #[serde(rename = "RS256")]
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    #[serde(rename = "ES256")]
    Es256,
    /// Ed25519.
    #[serde(rename = "EdDSA")]
    EdDsa,
}

impl Algorithm {
    const ALL: [Self; 3] = [Self::Rs256, Self::Es256, Self::EdDsa];

    /// Its name in a token.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }
}

/// The table as it is written.
#[derive(Deserialize)]
#[serde(default)]
struct Raw {
    mode: RawMode,
    issuer: Option<String>,
    audience: Option<String>,
    grant_claim: String,
    scopes: Vec<String>,
    introspection_url: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    client_secret_file: Option<PathBuf>,
    cache_seconds: u64,
    jwks_url: Option<String>,
    algorithms: Vec<Algorithm>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawMode {
    #[default]
    Grants,
    Introspection,
    Jwt,
}

impl Default for Raw {
    fn default() -> Self {
        let AuthConfig { grant_claim, scopes, .. } = AuthConfig::default();
        Self {
            mode: RawMode::Grants,
            issuer: None,
            audience: None,
            grant_claim,
            scopes,
            introspection_url: None,
            client_id: None,
            client_secret: None,
            client_secret_file: None,
            cache_seconds: 30,
            jwks_url: None,
            algorithms: Algorithm::ALL.to_vec(),
        }
    }
}

impl AuthConfig {
    /// The name of the table.
    pub const ROOM: &'static str = "auth";
    /// What it may hold.
    const KEYS: &'static [&'static str] = &[
        "mode",
        "issuer",
        "audience",
        "grant_claim",
        "scopes",
        "introspection_url",
        "client_id",
        "client_secret",
        "client_secret_file",
        "cache_seconds",
        "jwks_url",
        "algorithms",
    ];

    /// Reads the `[auth]` table of a file in the folder `base`, which a path is relative to.
    pub fn read(file: &File<'_>, base: &Path) -> Result<Self, ConfigError> {
        let table = file.top().inner(Self::ROOM)?;
        table.only(Self::KEYS)?;
        let raw: Raw = table.read()?;
        if raw.grant_claim.is_empty() {
            return Err(table.wrong("grant_claim", "cannot be empty"));
        }
        let is_scope = |scope: &String| {
            !scope.is_empty() && scope.bytes().all(|b| b.is_ascii_graphic() && b != b'"' && b != b'\\')
        };
        if !raw.scopes.iter().all(is_scope) {
            return Err(table.wrong("scopes", "must be names without spaces, quotes and backslashes"));
        }
        if raw.scopes.iter().any(|scope| scope == "offline_access") {
            let problem = "cannot name offline_access: whether a client may stay is between it and its user";
            return Err(table.wrong("scopes", problem));
        }
        let mode = raw.mode(&table, base)?;
        let issuer = match (&mode, raw.issuer) {
            (Mode::Grants, issuer) => issuer,
            (_, Some(issuer)) if !issuer.is_empty() => Some(issuer),
            _ => return Err(table.wrong("issuer", "is needed: tokens of others must not count")),
        };
        let Raw { audience, grant_claim, scopes, .. } = raw;
        Ok(Self { mode, issuer, audience, grant_claim, scopes })
    }
}

impl Raw {
    fn mode(&self, table: &Section<'_>, base: &Path) -> Result<Mode, ConfigError> {
        Ok(match self.mode {
            RawMode::Grants => Mode::Grants,
            RawMode::Introspection => {
                if self.cache_seconds > LONGEST_CACHE {
                    let problem =
                        format!("cannot be more than {LONGEST_CACHE}: a revocation has to count by then");
                    return Err(table.wrong("cache_seconds", problem));
                }
                let client_id = self.client_id.clone().filter(|id| !id.is_empty());
                Mode::Introspection(IntrospectionConfig {
                    url: address(table, "introspection_url", self.introspection_url.as_deref())?,
                    client_id: client_id.ok_or_else(|| table.wrong("client_id", "is needed"))?,
                    client_secret: self.secret(table, base)?,
                    cache_seconds: self.cache_seconds,
                })
            }
            RawMode::Jwt => {
                if self.algorithms.is_empty() {
                    return Err(table.wrong("algorithms", "cannot be empty: no token would count"));
                }
                Mode::Jwt(JwtConfig {
                    jwks_url: address(table, "jwks_url", self.jwks_url.as_deref())?,
                    algorithms: self.algorithms.clone(),
                })
            }
        })
    }

    fn secret(&self, table: &Section<'_>, base: &Path) -> Result<Token, ConfigError> {
        match (&self.client_secret, &self.client_secret_file) {
            (Some(secret), None) if !secret.is_empty() => Ok(Token::new(secret.as_str())),
            (None, Some(file)) => {
                let text = secret_file::read(&base.join(file));
                let text = text.map_err(|reason| {
                    table.wrong("client_secret_file", format!("cannot be used: {reason}"))
                })?;
                let secret = text.trim_end_matches(['\r', '\n']);
                if secret.is_empty() {
                    return Err(table.wrong("client_secret_file", "is empty"));
                }
                Ok(Token::new(secret))
            }
            _ => {
                let problem =
                    "is needed, from the environment as \"${NAME}\", or as client_secret_file, and not both";
                Err(table.wrong("client_secret", problem))
            }
        }
    }
}

/// An address that a token or a key may travel from and to: encrypted, or on this machine.
fn address(table: &Section<'_>, key: &str, text: Option<&str>) -> Result<String, ConfigError> {
    let url = text.and_then(|text| reqwest::Url::parse(text).ok());
    let is_safe = |url: &reqwest::Url| {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let is_here = host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
        let has_place = !host.is_empty() && url.username().is_empty() && url.password().is_none();
        has_place && (url.scheme() == "https" || (url.scheme() == "http" && is_here))
    };
    url.filter(is_safe).map(String::from).ok_or_else(|| {
        table.wrong(
            key,
            "must be an https:// address without a password in it; http:// is for this machine alone",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<AuthConfig, ConfigError> {
        let file = File::parse(text, &|name| (name == "SECRET").then(|| "s3cret".to_owned()))?;
        AuthConfig::read(&file, Path::new("/nowhere"))
    }

    const ASKED: &str = "[auth]\nmode = \"introspection\"\nissuer = \"https://as.example\"\nclient_id = \"well\"\n\
                         client_secret = \"${SECRET}\"\nintrospection_url = \"https://as.example/introspect\"\n";
    const SIGNED: &str =
        "[auth]\nmode = \"jwt\"\nissuer = \"https://as.example\"\njwks_url = \"https://as.example/jwks\"\n";

    #[test]
    fn the_file_that_ships_says_exactly_the_defaults() {
        let text = include_str!("../../../../plugins.toml");
        assert_eq!(parse(text).unwrap(), AuthConfig::default());
        for key in AuthConfig::KEYS {
            let is_said =
                [format!("\n{key} = "), format!("\n# {key} = ")].iter().any(|said| text.contains(said));
            assert!(is_said, "{key}");
        }
    }

    #[test]
    fn each_mode_needs_what_it_works_with() {
        let asked = parse(ASKED).unwrap();
        let Mode::Introspection(asked) = asked.mode else { panic!("{asked:?}") };
        assert_eq!((asked.client_secret.reveal(), asked.cache_seconds), ("s3cret", 30));
        assert!(!format!("{asked:?}").contains("s3cret"));
        let signed = parse(SIGNED).unwrap();
        assert!(matches!(&signed.mode, Mode::Jwt(jwt) if jwt.algorithms == Algorithm::ALL));
        for key in ["issuer", "client_id", "client_secret", "introspection_url"] {
            let without: String =
                ASKED.lines().filter(|line| !line.starts_with(key)).map(|line| format!("{line}\n")).collect();
            let error = parse(&without).unwrap_err().to_string();
            assert!(error.contains(&format!("auth.{key}")), "{error}");
        }
        assert!(parse(&SIGNED.replace("jwks_url", "# jwks_url")).is_err());
    }

    #[test]
    fn what_would_weaken_it_is_a_mistake() {
        for (text, more) in [
            (ASKED, "cache_seconds = 61"),
            (ASKED, "client_secret_file = \"secret\""),
            (SIGNED, "algorithms = []"),
            (SIGNED, "algorithms = [\"none\"]"),
            (SIGNED, "algorithms = [\"HS256\"]"),
            (SIGNED, "algorithms = [\"RS256\", \"RS1\"]"),
            (SIGNED, "grant_claim = \"\""),
            (SIGNED, "scopes = [\"a b\"]"),
            (SIGNED, "scopes = [\"records:read\", \"offline_access\"]"),
            (SIGNED, "mod = \"jwt\""),
        ] {
            assert!(parse(&format!("{text}{more}\n")).is_err(), "{more}");
        }
        for url in [
            "http://as.example/jwks",
            "ftp://as.example/jwks",
            "https://me:pw@as.example/jwks",
            "as.example",
            "",
            "file:///etc/passwd",
        ] {
            assert!(parse(&SIGNED.replace("https://as.example/jwks", url)).is_err(), "{url}");
        }
        for url in ["http://127.0.0.1:9/jwks", "http://[::1]:9/jwks", "http://localhost/jwks"] {
            assert!(parse(&SIGNED.replace("https://as.example/jwks", url)).is_ok(), "{url}");
        }
    }
}
