//! Gemini CLI.

use super::client::{Entry, Shape, Token, Unsupported};
use super::merge::Format;
use super::way::{TOKEN_VARIABLE, Way};
use serde_json::json;
use std::path::PathBuf;

pub(super) const SHAPE: Shape = Shape {
    title: "Gemini CLI",
    format: Format::JsonWithComments,
    room: "mcpServers",
    file,
    entry,
    then: "see that it is connected: gemini mcp list",
    needs_portable: false,
};

fn file() -> Option<PathBuf> {
    Some(dirs::home_dir()?.join(".gemini").join("settings.json"))
}

fn entry(way: &Way) -> Result<Entry, Unsupported> {
    Ok(match way {
        Way::Stdio { program, arguments } => json!({ "command": program, "args": arguments }).into(),
        Way::Http { url, .. } => {
            let headers = json!({ "Authorization": format!("Bearer ${{{TOKEN_VARIABLE}}}") });
            let value = json!({ "httpUrl": url.as_str(), "headers": headers });
            Entry { token: Token::InEnvironment, ..value.into() }
        }
    })
}
