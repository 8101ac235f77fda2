//! The `[limits]` table of plugins.toml.

use serde::Deserialize;
use std::time::Duration;
use stepwell_tiers::{ConfigError, File};

/// How much of the server is to be had over HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LimitsConfig {
    /// How many requests a second a grant may make in the long run; 0 means any number.
    pub requests_per_second: u32,
    /// How many it may make at once after a rest.
    pub burst: u32,
    /// How many requests of one grant are answered at a time. As many may wait.
    pub per_grant: usize,
    /// How many requests are answered at a time in all. As many may wait.
    pub in_flight: usize,
    /// How many connections are open at a time. Others wait in the backlog of the machine.
    pub connections: usize,
    /// How long an answer may take.
    pub answer_seconds: u64,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            requests_per_second: 0,
            burst: 100,
            per_grant: 64,
            in_flight: 256,
            connections: 1_024,
            answer_seconds: 60,
        }
    }
}

impl LimitsConfig {
    /// The name of the table.
    pub const ROOM: &'static str = "limits";
    /// What it may hold.
    const KEYS: &'static [&'static str] =
        &["requests_per_second", "burst", "per_grant", "in_flight", "connections", "answer_seconds"];
    /// More than any machine has room for. Beyond it, a semaphore could not count.
    const MOST: usize = 1_000_000;

    /// Reads the `[limits]` table; the other tables are read elsewhere.
    pub fn read(file: &File<'_>) -> Result<Self, ConfigError> {
        let table = file.top().inner(Self::ROOM)?;
        table.only(Self::KEYS)?;
        let config: Self = table.read()?;
        let counts = [
            ("burst", config.burst as usize),
            ("per_grant", config.per_grant),
            ("in_flight", config.in_flight),
            ("connections", config.connections),
            ("answer_seconds", usize::try_from(config.answer_seconds).unwrap_or(usize::MAX)),
        ];
        match counts.iter().find(|(_, count)| !(1..=Self::MOST).contains(count)) {
            Some((key, _)) => Err(table.wrong(key, format!("must be from 1 to {}", Self::MOST))),
            None => Ok(config),
        }
    }

    pub(crate) const fn answer(&self) -> Duration {
        Duration::from_secs(self.answer_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<LimitsConfig, ConfigError> {
        LimitsConfig::read(&File::parse(text, &|_| None)?)
    }

    #[test]
    fn the_file_that_ships_says_exactly_the_defaults() {
        let text = include_str!("../../../plugins.toml");
        assert_eq!(parse(text).unwrap(), LimitsConfig::default());
        let table: toml::Table = toml::from_str(text).unwrap();
        for key in LimitsConfig::KEYS {
            assert!(table[LimitsConfig::ROOM].get(key).is_some(), "{key}");
        }
    }

    #[test]
    fn a_limit_of_nothing_is_a_mistake() {
        assert_eq!(parse("[limits]\nper_grant = 2").unwrap().per_grant, 2);
        for wrong in [
            "per_grant = 0",
            "in_flight = 0",
            "burst = 0",
            "answer_seconds = 1000001",
            "rate = 1",
            "burst = -1",
        ] {
            assert!(parse(&format!("[limits]\n{wrong}")).is_err(), "{wrong}");
        }
    }
}
