//! `stepwell config`: the one file that an operator writes.

mod check;
mod init;
mod path;

use crate::output::Output;
use clap::Subcommand;

/// Writes, checks and finds the configuration (plugins.toml)
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigVerb {
    Init(init::Init),
    Check(check::Check),
    Path(path::ShowPath),
}

impl ConfigVerb {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::Init(init) => init.run(output),
            Self::Check(check) => check.run(output),
            Self::Path(path) => path.run(output),
        }
    }
}
