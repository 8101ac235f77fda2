//! Cursor.

use super::client::{Entry, Shape, Token, Unsupported};
use super::merge::Format;
use super::way::{TOKEN_VARIABLE, Way};
use serde_json::json;
use std::path::PathBuf;

pub(super) const SHAPE: Shape = Shape {
    title: "Cursor",
    format: Format::JsonWithComments,
    room: "mcpServers",
    file,
    entry,
    then: "look under Settings, MCP: six tools must be listed",
    needs_portable: false,
};

fn file() -> Option<PathBuf> {
    Some(dirs::home_dir()?.join(".cursor").join("mcp.json"))
}

fn entry(way: &Way) -> Result<Entry, Unsupported> {
    Ok(match way {
        Way::Stdio { program, arguments } => json!({ "command": program, "args": arguments }).into(),
        Way::Http { url, .. } => {
            let headers = json!({ "Authorization": format!("Bearer ${{env:{TOKEN_VARIABLE}}}") });
            let value = json!({ "url": url.as_str(), "headers": headers });
            Entry { token: Token::InEnvironment, ..value.into() }
        }
    })
}
