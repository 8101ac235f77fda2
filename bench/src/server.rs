//! The whole program as a client sees it, against a server of the same library that has nothing to do.
//!
//! The client is the same few lines for both, so what differs is the server.

pub(crate) mod bare;
mod calls;
mod connection;
pub(crate) mod guard;
mod http;
mod load;
mod memory;
mod start;
mod stdio;
pub(crate) mod world;

use crate::Plan;
use anyhow::Context as _;
pub(crate) use calls::QUERY;
use clap::ValueEnum;
use guard::Guard;
use std::env::consts::EXE_SUFFIX;
use std::path::PathBuf;
use std::process::Command;
use stepwell_bench::report::Report;
use world::World;

/// How a client reaches a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Transport {
    Stdio,
    Http,
}

impl Transport {
    const BOTH: [Self; 2] = [Self::Stdio, Self::Http];

    const fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "HTTP",
        }
    }
}

/// Which server is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The library alone, with one tool whose answer never changes.
    Bare,
    /// The real program on a store.
    Stepwell,
    /// The same, where an answer does not wait for the disk.
    Soon,
}

/// What it takes to start either server.
#[derive(Debug)]
struct Stage {
    // Dropped first: what still runs ends before its store goes.
    guard: Guard,
    world: World,
    stepwell: PathBuf,
}

impl Stage {
    /// The command that starts a server in an environment that is the same everywhere.
    fn command(&self, kind: Kind, transport: Transport) -> anyhow::Result<Command> {
        let mut command = match kind {
            Kind::Bare => Command::new(std::env::current_exe()?),
            Kind::Stepwell | Kind::Soon => Command::new(&self.stepwell),
        };
        match (kind, transport) {
            (Kind::Bare, Transport::Stdio) => command.args(["--bare-server", "stdio"]),
            (Kind::Bare, Transport::Http) => command.args(["--bare-server", "http"]),
            (Kind::Stepwell | Kind::Soon, Transport::Stdio) => {
                command.args(["serve", "--stdio", "--token-file"]).arg(self.world.token_file())
            }
            // A port alone is one of the loopback, and 0 is any that is free.
            (Kind::Stepwell | Kind::Soon, Transport::Http) => {
                command.args(["serve", "--http", "0", "--json"])
            }
        };
        command.env_clear().envs(self.world.environment());
        if kind == Kind::Soon {
            command.arg("--config").arg(self.world.soon()?);
        }
        Ok(command)
    }
}

/// Finds the program that was built with this one.
pub(crate) fn find_stepwell() -> anyhow::Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name(format!("stepwell{EXE_SUFFIX}"));
    anyhow::ensure!(
        path.is_file(),
        "there is no {} to measure; `make bench` builds it, as does \
         `cargo build --profile bench --locked -p stepwell -p stepwell-bench`",
        path.display()
    );
    Ok(path)
}

impl Stage {
    async fn set(stepwell: PathBuf) -> anyhow::Result<Self> {
        let world = World::fill().await.context("cannot fill the store that is served")?;
        Ok(Self { guard: Guard::start()?, world, stepwell })
    }
}

/// Many clients at a time.
pub(crate) async fn load(stepwell: PathBuf, plan: Plan, report: &Report) -> anyhow::Result<()> {
    load::run(&Stage::set(stepwell).await?, plan, report).await
}

/// One client at a time.
pub(crate) async fn run(stepwell: PathBuf, plan: Plan, report: &Report) -> anyhow::Result<()> {
    let stage = Stage::set(stepwell).await?;
    start::run(&stage, plan, report)?;
    for transport in Transport::BOTH {
        calls::run(&stage, transport, plan, report).await?;
    }
    memory::run(&stage, plan, report)
}
