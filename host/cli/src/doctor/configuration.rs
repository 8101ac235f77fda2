//! plugins.toml, and the files that it names.

use super::finding::Finding;
use crate::config_args::ConfigArguments;
use crate::settings::Settings;
use std::path::Path;

const AREA: &str = "configuration";

/// Looks at the configuration, and gives it if a server would take it.
pub(super) fn look(config: &ConfigArguments) -> (Vec<Finding>, Option<Settings>) {
    let (path, text) = match config.text() {
        Ok(Some(found)) => found,
        Ok(None) => {
            let settings = Settings::default();
            return (vec![Finding::good(AREA, "there is none, so the defaults hold")], Some(settings));
        }
        Err(error) => {
            let fix = "name another one with --config, or write one with: stepwell config init";
            return (vec![Finding::broken(AREA, format!("{error:#}"), fix)], None);
        }
    };
    let settings = match Settings::parse(&text, &path) {
        Ok(settings) => settings,
        Err(mistakes) => {
            let fix =
                format!("correct {}; its settings are explained by: stepwell config init", path.display());
            let broken = mistakes.0.iter().map(|mistake| Finding::broken(AREA, mistake.to_string(), &fix));
            return (broken.collect(), None);
        }
    };
    let mut findings = vec![Finding::good(AREA, path.display().to_string())];
    let on_purpose = "leave it if it is meant so; see: stepwell config check";
    findings
        .extend(settings.warnings().into_iter().map(|warning| Finding::warning(AREA, warning, on_purpose)));
    if let Err(error) = settings.keyring() {
        let fix = "write a line of 64 hexadecimal digits into it (openssl rand -hex 32), for its owner alone";
        findings.push(Finding::broken(AREA, error.to_string(), fix));
    }
    findings.extend(settings.files().iter().filter_map(|file| unreadable(file)));
    (findings, Some(settings))
}

fn unreadable(file: &Path) -> Option<Finding> {
    let error = std::fs::File::open(file).err()?;
    let message = format!("it names {}, which cannot be read: {error}", file.display());
    Some(Finding::broken(AREA, message, "bring the file back, or take its name out of plugins.toml"))
}
