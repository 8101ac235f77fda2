//! Tokens, and the caller that a valid one makes.

use crate::grant::GrantState;
use crate::time::Millis;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// Who a token speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A client under one grant.
    Client,
    /// A client under several grants, which a package holds together.
    Package,
    /// The owner of the data, who may write and grant but never reads through a client's door.
    Owner,
}

impl TokenKind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Client => "swc_",
            Self::Package => "swp_",
            Self::Owner => "swo_",
        }
    }

    pub(crate) const fn code(self) -> i64 {
        match self {
            Self::Client => 0,
            Self::Owner => 1,
            Self::Package => 2,
        }
    }

    pub(crate) const fn from_code(code: i64) -> Option<Self> {
        match code {
            0 => Some(Self::Client),
            1 => Some(Self::Owner),
            2 => Some(Self::Package),
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

    /// What the token is called where it must not be shown: in lists, and when it is ended.
    #[must_use]
    pub fn name(&self) -> String {
        Self::name_of(&self.digest())
    }

    /// The same from what the store keeps. Six bytes of a digest tell tokens apart and help nobody to find one.
    pub(crate) fn name_of(digest: &[u8; 32]) -> String {
        digest[..6].iter().fold("tok_".to_owned(), |name, byte| format!("{name}{byte:02x}"))
    }

    /// Whether it has the form of a store's own token. Such a one is nobody else's business.
    #[must_use]
    pub fn is_of_a_store(&self) -> bool {
        // The third letter is the kind.
        self.0.starts_with("sw") && self.0.as_bytes().get(3) == Some(&b'_')
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

/// What an owner asks for when issuing one more token.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenRequest {
    /// When the token ends, if that is before its grant does.
    pub expires_at: Option<Millis>,
    /// Whether it takes the place of the earlier tokens, and how many milliseconds these are good for from now on.
    pub replaces_after: Option<Millis>,
}

/// A token as its owner sees it afterwards: all but the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedToken {
    /// Its name, which is no secret.
    pub name: String,
    /// Who it speaks for.
    pub kind: TokenKind,
    /// The grant or package that it belongs to; the owner's belong to none.
    pub holder: Option<String>,
    /// What its owner calls it.
    pub label: Option<String>,
    /// When it was made.
    pub created_at: Millis,
    /// When it ends.
    pub expires_at: Option<Millis>,
    /// When it was revoked.
    pub revoked_at: Option<Millis>,
}

impl IssuedToken {
    /// In which state it is at a moment. Its grant may have ended before it.
    #[must_use]
    pub fn state(&self, now: Millis) -> GrantState {
        GrantState::of(self.revoked_at, self.expires_at, now)
    }
}

/// Proof that a token was checked. Only a source can make one, and every read asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub(crate) grant: String,
    pub(crate) client: String,
    /// Whether `grant` names a package, and the caller reads under each grant in it.
    pub(crate) package: bool,
}

impl Caller {
    /// The grant that the caller reads under, or the package of grants. It is an identifier, not a secret.
    #[must_use]
    pub fn grant(&self) -> &str {
        &self.grant
    }

    /// The name of the client that the grant or the package was made for.
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
        assert!(one.is_of_a_store() && !Token::new("eyJ").is_of_a_store());
        assert_ne!(one.digest(), two.digest());
        assert!(one.name().starts_with("tok_") && one.name().len() == 16);
        assert!(!one.reveal().contains(&one.name()[4..]) && one.name() != two.name());
    }
}
