//! opencode.

use super::client::{Entry, Shape, Token, Unsupported};
use super::merge::Format;
use super::way::{TOKEN_VARIABLE, Way};
use serde_json::json;
use std::path::PathBuf;

pub(super) const SHAPE: Shape = Shape {
    title: "opencode",
    format: Format::JsonWithComments,
    room: "mcp",
    file,
    entry,
    then: "see that it is connected: opencode mcp list",
    needs_portable: false,
};

/// It reads both names; one that is there already is the one to write.
fn file() -> Option<PathBuf> {
    // It keeps to this place on every system.
    let own = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let folder = own.or_else(|| Some(dirs::home_dir()?.join(".config")))?.join("opencode");
    let with_comments = folder.join("opencode.jsonc");
    Some(if with_comments.exists() { with_comments } else { folder.join("opencode.json") })
}

fn entry(way: &Way) -> Result<Entry, Unsupported> {
    Ok(match way {
        Way::Stdio { program, arguments } => {
            let command: Vec<&str> = std::iter::once(program).chain(arguments).map(String::as_str).collect();
            json!({ "type": "local", "command": command, "enabled": true }).into()
        }
        Way::Http { url, token_file } => {
            let (place, token) = match token_file {
                Some(file) => (format!("{{file:{file}}}"), Token::Named),
                None => (format!("{{env:{TOKEN_VARIABLE}}}"), Token::InEnvironment),
            };
            let headers = json!({ "Authorization": format!("Bearer {place}") });
            // Without this it would look for a sign-in before it sends the header.
            let value = json!({ "type": "remote", "url": url.as_str(), "oauth": false, "headers": headers, "enabled": true });
            Entry { token, ..value.into() }
        }
    })
}
