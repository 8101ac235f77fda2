//! `stepwell plugin`: the tiers and how they are doing, and the kit for writing one.

mod bench;
mod build;
mod check;
mod language;
mod limits;
mod list;
mod name;
mod new;
mod preview;
mod trial;

use crate::output::Output;
use clap::Subcommand;

/// Shows the tiers, and helps to write, check and install one of your own
#[derive(Debug, Subcommand)]
pub(crate) enum PluginVerb {
    List(list::List),
    New(new::New),
    Build(build::Build),
    Check(check::Check),
    Preview(preview::Preview),
    Bench(bench::Bench),
}

impl PluginVerb {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::List(list) => list.run(output),
            Self::New(new) => new.run(output),
            Self::Build(build) => build.run(output),
            Self::Check(check) => check.run(output).await,
            Self::Preview(preview) => preview.run(output).await,
            Self::Bench(bench) => bench.run(output).await,
        }
    }
}
