//! Who may write.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::statement::Statement;
use crate::error::Result;
use crate::grant::GrantState;
use crate::time;
use crate::token::{Token, TokenKind};
use stepwell_contract::{Code, Refusal};

/// Proof that an owner's token was checked: whoever has it may fill streams. It opens no record.
#[derive(Clone, Copy, Debug)]
pub struct Owner(());

impl Embedded {
    /// Turns an owner's token into an owner. A token of another kind counts, and is none of an owner.
    pub async fn authenticate_owner(&self, token: &Token) -> Result<Option<Owner>> {
        let unknown = || Refusal::new(Code::InvalidToken, "the token is unknown, expired or revoked");
        let rows = self.read(Statement::Authenticate, bind![&token.digest()[..]]).await?;
        let mut row = rows.into_iter().next().ok_or_else(unknown)?;
        let kind = TokenKind::from_code(row.int()?);
        let (expires_at, revoked_at) = (row.int_or_null()?, row.int_or_null()?);
        if GrantState::of(revoked_at, expires_at, time::now()) != GrantState::Active {
            return Err(unknown().into());
        }
        Ok((kind == Some(TokenKind::Owner)).then_some(Owner(())))
    }
}
