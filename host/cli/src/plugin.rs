//! `stepwell plugin`: the tiers and how they are doing, and the kit for writing one.

mod accept;
mod add;
mod bench;
mod build;
mod check;
mod configured;
mod language;
mod limits;
pub(crate) mod list;
mod name;
mod new;
mod preview;
mod switch;
mod trial;

use crate::output::Output;
use clap::Subcommand;
use switch::Change;

/// Shows the tiers, and helps to write, check and install one of your own
#[derive(Debug, Subcommand)]
pub(crate) enum PluginVerb {
    List(list::List),
    New(new::New),
    Build(build::Build),
    Check(check::Check),
    Preview(preview::Preview),
    Bench(bench::Bench),
    Add(add::Add),
    /// Removes a plugin from plugins.toml, or gives a tier its built-in component back
    Remove(switch::Switch),
    /// Switches a plugin or a tier on
    Enable(switch::Switch),
    /// Switches a plugin or a tier off; a tier that is off leaves no trace in what a client sees
    Disable(switch::Switch),
    Accept(accept::Accept),
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
            Self::Add(add) => add.run(output),
            Self::Remove(switch) => switch.run(Change::Remove, output),
            Self::Enable(switch) => switch.run(Change::Enable, output),
            Self::Disable(switch) => switch.run(Change::Disable, output),
            Self::Accept(accept) => accept.run(output),
        }
    }
}
