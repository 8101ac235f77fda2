//! The `[source]` table of plugins.toml.

use std::path::Path;
use stepwell_source::SourceUrl;
use stepwell_tiers::{ConfigError, File};

/// Which store an operator chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SourceConfig {
    /// Its address; without one, it is the file in the data directory.
    pub(crate) url: Option<SourceUrl>,
}

#[derive(serde::Deserialize)]
struct Raw {
    url: Option<String>,
}

impl SourceConfig {
    /// The name of the table.
    pub(crate) const ROOM: &'static str = "source";

    /// Reads the `[source]` table of a file in the folder `base`, which a path is relative to.
    pub(crate) fn read(file: &File<'_>, base: &Path) -> Result<Self, ConfigError> {
        let table = file.top().inner(Self::ROOM)?;
        table.only(&["url"])?;
        let Raw { url } = table.read()?;
        // The address may hold a password, so a wrong one is not repeated.
        let wrong = |_| table.wrong("url", "must be sqlite:PATH, or postgres://user@host/database");
        let url = url.map(|url| url.parse().map_err(wrong)).transpose()?;
        let url = url.map(|url| match url {
            SourceUrl::Sqlite(path) => SourceUrl::Sqlite(base.join(path)),
            other @ SourceUrl::Postgres(_) => other,
        });
        Ok(Self { url })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<SourceUrl>, ConfigError> {
        let file = File::parse(text, &|name| (name == "PASSWORD").then(|| "secret".to_owned()))?;
        SourceConfig::read(&file, Path::new("/etc/stepwell")).map(|source| source.url)
    }

    #[test]
    fn an_address_is_read_and_never_repeated() {
        assert_eq!(parse("").unwrap(), None);
        let path = |path: &str| Some(SourceUrl::Sqlite(path.into()));
        assert_eq!(
            parse("[source]\nurl = \"sqlite:mail.sqlite\"").unwrap(),
            path("/etc/stepwell/mail.sqlite")
        );
        assert_eq!(parse("[source]\nurl = \"sqlite:/data/mail.sqlite\"").unwrap(), path("/data/mail.sqlite"));
        let database = parse("[source]\nurl = \"postgres://me:${PASSWORD}@host/db\"").unwrap();
        assert_eq!(database, Some(SourceUrl::Postgres("postgres://me:secret@host/db".into())));
        for wrong in
            ["url = \"${PASSWORD}\"", "url = \"mysql://me:${PASSWORD}@host\"", "url = \"demo\"", "uri = \"\""]
        {
            let error = parse(&format!("[source]\n{wrong}")).unwrap_err();
            assert_eq!(error.line, Some(2), "{error}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
