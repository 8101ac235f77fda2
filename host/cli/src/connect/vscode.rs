//! VS Code.

use super::client::{Entry, Shape, Token, Unsupported};
use super::merge::Format;
use super::way::Way;
use serde_json::json;
use std::path::PathBuf;

pub(super) const SHAPE: Shape = Shape {
    title: "VS Code",
    format: Format::JsonWithComments,
    room: "servers",
    file,
    entry,
    then: "run the command `MCP: List Servers` in VS Code",
    needs_portable: false,
};

/// The name of the question. VS Code keeps the answer where it keeps other secrets.
const QUESTION: &str = "stepwell-token";

fn file() -> Option<PathBuf> {
    Some(dirs::config_dir()?.join("Code").join("User").join("mcp.json"))
}

fn entry(way: &Way) -> Result<Entry, Unsupported> {
    Ok(match way {
        Way::Stdio { program, arguments } => {
            json!({ "type": "stdio", "command": program, "args": arguments }).into()
        }
        Way::Http { url, .. } => {
            let headers = json!({ "Authorization": format!("Bearer ${{input:{QUESTION}}}") });
            let value = json!({ "type": "http", "url": url.as_str(), "headers": headers });
            let question = json!({
                "type": "promptString",
                "id": QUESTION,
                "description": "The client token that stepwell grant create made",
                "password": true,
            });
            Entry { input: Some(question), token: Token::Asked, ..value.into() }
        }
    })
}
