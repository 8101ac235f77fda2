//! Tokens from the owner's side: issued, listed by names that are no secret, and ended.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::row::Param;
use crate::embedded::statement::Statement;
use crate::error::Failure;
use crate::grant::{AccessMode, GrantError, GrantState};
use crate::time::{self, Millis};
use crate::token::{IssuedToken, Token, TokenKind, TokenRequest};

/// How long the one token of a single-use grant lives, as with PDPP's servers.
const SINGLE_USE: Millis = time::DAY;

/// Whom a token speaks for.
#[derive(Clone, Copy)]
pub(super) enum Holder<'a> {
    Package(&'a str),
    Owner,
}

/// When a token for a grant ends: that of a single-use grant after a day.
pub(super) fn end_of_token(mode: AccessMode, wanted: Option<Millis>, now: Millis) -> Option<Millis> {
    match mode {
        AccessMode::Continuous => wanted,
        AccessMode::SingleUse => {
            let latest = now.saturating_add(SINGLE_USE);
            Some(wanted.map_or(latest, |wanted| wanted.min(latest)))
        }
    }
}

/// Adds a token for a package or the owner.
pub(super) fn add_token(
    token: &Token,
    holder: Holder<'_>,
    label: Option<&str>,
    now: Millis,
    expires_at: Option<Millis>,
) -> (Statement, Vec<Param>) {
    let (kind, package) = match holder {
        Holder::Package(id) => (TokenKind::Package, Some(id.to_owned())),
        Holder::Owner => (TokenKind::Owner, None),
    };
    let label = label.map(str::to_owned);
    (Statement::AddToken, bind![&token.digest()[..], kind.code(), package, label, now, expires_at])
}

/// Adds a token for a grant, unless it is a single-use one that has had its token. The first statement
/// holds the grant's row, so that of two who ask at the same time one comes second.
pub(super) fn issue_token(
    token: &Token,
    grant: &str,
    now: Millis,
    expires_at: Option<Millis>,
) -> [(Statement, Vec<Param>); 2] {
    let digest = token.digest();
    [
        (Statement::ConsumeGrant, bind![grant, now]),
        (Statement::IssueToken, bind![&digest[..], TokenKind::Client.code(), grant, now, expires_at]),
    ]
}

impl Embedded {
    /// Issues one more token for a grant or a package, and ends the earlier ones if it takes their place.
    pub async fn issue_token(
        &self,
        holder: &str,
        request: &TokenRequest,
    ) -> Result<(IssuedToken, Token), GrantError> {
        let now = time::now();
        let mode = self.mode_of(holder, now).await?;
        let kind = if mode.is_some() { TokenKind::Client } else { TokenKind::Package };
        let token = Token::generate(kind)?;
        let expires_at = match mode {
            Some(mode) => end_of_token(mode, request.expires_at, now),
            None => request.expires_at,
        };
        let mut writes = match mode {
            Some(_) => issue_token(&token, holder, now, expires_at).to_vec(),
            None => vec![add_token(&token, Holder::Package(holder), None, now, expires_at)],
        };
        let issuing = writes.len() - 1;
        if let Some(grace) = request.replaces_after {
            let digest = token.digest();
            let end = now.saturating_add(grace.max(0));
            // Only if the new token was made: a refused one leaves the earlier ones as they are.
            writes.push((Statement::EndTokens, bind![holder, &digest[..], end]));
        }
        let changed = self.engine.write(writes).await?;
        if changed.get(issuing) != Some(&1) {
            return Err(GrantError::Consumed(holder.to_owned()));
        }
        let issued = IssuedToken {
            name: token.name(),
            kind,
            holder: Some(holder.to_owned()),
            label: None,
            created_at: now,
            expires_at,
            revoked_at: None,
        };
        Ok((issued, token))
    }

    /// How often a token is issued for a grant that is open; none for a package, which has no such limit.
    async fn mode_of(&self, holder: &str, now: Millis) -> Result<Option<AccessMode>, GrantError> {
        let package = self.packages().await?.into_iter().find(|package| package.package_id == holder);
        let (state, mode) = match package {
            Some(package) => (package.state(now), None),
            None => {
                let grant = self.grant(holder).await?;
                (grant.state(now), Some(grant.access_mode))
            }
        };
        if state == GrantState::Active { Ok(mode) } else { Err(GrantError::Ended(holder.to_owned())) }
    }

    /// Makes a token for the owner, who may write and grant.
    pub async fn create_owner_token(&self, expires_at: Option<Millis>) -> Result<Token, GrantError> {
        self.create_labelled_owner_token(None, expires_at).await
    }

    /// The same, with a label that tells it from others in lists.
    pub async fn create_labelled_owner_token(
        &self,
        label: Option<&str>,
        expires_at: Option<Millis>,
    ) -> Result<Token, GrantError> {
        let token = Token::generate(TokenKind::Owner)?;
        self.engine.write(vec![add_token(&token, Holder::Owner, label, time::now(), expires_at)]).await?;
        Ok(token)
    }

    /// Lists all tokens, ended ones too, the oldest first.
    pub async fn tokens(&self) -> Result<Vec<IssuedToken>, Failure> {
        let mut tokens = Vec::new();
        for mut row in self.read(Statement::Tokens, bind![]).await? {
            let (digest, kind) = (row.array()?, row.int()?);
            let kind = TokenKind::from_code(kind)
                .ok_or_else(|| Failure::Store("a token is of an unknown kind".into()))?;
            let (grant, package) = (row.text_or_null()?, row.text_or_null()?);
            tokens.push(IssuedToken {
                name: Token::name_of(&digest),
                kind,
                holder: grant.or(package),
                label: row.text_or_null()?,
                created_at: row.int()?,
                expires_at: row.int_or_null()?,
                revoked_at: row.int_or_null()?,
            });
        }
        tokens.sort_by(|a, b| (a.created_at, &a.name).cmp(&(b.created_at, &b.name)));
        Ok(tokens)
    }

    /// Ends one token by its name. Says whether it was still open.
    pub async fn revoke_token(&self, name: &str) -> Result<bool, GrantError> {
        for mut row in self.read(Statement::Tokens, bind![]).await? {
            let digest: [u8; 32] = row.array()?;
            if Token::name_of(&digest) == name {
                let revoke = (Statement::RevokeToken, bind![&digest[..], time::now()]);
                return Ok(self.engine.write(vec![revoke]).await? == [1]);
            }
        }
        Err(GrantError::UnknownToken(name.to_owned()))
    }
}
