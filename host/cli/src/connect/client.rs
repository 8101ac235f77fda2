//! The clients that are known, and what each of them wants to read.

use super::merge::Format;
use super::way::Way;
use super::{claude, codex, cursor, gemini, opencode, vscode};
use clap::ValueEnum;
use serde_json::Value;
use std::path::PathBuf;

/// A client whose configuration is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Codex,
    Cursor,
    Vscode,
    Gemini,
    Opencode,
}

/// How one client is configured.
#[derive(Debug)]
pub(super) struct Shape {
    /// What people call it.
    pub(super) title: &'static str,
    pub(super) format: Format,
    /// The member of its file that holds all servers.
    pub(super) room: &'static str,
    /// Where its file is.
    pub(super) file: fn() -> Option<PathBuf>,
    /// How it spells a way to a server.
    pub(super) entry: fn(&Way) -> Result<Entry, Unsupported>,
    /// What to do once the file is written.
    pub(super) then: &'static str,
    /// Whether it loses a tool whose schema is spelled as `schemas = "seed"` spells it.
    pub(super) needs_portable: bool,
}

/// A server as a client spells it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) value: Value,
    /// A question that the client asks its user once.
    pub(super) input: Option<Value>,
    /// Where the client finds the token, if whoever starts it has to see to that.
    pub(super) token: Token,
}

/// Where a client finds the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// The entry says where it is.
    Named,
    /// In the environment of the client.
    InEnvironment,
    /// The client asks its user.
    Asked,
}

/// A client that has no such way.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{title} {reason}")]
pub(super) struct Unsupported {
    pub(super) title: &'static str,
    pub(super) reason: &'static str,
}

impl From<Value> for Entry {
    fn from(value: Value) -> Self {
        Self { value, input: None, token: Token::Named }
    }
}

impl Client {
    pub(crate) const ALL: [Self; 7] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Codex,
        Self::Cursor,
        Self::Vscode,
        Self::Gemini,
        Self::Opencode,
    ];

    /// The word for it on the command line.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }

    pub(super) const fn shape(self) -> &'static Shape {
        match self {
            Self::ClaudeCode => &claude::CODE,
            Self::ClaudeDesktop => &claude::DESKTOP,
            Self::Codex => &codex::SHAPE,
            Self::Cursor => &cursor::SHAPE,
            Self::Vscode => &vscode::SHAPE,
            Self::Gemini => &gemini::SHAPE,
            Self::Opencode => &opencode::SHAPE,
        }
    }
}
