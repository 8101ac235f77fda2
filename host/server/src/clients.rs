//! Which clients can follow links.
//!
//! A `resource_link` block helps some clients and harms others: one framework's agent dies of it, another then drops the
//! structured content, and several lose it without a word. So only clients that were seen to show links to the model
//! get them, unless the operator says otherwise; the URI stands in text and structured content in any case. A client
//! that is not named here, or does not say its name, gets none.

/// How clients begin the name that they give themselves; some append the name of the server.
///
/// | client | shows a link as |
/// |---|---|
/// | Claude Code | `[Resource link: name] uri` |
/// | Gemini CLI, Qwen Code | `Resource Link: title at uri` |
/// | Cline, Continue | the block's JSON |
const FOLLOW_LINKS: &[&str] =
    &["claude-code", "gemini-cli-mcp-client", "qwen-code-mcp-client", "cline", "continue-"];

/// Whether a client of this name is known to cope with links.
pub(crate) fn follows_links(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    FOLLOW_LINKS.iter().any(|known| name.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_clients_get_links() {
        for name in ["claude-code", "gemini-cli-mcp-client-stepwell", "Cline", "continue-client"] {
            assert!(follows_links(name), "{name}");
        }
        // The name that the Python SDK gives by default stands for frameworks that break on a link too.
        for name in ["", "mcp", "langchain", "claude-ai", "codex-mcp-client", "opencode", "goose"] {
            assert!(!follows_links(name), "{name}");
        }
    }
}
