//! The name of a plugin.

use std::fmt;
use std::str::FromStr;
use stepwell_contract::tool_name::Registry;
use stepwell_tiers::{Config, File};

/// A name that plugins.toml takes, that can stand before the name of a tool, and that cargo and npm take too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PluginName(String);

impl PluginName {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PluginName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for PluginName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Err("a plugin's name must start with a letter from a to z".to_owned());
        }
        Registry::default().register(name, [""; 0]).map_err(|bad| bad.to_string())?;
        // The configuration's own parser has the last word.
        let text = format!("[[preview]]\nname = {}", serde_json::Value::from(name.replace('$', "$$")));
        let read = File::parse(&text, &|_| None).and_then(|file| Config::read(&file));
        match read {
            Ok(_) => Ok(Self(name.to_owned())),
            Err(error) => Err(error.mistake.to_string().replacen("preview.name", "a plugin's name", 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_fit_for_every_place_that_it_stands_in() {
        for good in ["reading-time", "a", "mail_2", "match"] {
            assert_eq!(good.parse::<PluginName>().unwrap().as_str(), good);
        }
        for (wrong, why) in [
            ("", "letter"),
            ("2fast", "letter"),
            ("Mail", "letter"),
            ("a__b", "__"),
            ("a_", "_"),
            ("a b", "1 to 64"),
            ("a/../b", "1 to 64"),
            ("a${HOME}", "1 to 64"),
            ("café", "1 to 64"),
            (&"a".repeat(65), "1 to 64"),
            ("field-window", "another tier"),
        ] {
            let error = wrong.parse::<PluginName>().unwrap_err();
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }
}
