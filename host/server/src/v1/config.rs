//! The `[v1]` table of plugins.toml.

use crate::http::{PublicUrl, parse_address};
use serde::{Deserialize, Deserializer, de::Error as _};
use std::net::SocketAddr;
use stepwell_tiers::{ConfigError, File};

/// What an operator decided about `/v1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct V1Config {
    /// Where to listen; without it there is no `/v1`.
    #[serde(deserialize_with = "address")]
    pub listen: Option<SocketAddr>,
    /// The address that clients use, where it is not the one that is listened on.
    #[serde(deserialize_with = "public_url")]
    pub public_url: Option<PublicUrl>,
    /// Whether owners may fill streams over it.
    pub ingest: bool,
}

fn address<'de, D: Deserializer<'de>>(value: D) -> Result<Option<SocketAddr>, D::Error> {
    parse_address(&String::deserialize(value)?).map(Some).map_err(D::Error::custom)
}

fn public_url<'de, D: Deserializer<'de>>(value: D) -> Result<Option<PublicUrl>, D::Error> {
    PublicUrl::parse(&String::deserialize(value)?).map(Some).map_err(D::Error::custom)
}

impl V1Config {
    /// The name of the table.
    pub const ROOM: &'static str = "v1";
    /// What it may hold.
    const KEYS: &'static [&'static str] = &["listen", "public_url", "ingest"];

    /// Reads the `[v1]` table; the other tables are read elsewhere.
    pub fn read(file: &File<'_>) -> Result<Self, ConfigError> {
        let table = file.top().inner(Self::ROOM)?;
        table.only(Self::KEYS)?;
        table.read()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<V1Config, ConfigError> {
        V1Config::read(&File::parse(text, &|_| None)?)
    }

    #[test]
    fn reads_its_table_and_nothing_else() {
        assert_eq!(parse("[server]\nschemas = \"seed\"").unwrap(), V1Config::default());
        let all = "[v1]\nlisten = \"127.0.0.1:8022\"\npublic_url = \"https://rs.example\"\ningest = true";
        let listen = Some("127.0.0.1:8022".parse().unwrap());
        let public_url = Some(PublicUrl::parse("https://rs.example").unwrap());
        assert_eq!(parse(all).unwrap(), V1Config { listen, public_url, ingest: true });
        for wrong in [
            "address = \"1\"",
            "listen = \"example.org:80\"",
            "listen = 8022",
            "ingest = \"yes\"",
            "public_url = \"rs\"",
        ] {
            assert!(parse(&format!("[v1]\n{wrong}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_file_that_ships_says_the_defaults() {
        let shipped = include_str!("../../../../plugins.toml");
        assert_eq!(parse(shipped).unwrap(), V1Config::default());
        assert!(
            shipped.contains("[v1]\n")
                && shipped.contains("\n# listen = ")
                && shipped.contains("\n# public_url = \"https://rs.example\"")
                && shipped.contains("\ningest = false")
        );
    }
}
