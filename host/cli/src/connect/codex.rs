//! Codex.

use super::client::{Entry, Shape, Token, Unsupported};
use super::merge::Format;
use super::way::{TOKEN_VARIABLE, Way};
use serde_json::json;
use std::path::PathBuf;

pub(super) const SHAPE: Shape = Shape {
    title: "Codex",
    format: Format::Toml,
    room: "mcp_servers",
    file,
    entry,
    then: "type /mcp in a conversation to see that it is connected; `codex mcp list` shows only what the file says",
    needs_portable: false,
};

fn file() -> Option<PathBuf> {
    let own = std::env::var_os("CODEX_HOME").map(PathBuf::from);
    Some(own.or_else(|| Some(dirs::home_dir()?.join(".codex")))?.join("config.toml"))
}

fn entry(way: &Way) -> Result<Entry, Unsupported> {
    Ok(match way {
        Way::Stdio { program, arguments } => json!({ "command": program, "args": arguments }).into(),
        Way::Http { url, .. } => {
            let value = json!({ "url": url.as_str(), "bearer_token_env_var": TOKEN_VARIABLE });
            Entry { token: Token::InEnvironment, ..value.into() }
        }
    })
}
