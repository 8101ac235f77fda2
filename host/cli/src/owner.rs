//! `stepwell owner`: tokens of the owner, who may write and never reads through a client's door.

use crate::grant::{RevokeToken, expiry, print_tokens};
use crate::output::Output;
use crate::store_args::StoreArguments;
use crate::token_out::TokenOut;
use clap::{Args, Subcommand};
use serde_json::json;
use stepwell_source::sqlite::Missing;
use stepwell_source::time::{self, Millis};
use stepwell_source::token::TokenKind;

/// Makes, lists and ends tokens of the owner
#[derive(Debug, Subcommand)]
pub(crate) enum OwnerVerb {
    /// Makes, lists and ends tokens of the owner
    #[command(subcommand)]
    Token(OwnerToken),
}

/// Makes, lists and ends tokens of the owner
#[derive(Debug, Subcommand)]
pub(crate) enum OwnerToken {
    Create(CreateOwnerToken),
    List(ListOwnerTokens),
    Revoke(RevokeToken),
}

/// Makes a token for yourself, to write into the store over HTTP
#[derive(Debug, Args)]
#[command(after_help = "\
An owner token may write. It does not read records: for that, make a grant and use its token.

  stepwell owner token create --label importer --expires 365d --token-out owner-token")]
pub(crate) struct CreateOwnerToken {
    #[command(flatten)]
    store: StoreArguments,
    /// What the token is for, in your own words
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// When the token ends: a length such as 30d or 12h, or a moment [default: when you revoke it]
    #[arg(long, value_name = "T", value_parser = expiry)]
    expires: Option<Millis>,
    #[command(flatten)]
    token: TokenOut,
}

/// Lists the owner's tokens by names that are no secret
#[derive(Debug, Args)]
pub(crate) struct ListOwnerTokens {
    #[command(flatten)]
    store: StoreArguments,
}

impl OwnerVerb {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let Self::Token(verb) = self;
        match verb {
            OwnerToken::Create(create) => create.run(output).await,
            OwnerToken::List(list) => list.run(output).await,
            OwnerToken::Revoke(revoke) => revoke.run(output).await,
        }
    }
}

impl CreateOwnerToken {
    async fn run(self, output: &Output) -> anyhow::Result<()> {
        let store = self.store.open(Missing::Refuse).await?;
        let file = self.token.prepare()?;
        let token = store.create_labelled_owner_token(self.label.as_deref(), self.expires).await?;
        let told = json!({
            "name": token.name(),
            "kind": "owner",
            "label": self.label,
            "expires_at": self.expires.map(time::print),
        });
        file.hand_over(output, &format!("made {}", token.name()), told, &token)
    }
}

impl ListOwnerTokens {
    async fn run(self, output: &Output) -> anyhow::Result<()> {
        let mut tokens = self.store.open(Missing::Refuse).await?.tokens().await?;
        tokens.retain(|token| token.kind == TokenKind::Owner);
        print_tokens(output, &tokens, "no owner tokens; make one with: stepwell owner token create")
    }
}
