//! The `[ledger]` table of plugins.toml.

use serde::Deserialize;
use stepwell_ladder::{LedgerFault, LedgerPolicy};
use stepwell_source::Durable;
use stepwell_tiers::{ConfigError, File};

/// What an operator decided about the disclosure ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LedgerConfig {
    /// Whether reads are written down.
    pub enabled: bool,
    /// What happens to a read that cannot be.
    pub on_fault: OnFault,
    /// When an entry is on the disk.
    pub durable: WhenDurable,
    /// How many days an entry is kept; 0 means for ever.
    pub keep_days: u32,
}

impl Default for LedgerConfig {
    fn default() -> Self {
        Self { enabled: true, on_fault: OnFault::Refuse, durable: WhenDurable::AtOnce, keep_days: 730 }
    }
}

/// What happens to a read that cannot be written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFault {
    /// It is refused.
    Refuse,
    /// It is answered, and an error is logged.
    Serve,
}

/// When an entry is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenDurable {
    /// Before its answer leaves.
    AtOnce,
    /// Within a second after that.
    Soon,
}

impl From<WhenDurable> for Durable {
    fn from(when: WhenDurable) -> Self {
        match when {
            WhenDurable::AtOnce => Self::AtOnce,
            WhenDurable::Soon => Self::Soon,
        }
    }
}

impl From<LedgerConfig> for LedgerPolicy {
    fn from(config: LedgerConfig) -> Self {
        let on_fault = match config.on_fault {
            OnFault::Refuse => LedgerFault::Refuse,
            OnFault::Serve => LedgerFault::Serve,
        };
        Self { enabled: config.enabled, on_fault }
    }
}

impl LedgerConfig {
    /// The name of the table.
    pub const ROOM: &'static str = "ledger";

    /// Reads the `[ledger]` table; the other tables are read elsewhere.
    pub fn read(file: &File<'_>) -> Result<Self, ConfigError> {
        let table = file.top().inner(Self::ROOM)?;
        table.only(&["enabled", "on_fault", "durable", "keep_days"])?;
        table.read()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<LedgerConfig, ConfigError> {
        LedgerConfig::read(&File::parse(text, &|_| None)?)
    }

    #[test]
    fn reads_its_table_and_nothing_else() {
        let default = parse("[server]\nschemas = \"seed\"").unwrap();
        assert_eq!(default, LedgerConfig::default());
        assert_eq!(LedgerPolicy::from(default), LedgerPolicy::default());
        let all = "[ledger]\nenabled = false\non_fault = \"serve\"\ndurable = \"soon\"\nkeep_days = 0";
        let all = parse(all).unwrap();
        let durable = WhenDurable::Soon;
        assert_eq!(all, LedgerConfig { enabled: false, on_fault: OnFault::Serve, durable, keep_days: 0 });
        for wrong in [
            "keep = 3",
            "keep_days = -1",
            "durable = \"never\"",
            "on_fault = \"ignore\"",
            "enabled = \"yes\"",
        ] {
            assert!(parse(&format!("[ledger]\n{wrong}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_file_that_ships_says_the_defaults() {
        let shipped = include_str!("../../../plugins.toml");
        assert!(shipped.contains("[ledger]"));
        assert_eq!(parse(shipped).unwrap(), LedgerConfig::default());
    }
}
