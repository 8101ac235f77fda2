//! The `[server]` table of plugins.toml.

use crate::http::{BadTls, PublicUrl, Tls, parse_address};
use crate::secret_file;
use serde::{Deserialize, Deserializer, de::Error as _};
use sha2::{Digest as _, Sha256};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use stepwell_contract::budget::{MAX_TOOL_NAME_RESERVE, TOOL_NAME_RESERVE};
use stepwell_contract::cursor::{Keyring, SealingKey};
use stepwell_contract::tool::Spelling;
use stepwell_contract::tool_name::ReserveTooLarge;
use stepwell_tiers::{ConfigError, File};
use tracing::level_filters::LevelFilter;

/// What an operator decided about the server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ServerConfig {
    /// Where to listen for HTTP; without it, standard input and output are spoken on.
    #[serde(deserialize_with = "address")]
    pub http: Option<SocketAddr>,
    /// Names in `Host` besides those of the loopback and the address itself.
    pub allow_hosts: Vec<String>,
    /// Origins of web pages that may ask.
    pub allow_origins: Vec<String>,
    /// The address that clients use, where it is not the one that is listened on.
    #[serde(deserialize_with = "public_url")]
    pub public_url: Option<PublicUrl>,
    /// A file with the certificate that HTTP is encrypted with, and its chain.
    pub tls_certificate: Option<PathBuf>,
    /// A file with the certificate's key.
    pub tls_key: Option<PathBuf>,
    /// Where the operator looks: health and counters.
    #[serde(deserialize_with = "address")]
    pub admin: Option<SocketAddr>,
    /// How much is logged.
    #[serde(deserialize_with = "level")]
    pub log: LevelFilter,
    /// How a line of the log looks.
    pub log_format: LogFormat,
    /// How the tools' schemas are advertised.
    pub schemas: Schemas,
    /// A file with the key that seals cursors, and on a second line the key before it.
    pub cursor_keys: Option<PathBuf>,
    /// How many of the 64 bytes of a name the tools of plugins leave to the prefixes that hosts add.
    pub tool_name_reserve: usize,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            http: None,
            allow_hosts: Vec::new(),
            allow_origins: Vec::new(),
            public_url: None,
            tls_certificate: None,
            tls_key: None,
            admin: None,
            log: LevelFilter::WARN,
            log_format: LogFormat::default(),
            schemas: Schemas::default(),
            cursor_keys: None,
            tool_name_reserve: TOOL_NAME_RESERVE,
        }
    }
}

fn address<'de, D: Deserializer<'de>>(value: D) -> Result<Option<SocketAddr>, D::Error> {
    parse_address(&String::deserialize(value)?).map(Some).map_err(D::Error::custom)
}

fn public_url<'de, D: Deserializer<'de>>(value: D) -> Result<Option<PublicUrl>, D::Error> {
    PublicUrl::parse(&String::deserialize(value)?).map(Some).map_err(D::Error::custom)
}

fn level<'de, D: Deserializer<'de>>(value: D) -> Result<LevelFilter, D::Error> {
    const LEVELS: &[&str] = &["off", "error", "warn", "info", "debug"];
    let name = String::deserialize(value)?;
    let known = LEVELS.contains(&name.as_str()).then(|| name.parse().ok()).flatten();
    known.ok_or_else(|| D::Error::unknown_variant(&name, LEVELS))
}

/// How a line of the log looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// For programs: an object of JSON.
    Json,
}

/// How the tools' schemas are advertised; what is accepted is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schemas {
    /// Without what hosts are known to trip over.
    #[default]
    Portable,
    /// To the letter of the design that fixed them.
    Seed,
}

impl From<Schemas> for Spelling {
    fn from(schemas: Schemas) -> Self {
        match schemas {
            Schemas::Portable => Self::Portable,
            Schemas::Seed => Self::Seed,
        }
    }
}

impl ServerConfig {
    /// The name of the table that this crate reads of the file.
    pub const ROOM: &'static str = "server";
    /// What it may hold.
    const KEYS: &'static [&'static str] = &[
        "http",
        "allow_hosts",
        "allow_origins",
        "public_url",
        "tls_certificate",
        "tls_key",
        "admin",
        "log",
        "log_format",
        "schemas",
        "cursor_keys",
        "tool_name_reserve",
    ];

    /// Reads the `[server]` table; the other tables are read elsewhere.
    pub fn read(file: &File<'_>) -> Result<Self, ConfigError> {
        let table = file.top().inner(Self::ROOM)?;
        table.only(Self::KEYS)?;
        let config: Self = table.read()?;
        if config.tool_name_reserve > MAX_TOOL_NAME_RESERVE {
            let problem = ReserveTooLarge(config.tool_name_reserve).to_string();
            return Err(table.wrong("tool_name_reserve", format!("cannot be: {problem}")));
        }
        if config.tls_certificate.is_some() != config.tls_key.is_some() {
            let (given, needed) = match config.tls_key {
                Some(_) => ("tls_key", "tls_certificate"),
                None => ("tls_certificate", "tls_key"),
            };
            return Err(table.wrong(given, format!("needs {needed} beside it")));
        }
        Ok(config)
    }

    /// Reads what HTTP is encrypted with, from beside the configuration. None if it is not.
    pub fn tls(&self, base: &Path) -> Result<Option<Tls>, BadTls> {
        let (Some(certificate), Some(key)) = (&self.tls_certificate, &self.tls_key) else { return Ok(None) };
        Tls::load(&base.join(certificate), &base.join(key)).map(Some)
    }

    /// Reads the keys that the file names, from beside the configuration. None if it names none.
    pub fn keyring(&self, base: &Path) -> Result<Option<Keyring>, BadKeys> {
        let Some(file) = &self.cursor_keys else { return Ok(None) };
        let path = base.join(file);
        let bad = |reason: &str| BadKeys { path: path.clone(), reason: reason.to_owned() };
        let text = secret_file::read(&path).map_err(|reason| bad(&reason))?;
        let wrong = || bad("it needs one or two lines of 64 hexadecimal digits");
        let mut keys = text.lines().map(|line| key(line.trim()).ok_or_else(wrong));
        let current = keys.next().unwrap_or_else(|| Err(wrong()))?;
        let previous = keys.next().transpose()?;
        if keys.next().is_some() {
            return Err(wrong());
        }
        Ok(Some(Keyring::new(current, previous)))
    }
}

