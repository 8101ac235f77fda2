//! `stepwell plugin`: the tiers and how they are doing.

pub(crate) mod list;

use crate::output::Output;
use clap::Subcommand;

/// Shows the tiers
#[derive(Debug, Subcommand)]
pub(crate) enum PluginVerb {
    List(list::List),
}

impl PluginVerb {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::List(list) => list.run(output),
        }
    }
}
