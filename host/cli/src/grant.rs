//! `stepwell grant`: who may read what.

mod create;
mod interview;
mod outlook;
mod package;
mod show;
mod token;

pub(crate) use create::{confirmed, expiry, moment};
pub(crate) use token::{RevokeToken, print as print_tokens};

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
    Package(package::MakePackage),
    List(List),
    Show(Show),
    Revoke(Revoke),
    #[command(subcommand)]
    Token(token::TokenVerb),
}

/// Lists all grants and packages, ended ones too
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    store: StoreArguments,
}

/// Shows what one grant or package covers
#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    store: StoreArguments,
    /// The grant or package, as `grant list` names it
    grant: String,
}

/// Ends a grant or a package at once; its tokens stop working
#[derive(Debug, Args)]
pub(crate) struct Revoke {
    #[command(flatten)]
    store: StoreArguments,
    /// The grant or package, as `grant list` names it
    grant: String,
}

impl GrantVerb {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::Create(create) => create.run(output).await,
            Self::List(list) => list.run(output).await,
            Self::Show(show) => show.run(output).await,
            Self::Revoke(revoke) => revoke.run(output).await,
            Self::Package(package) => package.run(output).await,
            Self::Token(token) => token.run(output).await,
        }
    }
}

impl List {
    async fn run(self, output: &Output) -> anyhow::Result<()> {
        let store = self.store.open(Missing::Refuse).await?;
        let (grants, packages) = (store.grants().await?, store.packages().await?);
        if output.is_json() {
            let grants: Vec<_> = grants.iter().map(show::to_json).collect();
            let packages: Vec<_> = packages.iter().map(show::package_to_json).collect();
            return output.json(&json!({ "grants": grants, "packages": packages }));
        }
        if grants.is_empty() {
            return output.line("no grants yet; make one with: stepwell grant create");
        }
        grants.iter().try_for_each(|grant| output.line(show::one_line(grant, time::now())))?;
        packages.iter().try_for_each(|package| output.line(show::package_line(package, time::now())))
    }
}

impl Show {
    async fn run(self, output: &Output) -> anyhow::Result<()> {
        let store = self.store.open(Missing::Refuse).await?;
        let packages = store.packages().await?;
        if let Some(package) = packages.iter().find(|package| package.package_id == self.grant) {
            if output.is_json() {
                return output.json(&show::package_to_json(package));
            }
            output.line(show::package_line(package, time::now()))?;
            for id in &package.grants {
                let grant = store.grant(id).await?;
                output.line(show::one_line(&grant, time::now()))?;
                output.line(show::coverage(&grant.streams))?;
            }
            return Ok(());
        }
        let grant = store.grant(&self.grant).await?;
        let held_by: Vec<&str> = packages
            .iter()
            .filter(|package| package.grants.contains(&grant.grant_id))
            .map(|package| package.package_id.as_str())
            .collect();
        if output.is_json() {
            let mut value = show::to_json(&grant);
            value["packages"] = json!(held_by);
            return output.json(&value);
        }
        output.line(show::one_line(&grant, time::now()))?;
        output.line(show::coverage(&grant.streams))?;
        if !held_by.is_empty() {
            output.line(format_args!("  in the packages: {}", held_by.join(", ")))?;
        }
        Ok(())
    }
}

impl Revoke {
    async fn run(self, output: &Output) -> anyhow::Result<()> {
        let store = self.store.open(Missing::Refuse).await?;
        let is_package = store.package(&self.grant).await.is_ok();
        let (kind, revoked) = match is_package {
            true => ("package_id", store.revoke_package(&self.grant).await?),
            false => ("grant_id", store.revoke_grant(&self.grant).await?),
        };
        if output.is_json() {
            return output.json(&json!({ kind: self.grant, "revoked": true, "already": !revoked }));
        }
        output.line(if revoked { "revoked" } else { "was revoked already" })
    }
}
