//! `--limits`: what a plugin may use in one call, in the words of plugins.toml.

use crate::exit::UsageError;
use clap::Args;
use stepwell_tiers::{Config, File, TierConfig};

/// More than any plugin should need, to find out what one does need.
const MOST: &str = "deadline_ms=5000,memory_mb=512,output_kb=16384";

/// Names limits.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LimitsArguments {
    /// Limits for one call, such as memory_mb=256,deadline_ms=2000 [default: those of the tier, as in plugins.toml]
    #[arg(long, value_name = "KEY=N,…")]
    pub(super) limits: Option<String>,
}

impl LimitsArguments {
    pub(super) fn most() -> Self {
        Self { limits: Some(MOST.to_owned()) }
    }

    /// The keys and numbers as they were given.
    pub(super) fn pairs(&self) -> anyhow::Result<Vec<(String, i64)>> {
        let wrong =
            || UsageError("--limits takes KEY=N,KEY=N, such as memory_mb=256,deadline_ms=2000".into());
        let pair = |part: &str| {
            let (key, number) = part.split_once('=').ok_or_else(wrong)?;
            Ok((key.trim().to_owned(), number.trim().parse().map_err(|_| wrong())?))
        };
        self.limits.iter().flat_map(|text| text.split(',')).map(pair).collect()
    }

    /// A configuration in which nothing is on but one tier, with these limits. The file's own parser judges them.
    pub(super) fn config(&self, tier: &str) -> anyhow::Result<Config> {
        let pairs: Vec<String> =
            self.pairs()?.iter().map(|(key, number)| format!("{} = {number}", quoted(key))).collect();
        // Every tool has a component of its own; which one, whoever loads it says.
        let table = match tier {
            "tool" => "[[tool]]\nname = \"on-trial\"\ncomponent = \"on-trial\"".to_owned(),
            tier => format!("[tiers.{tier}]"),
        };
        let text = format!("{table}\nlimits = {{ {} }}", pairs.join(", "));
        let read = File::parse(&text, &|_| None).and_then(|file| Config::read(&file));
        let mut config = read.map_err(|error| UsageError(format!("--limits: {}", error.mistake)))?;
        for (name, other) in tiers(&mut config) {
            other.enabled = name == tier;
        }
        Ok(config)
    }
}

/// The one tier or tool that is on.
pub(super) fn only(config: &mut Config) -> Option<&mut TierConfig> {
    if !config.tools.is_empty() {
        return config.tools.first_mut().map(|tool| &mut tool.tier);
    }
    tiers(config).into_iter().find_map(|(_, tier)| tier.enabled.then_some(tier))
}

/// The tiers of a configuration by name.
fn tiers(config: &mut Config) -> [(&'static str, &mut TierConfig); 4] {
    [
        ("preview", &mut config.preview),
        ("field-window", &mut config.field_window),
        ("resources", &mut config.resources.tier),
        ("binary-export", &mut config.binary_export),
    ]
}

/// A key as TOML takes any.
fn quoted(key: &str) -> String {
    toml_edit::Key::new(key).display_repr().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> LimitsArguments {
        LimitsArguments { limits: Some(text.to_owned()) }
    }

    #[test]
    fn limits_are_judged_by_the_files_own_rules() {
        let config = given("memory_mb=256, deadline_ms=2000").config("preview").unwrap();
        assert_eq!((config.preview.limits.memory_mb, config.preview.limits.reads), (256, 128));
        assert!(config.preview.enabled && !config.field_window.enabled);
        for (wrong, why) in [
            ("memory_mb", "KEY=N"),
            ("memory_mb=lots", "KEY=N"),
            ("", "KEY=N"),
            ("memory=1", "did you mean `memory_mb`?"),
            ("memory_mb=9999", "from 1 to 1024"),
            ("x\" }\n[server=1", "unknown key"),
        ] {
            let error = given(wrong).config("preview").unwrap_err();
            assert!(error.is::<UsageError>() && error.to_string().contains(why), "{wrong}: {error}");
        }
        assert!(LimitsArguments::most().config("preview").is_ok());
    }
}
