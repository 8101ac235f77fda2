//! The token that a process has of its own.

use crate::time;
use crate::token::Token;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use stepwell_contract::{Code, Refusal};

/// Where a process's own token comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Own {
    /// It was given.
    Given(Token),
    /// A file that holds nothing else.
    File(PathBuf),
    /// The file that `pdpp connect` writes.
    Pdpp(PathBuf),
}

/// A token and what its file says about it.
#[derive(Clone, Debug)]
pub(super) struct Credential {
    pub(super) token: Token,
    pub(super) grant: Option<String>,
    expires_at: Option<time::Millis>,
}

/// Holds the token until it ends or is refused, and then reads it again.
#[derive(Debug)]
pub(super) struct Keeper {
    own: Own,
    held: Mutex<Option<Credential>>,
}

impl Keeper {
    pub(super) fn new(own: Own) -> Self {
        Self { own, held: Mutex::new(None) }
    }

    /// The token as it is now.
    pub(super) fn current(&self) -> Result<Credential, Refusal> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        match held.as_ref().filter(|credential| !credential.has_ended()) {
            Some(credential) => Ok(credential.clone()),
            None => {
                let credential = self.own.read()?;
                *held = Some(credential.clone());
                Ok(credential)
            }
        }
    }

    /// Another token than the one that was refused, if there is one by now. It is not used before it was judged: a file
    /// may hold an owner's by now.
    pub(super) fn instead_of(&self, refused: &Token) -> Option<Credential> {
        self.own.read().ok().filter(|credential| credential.token != *refused)
    }

    /// Uses another token from now on.
    pub(super) fn keep(&self, credential: Credential) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(credential);
    }
}

impl Credential {
    fn has_ended(&self) -> bool {
        self.expires_at.is_some_and(|at| at <= time::now())
    }
}

impl Own {
    fn read(&self) -> Result<Credential, Refusal> {
        let (text, is_pdpp) = match self {
            Self::Given(token) => return Ok(plain(token.clone())),
            Self::File(path) => (std::fs::read_to_string(path), false),
            Self::Pdpp(path) => (std::fs::read_to_string(path), true),
        };
        let text = text.map_err(|_| {
            let hint = if is_pdpp {
                "run `pdpp connect`, or name a file with --token-file or [source] token_file"
            } else {
                "name a readable file with --token-file or [source] token_file"
            };
            unusable("there is no token for the resource server").hint(hint)
        })?;
        match (is_pdpp, text.trim()) {
            (_, "") => Err(unusable("the file of the token is empty")),
            (false, token) => Ok(plain(Token::new(token))),
            (true, json) => pdpp(json),
        }
    }
}

fn plain(token: Token) -> Credential {
    Credential { token, grant: None, expires_at: None }
}

/// Reads what `pdpp connect` wrote.
fn pdpp(json: &str) -> Result<Credential, Refusal> {
    let file: Value = serde_json::from_str(json).map_err(|_| unusable("the credential file is damaged"))?;
    let inner = &file["credential"];
    let word = |name: &str| inner[name].as_str().or(file[name].as_str()).map(str::to_owned);
    let kinds = ["pdpp_token_kind", "token_kind", "kind", "role"];
    if kinds.iter().any(|name| word(name).is_some_and(|kind| kind.eq_ignore_ascii_case("owner"))) {
        return Err(owner_refused());
    }
    let token = inner["access_token"].as_str().filter(|token| !token.trim().is_empty());
    let token = token.ok_or_else(|| unusable("the credential file has no access token"))?;
    let credential = Credential {
        token: Token::new(token.trim()),
        grant: word("grant_id"),
        expires_at: word("expires_at").and_then(|at| time::parse(&at)),
    };
    if credential.has_ended() {
        return Err(unusable("the credential has expired").hint("run `pdpp connect` again"));
    }
    Ok(credential)
}

/// An owner's token where a client's belongs.
pub(super) fn owner_refused() -> Refusal {
    let message = "an owner token does not read records through this door";
    Refusal::new(Code::OwnerTokenRefused, message).hint("connect with a client grant and use its token")
}

pub(super) fn unusable(what: &str) -> Refusal {
    Refusal::new(Code::InvalidToken, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_the_pdpp_command_line_is_read() {
        let credential = pdpp(
            r#"{"credential":{"access_token":"tok","expires_at":"2999-01-01T00:00:00Z"},"grant_id":"grt_1"}"#,
        )
        .unwrap();
        assert_eq!((credential.token.reveal(), credential.grant.as_deref()), ("tok", Some("grt_1")));
        assert!(pdpp(r#"{"credential":{"access_token":"tok","expires_at":"soon"}}"#).is_ok());
        for (json, code) in [
            (
                r#"{"credential":{"access_token":"t","expires_at":"2020-01-01T00:00:00Z"}}"#,
                Code::InvalidToken,
            ),
            (r#"{"credential":{"access_token":"t","token_kind":"Owner"}}"#, Code::OwnerTokenRefused),
            (r#"{"credential":{"access_token":"t"},"role":"owner"}"#, Code::OwnerTokenRefused),
            (r#"{"credential":{"access_token":" "}}"#, Code::InvalidToken),
            (r#"{"credential":"#, Code::InvalidToken),
            ("[]", Code::InvalidToken),
        ] {
            assert_eq!(pdpp(json).unwrap_err().code, code, "{json}");
        }
    }

    #[test]
    fn a_file_is_read_again_when_its_token_was_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let keeper = Keeper::new(Own::File(path.clone()));
        assert_eq!(keeper.current().unwrap_err().code, Code::InvalidToken);
        std::fs::write(&path, "one\n").unwrap();
        assert_eq!(keeper.current().unwrap().token.reveal(), "one");
        assert!(keeper.instead_of(&Token::new("one")).is_none());
        std::fs::write(&path, "two").unwrap();
        assert_eq!(keeper.current().unwrap().token.reveal(), "one");
        let two = keeper.instead_of(&Token::new("one")).unwrap();
        assert_eq!(two.token.reveal(), "two");
        assert_eq!(keeper.current().unwrap().token.reveal(), "one", "not before it was judged");
        keeper.keep(two);
        assert_eq!(keeper.current().unwrap().token.reveal(), "two");
    }
}
