//! What to paste into a client to climb there.

use super::show::Show;
use crate::output::for_shell;
use anyhow::Context as _;
use serde_json::{Value, json};

/// The address of the HTTP line: any free port will do.
const ADDRESS: &str = "127.0.0.1:8765";

/// What a client passes to the program.
const ARGS: [&str; 3] = ["serve", "--source", "demo"];

/// Shows the three ways to connect a client to the sample data.
pub(super) fn show(show: &Show<'_>) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("the program does not know where it is")?;
    let program = program.to_str().context("the path of the program is not text, which JSON cannot hold")?;
    let ways = Ways::of(program);
    show.remark(
        "your own client",
        format_args!(
            "the same sample data, for as long as the client runs\n{}\n   \
             or:        {}\n   over HTTP: {}\n              {}",
            pasted(program),
            ways.claude,
            ways.http,
            ways.http_hint
        ),
        json!({
            "config": ways.stdio, "claude": ways.claude, "http": ways.http, "http_hint": ways.http_hint,
        }),
    )
}

struct Ways {
    stdio: Value,
    claude: String,
    http: String,
    http_hint: String,
}

impl Ways {
    fn of(program: &str) -> Self {
        let quoted = for_shell(program);
        let serve = format!("{quoted} {}", ARGS.join(" "));
        Self {
            stdio: json!({ "mcpServers": { "stepwell": { "command": program, "args": ARGS } } }),
            claude: format!("claude mcp add stepwell -- {serve}"),
            http: format!("{serve} --http {ADDRESS}"),
            http_hint: format!(
                "then http://{ADDRESS}/mcp with Authorization: Bearer and the token that it prints"
            ),
        }
    }
}

/// The configuration as people write it: the command first, the arguments on one line.
fn pasted(program: &str) -> String {
    let (command, args) = (json!(program), ARGS.map(|arg| json!(arg).to_string()).join(", "));
    format!(
        "{{\n  \"mcpServers\": {{\n    \"stepwell\": {{ \"command\": {command}, \"args\": [{args}] }}\n  }}\n}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_survives_json_and_a_shell() {
        assert_eq!(for_shell("/opt/stepwell"), "/opt/stepwell");
        let path = "/home/o'neill/my tools/stepwell";
        let ways = Ways::of(path);
        assert_eq!(ways.stdio["mcpServers"]["stepwell"]["command"], path);
        assert_eq!(serde_json::from_str::<Value>(&pasted(path)).unwrap(), ways.stdio);
        assert!(
            ways.claude.ends_with(r"-- '/home/o'\''neill/my tools/stepwell' serve --source demo"),
            "{}",
            ways.claude
        );
    }
}
