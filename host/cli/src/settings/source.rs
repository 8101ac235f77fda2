//! The `[source]` table of plugins.toml.

use crate::place::SourcePlace;
use std::path::{Path, PathBuf};
use stepwell_server::secret_file;
use stepwell_source::remote::{Authorities, CallerTokens, ExchangeOptions};
use stepwell_source::{SourceUrl, Token};
use stepwell_tiers::{ConfigError, File, Section};

/// Which source an operator chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SourceConfig {
    /// Its address; without one, it is the file in the data directory.
    pub(crate) url: Option<SourcePlace>,
    /// What holds if it is a resource server.
    pub(crate) remote: RemoteConfig,
}

/// What an operator decided about a resource server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RemoteConfig {
    /// What becomes of the tokens that callers bring.
    pub(crate) tokens: CallerTokens,
    /// A file with the token of this host.
    pub(crate) token_file: Option<PathBuf>,
    /// The folder in which the PDPP command line keeps credentials.
    pub(crate) pdpp_cache: Option<PathBuf>,
    /// Whether plain HTTP may go to another machine.
    pub(crate) allow_http: bool,
    /// Whose certificates count.
    pub(crate) authorities: Authorities,
}

#[derive(serde::Deserialize)]
struct Raw {
    url: Option<String>,
    #[serde(default)]
    same_resource: bool,
    token_file: Option<PathBuf>,
    pdpp_cache: Option<PathBuf>,
    #[serde(default)]
    allow_http: bool,
    ca_file: Option<PathBuf>,
}

#[derive(serde::Deserialize)]
struct RawExchange {
    token_endpoint: Option<String>,
    client_id: Option<String>,
    client_secret_file: Option<PathBuf>,
    resource: Option<String>,
}

impl SourceConfig {
    /// The name of the table.
    pub(crate) const ROOM: &'static str = "source";
    /// What it may hold.
    const KEYS: &'static [&'static str] =
        &["url", "same_resource", "token_file", "pdpp_cache", "allow_http", "ca_file", "exchange"];
    /// What `[source.exchange]` may hold.
    const EXCHANGE_KEYS: &'static [&'static str] =
        &["token_endpoint", "client_id", "client_secret_file", "resource"];

    /// Reads the `[source]` table of a file in the folder `base`, which a path is relative to.
    pub(crate) fn read(file: &File<'_>, base: &Path) -> Result<Self, ConfigError> {
        let table = file.top().inner(Self::ROOM)?;
        table.only(Self::KEYS)?;
        let raw: Raw = table.read()?;
        // The address may hold a password, so a wrong one is not repeated.
        let wrong =
            |_| table.wrong("url", "must be sqlite:PATH, postgres://user@host/database, or https://host");
        let url = raw.url.map(|url| url.parse().map_err(wrong)).transpose()?;
        let url = url.map(|url| match url {
            SourcePlace::Store(SourceUrl::Sqlite(path)) => {
                SourcePlace::Store(SourceUrl::Sqlite(base.join(path)))
            }
            other => other,
        });
        let tokens = match (raw.same_resource, exchange(&table.inner("exchange")?, base)?) {
            (true, Some(_)) => {
                let problem = "cannot be true beside [source.exchange]: a token is passed on or exchanged";
                return Err(table.wrong("same_resource", problem));
            }
            (true, None) => CallerTokens::Forwarded,
            (false, Some(exchange)) => CallerTokens::Exchanged(exchange),
            (false, None) => CallerTokens::Kept,
        };
        let (token_file, pdpp_cache) =
            (raw.token_file.map(|path| base.join(path)), raw.pdpp_cache.map(|path| base.join(path)));
        let authorities = match &raw.ca_file {
            None => Authorities::default(),
            Some(file) => Authorities::read(&base.join(file))
                .map_err(|reason| table.wrong("ca_file", format!("cannot be used: {reason}")))?,
        };
        let allow_http = raw.allow_http;
        Ok(Self { url, remote: RemoteConfig { tokens, token_file, pdpp_cache, allow_http, authorities } })
    }
}