/// Why the keys of the configuration cannot be used. It never repeats what the file says.
#[derive(Debug, thiserror::Error)]
#[error("the file of cursor keys {}: {reason}", path.display())]
pub struct BadKeys {
    path: PathBuf,
    reason: String,
}

/// A key and the number that cursors refer to it by, which says nothing about it.
fn key(digits: &str) -> Option<SealingKey> {
    let mut secret = [0; 32];
    let pairs = digits.as_bytes().chunks_exact(2);
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    for (byte, pair) in secret.iter_mut().zip(pairs) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    let [a, b, c, d, ..] = <[u8; 32]>::from(Sha256::digest(secret));
    Some(SealingKey::new(u32::from_be_bytes([a, b, c, d]), secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ServerConfig, ConfigError> {
        ServerConfig::read(&File::parse(text, &|_| None)?)
    }

    #[cfg(unix)]
    #[test]
    fn keys_come_from_a_file_that_only_its_owner_reads() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let config = parse("[server]\ncursor_keys = \"keys\"").unwrap();
        let file = folder.path().join("keys");
        let reason = |text: &str, mode: u32| {
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            config.keyring(folder.path()).map_err(|error| error.to_string())
        };
        let (one, two) = ("0a".repeat(32), "f1".repeat(32));
        assert!(reason(&one, 0o600).unwrap().is_some());
        assert!(reason(&format!("{two}\n{one}\n"), 0o400).unwrap().is_some());
        assert!(reason(&one, 0o644).unwrap_err().contains("others"));
        for wrong in ["", "0a", &"zz".repeat(32), &format!("{one}\n{one}\n{one}"), &"é".repeat(32)] {
            let error = reason(wrong, 0o600).unwrap_err();
            assert!(
                error.contains("64 hexadecimal") && (wrong.is_empty() || !error.contains(wrong)),
                "{error}"
            );
        }
        std::fs::remove_file(&file).unwrap();
        assert!(config.keyring(folder.path()).is_err());
        assert!(ServerConfig::default().keyring(folder.path()).unwrap().is_none());
    }

    #[test]
    fn the_file_that_ships_says_exactly_the_defaults() {
        let text = include_str!("../../../plugins.toml");
        assert_eq!(parse(text).unwrap(), ServerConfig::default());
        // A commented example would leave the default in force too, and tell an operator less.
        let table: toml::Table = toml::from_str(text).unwrap();
        for key in ServerConfig::KEYS {
            let example = format!("\n# {key} = ");
            assert!(table[ServerConfig::ROOM].get(key).is_some() || text.contains(&example), "{key}");
        }
    }

    #[test]
    fn reads_its_table_and_nothing_else() {
        assert_eq!(parse("[tiers.preview]\nenabled = true").unwrap().schemas, Schemas::Portable);
        assert_eq!(parse("[server]\nschemas = \"seed\"").unwrap().schemas, Schemas::Seed);
        let wrong = parse("[server]\nschemata = \"seed\"").unwrap_err().to_string();
        assert!(wrong.contains("schemata") && wrong.contains("schemas"), "{wrong}");
        assert!(parse("[server]\nschemas = \"verbatim\"").is_err());
        let all = "[server]\nhttp = \"8021\"\nlog = \"debug\"\nallow_hosts = [\"a\"]\nallow_origins = [\"https://b\"]";
        let all = parse(all).unwrap();
        assert_eq!((all.http, all.log), (Some("127.0.0.1:8021".parse().unwrap()), LevelFilter::DEBUG));
        assert_eq!((all.allow_hosts, all.allow_origins), (vec!["a".into()], vec!["https://b".into()]));
        for wrong in [
            "http = \"example.org:80\"",
            "http = 8021",
            "log = \"5\"",
            "log = \"trace\"",
            "allow_hosts = \"a\"",
            "admin = \"here\"",
            "public_url = \"well.example\"",
            "log_format = \"xml\"",
            "tls_key = \"key.pem\"",
            "tls_certificate = \"cert.pem\"",
        ] {
            let error = parse(&format!("[server]\n{wrong}")).unwrap_err();
            assert_eq!(error.line, Some(2), "{wrong}: {error}");
        }
        assert_eq!(parse("[server]\ntool_name_reserve = 0").unwrap().tool_name_reserve, 0);
        let wrong = parse("[server]\ntool_name_reserve = 41").unwrap_err().to_string();
        assert!(
            wrong.starts_with("plugins.toml:2: server.tool_name_reserve") && wrong.contains("40"),
            "{wrong}"
        );
    }
}
