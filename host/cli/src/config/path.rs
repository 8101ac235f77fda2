//! `stepwell config path`: which file the settings come from.

use crate::config_args::ConfigArguments;
use crate::output::Output;
use anyhow::Context as _;
use clap::Args;
use serde_json::json;

/// Says which file the settings come from
#[derive(Debug, Args)]
pub(crate) struct ShowPath {
    #[command(flatten)]
    config: ConfigArguments,
}

impl ShowPath {
    pub(super) fn run(self, output: &Output) -> anyhow::Result<()> {
        let located =
            self.config.locate().context("there is no configuration directory: name a file with --config")?;
        let exists = located.path.exists();
        if output.is_json() {
            return output.json(&json!({ "path": located.path, "exists": exists }));
        }
        output.line(located.path.display())?;
        if !exists {
            output.note("there is no such file, so the defaults hold; write one with: stepwell config init");
        }
        Ok(())
    }
}
