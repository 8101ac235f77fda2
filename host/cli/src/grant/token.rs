//! `stepwell grant token`: further tokens of a grant or a package.

use super::create::{expiry, length};
use crate::output::{BOLD, DIM, Output};
use crate::store_args::StoreArguments;
use crate::token_out::TokenOut;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stepwell_contract::quote::strip_control;
use stepwell_source::grant::GrantState;
use stepwell_source::sqlite::Missing;
use stepwell_source::time::{self, Millis};
use stepwell_source::token::{IssuedToken, TokenKind, TokenRequest};

/// Issues, lists and ends tokens of grants and packages
#[derive(Debug, Subcommand)]
pub(crate) enum TokenVerb {
    Create(CreateToken),
    List(ListTokens),
    Revoke(RevokeToken),
}

/// Issues one more token for a grant or a package
#[derive(Debug, Args)]
#[command(after_help = "\
A single-use grant has one token, which lives for a day; asking for another is grant_consumed.

  stepwell grant token create GRANT --rotate                 the old tokens end at once
  stepwell grant token create GRANT --rotate --grace 1h      the old tokens are good for one more hour")]
pub(crate) struct CreateToken {
    #[command(flatten)]
    store: StoreArguments,
    /// Ends the earlier tokens of the grant
    #[arg(long)]
    rotate: bool,
    /// How long the earlier tokens stay good, such as 1h [default: not at all]
    #[arg(long, value_name = "LENGTH", requires = "rotate", value_parser = length)]
    grace: Option<Millis>,
    /// When the token ends, if that is before its grant does: a length such as 30d or 12h, or a moment
    #[arg(long, value_name = "T", value_parser = expiry)]
    expires: Option<Millis>,
    #[command(flatten)]
    token: TokenOut,
    /// The grant or package, as `grant list` names it
    grant: String,
}

/// Lists tokens by names that are no secret
#[derive(Debug, Args)]
pub(crate) struct ListTokens {
    #[command(flatten)]
    store: StoreArguments,
    /// Only those of this grant or package
    grant: Option<String>,
}

/// Ends one token at once; the others stay as they are
#[derive(Debug, Args)]
pub(crate) struct RevokeToken {
    #[command(flatten)]
    store: StoreArguments,
    /// The token's name, as the list shows it: tok_…
    token: String,
}

impl TokenVerb {
    pub(super) async fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::Create(create) => create.run(output).await,
            Self::List(list) => list.run(output).await,
            Self::Revoke(revoke) => revoke.run(output).await,
        }
    }
}

impl CreateToken {
    async fn run(self, output: &Output) -> anyhow::Result<()> {
        let store = self.store.open(Missing::Refuse).await?;
        let file = self.token.prepare()?;
        let replaces_after = self.rotate.then(|| self.grace.unwrap_or_default());
        let request = TokenRequest { expires_at: self.expires, replaces_after };
        let (issued, token) = store.issue_token(&self.grant, &request).await?;
        file.hand_over(output, &format!("made {}", issued.name), to_json(&issued), &token)
    }
}

impl ListTokens {
    async fn run(self, output: &Output) -> anyhow::Result<()> {
        let store = self.store.open(Missing::Refuse).await?;
        if let Some(id) = &self.grant
            && store.package(id).await.is_err()
        {
            store.grant(id).await?;
        }
        let mut tokens = store.tokens().await?;
        tokens.retain(|token| match &self.grant {
            Some(holder) => token.holder.as_ref() == Some(holder),
            None => token.kind != TokenKind::Owner,
        });
        print(output, &tokens, "no tokens; make one with: stepwell grant token create GRANT")
    }
}

impl RevokeToken {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let revoked = self.store.open(Missing::Refuse).await?.revoke_token(&self.token).await?;
        if output.is_json() {
            return output.json(&json!({ "token": self.token, "revoked": true, "already": !revoked }));
        }
        output.line(if revoked { "revoked" } else { "was revoked already" })
    }
}

/// Lists tokens for people or for scripts.
pub(crate) fn print(output: &Output, tokens: &[IssuedToken], none: &str) -> anyhow::Result<()> {
    if output.is_json() {
        let list: Vec<Value> = tokens.iter().map(to_json).collect();
        return output.json(&json!({ "tokens": list }));
    }
    if tokens.is_empty() {
        return output.line(none);
    }
    tokens.iter().try_for_each(|token| output.line(one_line(token, time::now())))
}

/// A token for scripts: all but the token.
pub(crate) fn to_json(token: &IssuedToken) -> Value {
    json!({
        "name": token.name,
        "kind": kind(token.kind),
        "holder": token.holder,
        "label": token.label,
        "state": token.state(time::now()),
        "created_at": time::print(token.created_at),
        "expires_at": token.expires_at.map(time::print),
        "revoked_at": token.revoked_at.map(time::print),
    })
}

fn kind(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Client => "client",
        TokenKind::Package => "package",
        TokenKind::Owner => "owner",
    }
}

fn one_line(token: &IssuedToken, now: Millis) -> String {
    let state = match (token.state(now), token.expires_at) {
        (GrantState::Active, None) => "no end of its own".to_owned(),
        (GrantState::Active, Some(at)) => format!("until {}", time::print(at)),
        (GrantState::Expired, at) => format!("ended {}", at.map(time::print).unwrap_or_default()),
        (GrantState::Revoked, _) => "revoked".to_owned(),
    };
    let of = token.holder.as_deref().or(token.label.as_deref()).map(strip_control).unwrap_or_default();
    let (name, made) = (&token.name, time::print(token.created_at));
    format!("{BOLD}{name}{BOLD:#}  {of}  {DIM}made {made}; {state}{DIM:#}")
}
