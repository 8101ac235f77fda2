//! Tokens, and the caller that a valid one makes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// Who a token speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A client under one grant.
    Client,
    /// The owner of the data, who may write and grant but never reads through a client's door.
    Owner,
}

impl TokenKind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Client => "swc_",
            Self::Owner => "swo_",
        }
    }

    pub(crate) const fn code(self) -> i64 {
        match self {
            Self::Client => 0,
            Self::Owner => 1,
        }
    }

    pub(crate) const fn from_code(code: i64) -> Option<Self> {
        match code {
            0 => Some(Self::Client),
            1 => Some(Self::Owner),
            _ => None,
        }
    }
}

/// A bearer token. It prints as stars: a token never reaches a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Takes a token as a client sent it. Whether it is one is for the store to say.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Makes a fresh token from 256 random bits.
    pub fn generate(kind: TokenKind) -> Result<Self, getrandom::Error> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)?;
        Ok(Self(format!("{}{}", kind.prefix(), URL_SAFE_NO_PAD.encode(secret))))
    }

    /// What the store keeps instead of the token. A plain hash is enough for 256 random bits: there is nothing to guess,
    /// and finding a row by it tells a stranger no more than "unknown token" does.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// Shows the token itself: once, to the person who made it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}

/// Proof that a token was checked. Only a source can make one, and every read asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub(crate) grant: String,
    pub(crate) client: String,
    /// What a remote resource server is asked with for this caller; none where a source has its own way.
    pub(crate) bearer: Option<Token>,
}

impl Caller {
    /// The grant that the caller reads under. It is an identifier, not a secret.
    #[must_use]
    pub fn grant(&self) -> &str {
        &self.grant
    }

    /// The name of the client that the grant was made for.
    #[must_use]
    pub fn client(&self) -> &str {
        &self.client
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_random_and_never_printed() {
        let (one, two) =
            (Token::generate(TokenKind::Client).unwrap(), Token::generate(TokenKind::Client).unwrap());
        assert_ne!(one, two);
        assert_eq!(one.reveal().len(), "swc_".len() + 43);
        assert_eq!(format!("{one:?}"), "Token(***)");
        assert_ne!(one.digest(), two.digest());
    }
}
