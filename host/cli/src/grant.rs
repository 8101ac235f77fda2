//! `stepwell grant`: who may read what.

mod create;
mod show;

pub(crate) use create::{confirmed, moment};

use crate::output::Output;
use crate::store_args::StoreArguments;
use clap::{Args, Subcommand};
use serde_json::json;
use stepwell_source::sqlite::Missing;
use stepwell_source::time;

/// Makes, lists and revokes grants
#[derive(Debug, Subcommand)]
pub(crate) enum GrantVerb {
    Create(create::Create),
    List(List),
    Show(Show),
    Revoke(Revoke),
}

/// Lists all grants, ended ones too
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    store: StoreArguments,
}

/// Shows what one grant covers
#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    store: StoreArguments,
    /// The grant, as `grant list` names it
    grant: String,
}

/// Ends a grant at once; its tokens stop working
#[derive(Debug, Args)]
pub(crate) struct Revoke {
    #[command(flatten)]
    store: StoreArguments,
    /// The grant, as `grant list` names it
    grant: String,
}

impl GrantVerb {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::Create(create) => create.run(output).await,
            Self::List(list) => list.run(output).await,
            Self::Show(show) => show.run(output).await,
            Self::Revoke(revoke) => revoke.run(output).await,
        }
    }
}

impl List {
    async fn run(self, output: &Output) -> anyhow::Result<()> {
        let grants = self.store.open(Missing::Refuse).await?.grants().await?;
        if output.is_json() {
            let list: Vec<_> = grants.iter().map(show::to_json).collect();
            return output.json(&json!({ "grants": list }));
        }
        if grants.is_empty() {
            return output.line("no grants yet; make one with: stepwell grant create");
        }
        grants.iter().try_for_each(|grant| output.line(show::one_line(grant, time::now())))
    }
}

impl Show {
    async fn run(self, output: &Output) -> anyhow::Result<()> {
        let grant = self.store.open(Missing::Refuse).await?.grant(&self.grant).await?;
        if output.is_json() {
            return output.json(&show::to_json(&grant));
        }
        output.line(show::one_line(&grant, time::now()))?;
        output.line(show::coverage(&grant.streams))
    }
}

impl Revoke {
    async fn run(self, output: &Output) -> anyhow::Result<()> {
        let store = self.store.open(Missing::Refuse).await?;
        let revoked = store.revoke_grant(&self.grant).await?;
        if output.is_json() {
            return output.json(&json!({ "grant_id": self.grant, "revoked": true, "already": !revoked }));
        }
        output.line(if revoked { "revoked" } else { "was revoked already" })
    }
}
