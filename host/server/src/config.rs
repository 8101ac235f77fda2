//! The `[server]` table of plugins.toml.

use serde::Deserialize;
use stepwell_contract::tool::Spelling;

/// What an operator decided about the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// How the tools' schemas are advertised.
    pub schemas: Schemas,
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

/// What is wrong with the `[server]` table.
#[derive(Debug, thiserror::Error)]
#[error("plugins.toml: {}", .0.message())]
pub struct BadServerConfig(#[from] toml::de::Error);

/// The part of the file that this crate reads.
#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    server: ServerConfig,
}

impl ServerConfig {
    /// The name of the table that this crate reads of the file.
    pub const ROOM: &'static str = "server";

    /// Reads the `[server]` table; the other tables are read elsewhere.
    pub fn parse(text: &str) -> Result<Self, BadServerConfig> {
        Ok(toml::from_str::<File>(text)?.server)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_ships_says_exactly_the_defaults() {
        let text = include_str!("../../../plugins.toml");
        assert_eq!(ServerConfig::parse(text).unwrap(), ServerConfig::default());
        // A commented example would leave the default in force too, and tell an operator less.
        let table: toml::Table = toml::from_str(text).unwrap();
        assert_eq!(table[ServerConfig::ROOM]["schemas"].as_str(), Some("portable"));
    }

    #[test]
    fn reads_its_table_and_nothing_else() {
        assert_eq!(
            ServerConfig::parse("[tiers.preview]\nenabled = true").unwrap().schemas,
            Schemas::Portable
        );
        assert_eq!(ServerConfig::parse("[server]\nschemas = \"seed\"").unwrap().schemas, Schemas::Seed);
        let wrong = ServerConfig::parse("[server]\nschemata = \"seed\"").unwrap_err().to_string();
        assert!(wrong.contains("schemata") && wrong.contains("schemas"), "{wrong}");
        assert!(ServerConfig::parse("[server]\nschemas = \"verbatim\"").is_err());
    }
}