/// How tokens are exchanged; none if the table is left out.
fn exchange(table: &Section<'_>, base: &Path) -> Result<Option<ExchangeOptions>, ConfigError> {
    table.only(SourceConfig::EXCHANGE_KEYS)?;
    let raw: RawExchange = table.read()?;
    let RawExchange { token_endpoint, client_id, client_secret_file, resource } = raw;
    if token_endpoint.is_none() && client_id.is_none() && client_secret_file.is_none() && resource.is_none() {
        return Ok(None);
    }
    let missing = |key: &'static str| move || table.wrong(key, "is needed to exchange tokens");
    let endpoint = token_endpoint.ok_or_else(missing("token_endpoint"))?;
    let token_endpoint = endpoint.parse().map_err(|_| {
        table.wrong("token_endpoint", "must be an address such as https://as.example/oauth/token")
    })?;
    let client_id = client_id.ok_or_else(missing("client_id"))?;
    let file = base.join(client_secret_file.ok_or_else(missing("client_secret_file"))?);
    let secret = secret_file::read(&file)
        .map_err(|reason| table.wrong("client_secret_file", format!("cannot be used: {reason}")))?;
    if secret.trim().is_empty() {
        return Err(table.wrong("client_secret_file", "is empty"));
    }
    Ok(Some(ExchangeOptions {
        token_endpoint,
        client_id,
        client_secret: Token::new(secret.trim()),
        resource,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Result<SourceConfig, ConfigError> {
        let file = File::parse(text, &|name| (name == "PASSWORD").then(|| "secret".to_owned()))?;
        SourceConfig::read(&file, Path::new("/etc/stepwell"))
    }

    fn parse(text: &str) -> Result<Option<SourcePlace>, ConfigError> {
        config(text).map(|source| source.url)
    }

    #[test]
    fn an_address_is_read_and_never_repeated() {
        assert_eq!(parse("").unwrap(), None);
        let path = |path: &str| Some(SourcePlace::Store(SourceUrl::Sqlite(path.into())));
        assert_eq!(
            parse("[source]\nurl = \"sqlite:mail.sqlite\"").unwrap(),
            path("/etc/stepwell/mail.sqlite")
        );
        assert_eq!(parse("[source]\nurl = \"sqlite:/data/mail.sqlite\"").unwrap(), path("/data/mail.sqlite"));
        let database = parse("[source]\nurl = \"postgres://me:${PASSWORD}@host/db\"").unwrap();
        let expected = SourceUrl::Postgres("postgres://me:secret@host/db".into());
        assert_eq!(database, Some(SourcePlace::Store(expected)));
        let remote = parse("[source]\nurl = \"https://rs.example/pdpp/\"").unwrap().unwrap();
        assert_eq!(remote.to_string(), "https://rs.example/pdpp");
        for wrong in [
            "url = \"${PASSWORD}\"",
            "url = \"mysql://me:${PASSWORD}@host\"",
            "url = \"https://me:${PASSWORD}@host\"",
            "url = \"demo\"",
            "uri = \"\"",
        ] {
            let error = parse(&format!("[source]\n{wrong}")).unwrap_err();
            assert_eq!(error.line, Some(2), "{error}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[test]
    fn tokens_are_kept_passed_on_or_exchanged() {
        assert_eq!(config("").unwrap().remote, RemoteConfig::default());
        let shared =
            config("[source]\nsame_resource = true\ntoken_file = \"t\"\npdpp_cache = \"/p\"").unwrap().remote;
        assert_eq!(shared.tokens, CallerTokens::Forwarded);
        assert_eq!(
            (shared.token_file, shared.pdpp_cache),
            (Some("/etc/stepwell/t".into()), Some("/p".into()))
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hush");
        std::fs::write(&file, "s3cret\n").unwrap();
        let allow = |mode: u32| {
            #[cfg(unix)]
            std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        };
        allow(0o600);
        let exchange = format!(
            "[source.exchange]\ntoken_endpoint = \"https://as.example/token\"\nclient_id = \"me\"\nclient_secret_file = {file:?}"
        );
        let CallerTokens::Exchanged(options) = config(&exchange).unwrap().remote.tokens else {
            panic!("{exchange}")
        };
        assert_eq!((options.client_id.as_str(), options.client_secret.reveal()), ("me", "s3cret"));
        #[cfg(unix)]
        {
            allow(0o644);
            let open = config(&exchange).unwrap_err().to_string();
            assert!(open.contains("client_secret_file") && !open.contains("s3cret"), "{open}");
            allow(0o600);
        }
        let both = config(&format!("[source]\nsame_resource = true\n{exchange}")).unwrap_err();
        assert!(both.to_string().contains("exchange"), "{both}");
        for wrong in ["client_id = \"me\"", "token_endpoint = \"as\"\nclient_id = \"x\"", "secret = \"x\""] {
            assert!(config(&format!("[source.exchange]\n{wrong}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_file_that_ships_says_the_defaults_and_explains_every_setting() {
        let text = include_str!("../../../../plugins.toml");
        assert_eq!(config(text).unwrap(), SourceConfig::default());
        for key in SourceConfig::KEYS.iter().chain(SourceConfig::EXCHANGE_KEYS) {
            let is_there = ["\n", "\n# "].iter().any(|before| {
                text.contains(&format!("{before}{key} = "))
                    || text.contains(&format!("{before}[source.{key}]"))
            });
            assert!(is_there, "{key}");
        }
    }
}
