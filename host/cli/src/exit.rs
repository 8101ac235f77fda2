//! How the program ends, for scripts.

use std::process::ExitCode;
use stepwell_contract::{Code, Refusal};

/// An exit code with a meaning; the numbers above 1 are those of `sysexits.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Refused or failed.
    Failure = 1,
    /// The words of the command are off.
    Usage = 64,
    /// An owner's token where a client's belongs.
    OwnerToken = 77,
    /// No token, or none that counts.
    NoToken = 78,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// The exit code that a refusal ends with.
    pub(crate) fn of(refusal: &Refusal) -> Self {
        match refusal.code {
            Code::OwnerTokenRefused => Self::OwnerToken,
            Code::InvalidToken
            | Code::GrantExpired
            | Code::GrantRevoked
            | Code::GrantInvalid
            | Code::GrantConsumed => Self::NoToken,
            _ => Self::Failure,
        }
    }
}

/// A mistake in the words of the command that only shows once it runs.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// No token was given.
#[derive(Debug, thiserror::Error)]
#[error("no token: pass --token-file FILE, or set STEPWELL_TOKEN; make one with: stepwell grant create")]
pub(crate) struct NoToken;

/// What is wrong stands on standard output already.
#[derive(Debug, thiserror::Error)]
#[error("something is wrong")]
pub(crate) struct AlreadySaid;
