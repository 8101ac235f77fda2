//! Where a store is: `sqlite:PATH` or `postgres://…`.

use crate::embedded::Embedded;
use crate::error::Failure;
use crate::postgres;
use crate::sqlite::{self, Missing};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The address of a store. It prints without a password.
#[derive(Clone, PartialEq, Eq)]
pub enum SourceUrl {
    /// A file.
    Sqlite(PathBuf),
    /// A database.
    Postgres(String),
}

/// Why a text is no address.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no store: write sqlite:PATH for a file, or postgres://user@host/database")]
pub struct BadUrl(String);

impl FromStr for SourceUrl {
    type Err = BadUrl;

    fn from_str(text: &str) -> Result<Self, BadUrl> {
        match text.split_once(':') {
            Some(("sqlite", path)) => {
                let path = path.strip_prefix("//").unwrap_or(path);
                if path.is_empty() {
                    Err(BadUrl(text.to_owned()))
                } else {
                    Ok(Self::Sqlite(PathBuf::from(path)))
                }
            }
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => {
                Ok(Self::Postgres(text.to_owned()))
            }
            // The text may carry a password, so only its beginning is repeated.
            Some((scheme, _)) => Err(BadUrl(format!("{scheme}:…"))),
            None => Err(BadUrl(text.to_owned())),
        }
    }
}

impl fmt::Display for SourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(url) => {
                let (scheme, rest) = url.split_once("//").unwrap_or(("postgres:", url));
                // A password may stand before the place or among the options after it, with an "@" of its own in either.
                let place = rest.split_once('@').map_or(rest, |(_, place)| place);
                let place = place.split_once('?').map_or(place, |(place, _)| place);
                let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
                write!(f, "{scheme}//{place}")
            }
        }
    }
}

impl fmt::Debug for SourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl SourceUrl {
    /// The whole address, for where everyone can see it; nothing if it may hold a password.
    #[must_use]
    pub fn without_secret(&self) -> Option<String> {
        match self {
            Self::Sqlite(_) => Some(self.to_string()),
            Self::Postgres(url) => {
                let (_, rest) = url.split_once("//")?;
                // A password follows a ":" before the place, or is one of the options after it.
                let before = rest.rsplit_once('@').map_or("", |(before, _)| before);
                let is_open = !before.contains(':') && !rest.contains("password");
                is_open.then(|| url.clone())
            }
        }
    }

    /// Opens the store. A database must exist; its tables are made if they are missing.
    pub async fn open(&self, missing: Missing) -> Result<Embedded, Failure> {
        match self {
            Self::Sqlite(path) => sqlite::open(path, missing).await,
            Self::Postgres(url) => postgres::open(url).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_a_password_is_never_shown_whole() {
        let whole = |text: &str| text.parse::<SourceUrl>().unwrap().without_secret();
        for open in ["sqlite:a:b@c", "postgres://me@host:5/db?sslmode=require", "postgres:///db?host=/run"] {
            assert_eq!(whole(open).as_deref(), Some(open));
        }
        for secret in
            ["postgres://me:pw@host/db", "postgres://host/db?password=pw", "postgres://me:p@w@host/db"]
        {
            assert_eq!(whole(secret), None, "{secret}");
        }
    }

    #[test]
    fn reads_both_kinds_and_prints_no_password() {
        let shown = |text: &str| text.parse::<SourceUrl>().map(|url| url.to_string());
        assert_eq!(shown("sqlite:a b.db").unwrap(), "sqlite:a b.db");
        assert_eq!(shown("sqlite:///data/s.db").unwrap(), "sqlite:/data/s.db");
        assert_eq!(shown("postgres://me:secret@host:5/db?password=secret").unwrap(), "postgres://host:5/db");
        assert_eq!(shown("postgres://me@host/db?password=x@secret").unwrap(), "postgres://host/db");
        assert_eq!(shown("postgres://me:x@secret@host/db").unwrap(), "postgres://host/db");
        assert_eq!(shown("postgres://me:x?secret@host/db").unwrap(), "postgres://host/db");
        assert!(shown("postgres:db").is_err());
        assert!(shown("sqlite:").is_err());
        assert!(!shown("mysql://me:secret@host").unwrap_err().to_string().contains("secret"));
    }
}
