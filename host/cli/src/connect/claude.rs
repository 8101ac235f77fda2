//! Claude Code and Claude Desktop.

use super::client::{Entry, Shape, Token, Unsupported};
use super::merge::Format;
use super::way::{TOKEN_VARIABLE, Way};
use serde_json::json;
use std::path::PathBuf;

pub(super) const CODE: Shape = Shape {
    title: "Claude Code",
    format: Format::Json,
    room: "mcpServers",
    file: code_file,
    entry: code_entry,
    then: "see that it is connected: claude mcp list",
    needs_portable: true,
};

pub(super) const DESKTOP: Shape = Shape {
    title: "Claude Desktop",
    format: Format::Json,
    room: "mcpServers",
    file: desktop_file,
    entry: desktop_entry,
    then: "quit Claude Desktop and start it again",
    needs_portable: true,
};

fn code_file() -> Option<PathBuf> {
    let folder = std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from).or_else(dirs::home_dir)?;
    Some(folder.join(".claude.json"))
}

fn desktop_file() -> Option<PathBuf> {
    Some(dirs::config_dir()?.join("Claude").join("claude_desktop_config.json"))
}

fn code_entry(way: &Way) -> Result<Entry, Unsupported> {
    Ok(match way {
        Way::Stdio { program, arguments } => {
            json!({ "type": "stdio", "command": program, "args": arguments }).into()
        }
        Way::Http { url, .. } => {
            let headers = json!({ "Authorization": format!("Bearer ${{{TOKEN_VARIABLE}}}") });
            let value = json!({ "type": "http", "url": url.as_str(), "headers": headers });
            Entry { token: Token::InEnvironment, ..value.into() }
        }
    })
}

fn desktop_entry(way: &Way) -> Result<Entry, Unsupported> {
    match way {
        Way::Stdio { program, arguments } => Ok(json!({ "command": program, "args": arguments }).into()),
        Way::Http { .. } => Err(Unsupported {
            title: DESKTOP.title,
            reason: "has no form for a server over HTTP that wants a token: leave out --http, and let it start the \
                     server itself",
        }),
    }
}
