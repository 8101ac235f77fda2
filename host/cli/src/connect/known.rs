//! What clients know of this program already.

use super::client::Client;
use super::merge::Format;
use super::{json_file, toml_file};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A server of this program in a client's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) name: String,
    pub(crate) way: KnownWay,
}

/// How the client reaches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KnownWay {
    /// It starts this program with these arguments.
    Stdio { program: PathBuf, arguments: Vec<String> },
    /// It asks this address.
    Http { url: String },
}

/// The file of a client that is there, and what it says of this program. The reason, if it cannot be read.
pub(crate) fn known(client: Client) -> Option<(PathBuf, Result<Vec<Known>, String>)> {
    let shape = client.shape();
    let file = (shape.file)().filter(|file| file.exists())?;
    let read = || {
        let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
        let document = match shape.format {
            Format::Toml => toml_file::read(&text),
            format @ (Format::Json | Format::JsonWithComments) => json_file::read(&text, format),
        };
        Ok(servers(&document.map_err(|error| error.to_string())?[shape.room]))
    };
    let found = read();
    Some((file, found))
}

/// The servers that start a program of our name, or that are called by it.
fn servers(room: &Value) -> Vec<Known> {
    let entries = room.as_object().into_iter().flatten();
    entries.filter_map(|(name, entry)| Some(Known { name: name.clone(), way: way(name, entry)? })).collect()
}

fn way(name: &str, entry: &Value) -> Option<KnownWay> {
    if let Some(url) = entry["url"].as_str().or(entry["httpUrl"].as_str()) {
        return name.starts_with("stepwell").then(|| KnownWay::Http { url: url.to_owned() });
    }
    // Some clients have the program and its arguments in one list.
    let words = |value: &Value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    let all = words(&entry["command"]).into_iter().chain(words(&entry["args"]));
    let mut all = all.filter_map(|word| word.as_str().map(str::to_owned));
    let program = PathBuf::from(all.next()?);
    let arguments: Vec<String> = all.collect();
    let is_ours = program.file_stem().is_some_and(|stem| stem == "stepwell")
        && arguments.first().is_some_and(|verb| verb == "serve");
    is_ours.then_some(KnownWay::Stdio { program, arguments })
}

impl KnownWay {
    /// The files that it needs and that are not there, by what they are for.
    pub(crate) fn missing(&self) -> Vec<(&'static str, PathBuf)> {
        let Self::Stdio { program, arguments } = self else { return Vec::new() };
        let named = |option: &str| {
            let at = arguments.iter().position(|argument| argument == option)?;
            arguments.get(at + 1).map(PathBuf::from)
        };
        let files = [
            // A bare name is looked up by the client, in a PATH of its own.
            ("program", Some(program.clone()).filter(|program| program.components().count() > 1)),
            ("token", named("--token-file")),
            ("configuration", named("--config")),
        ];
        let missing = |(what, file): (&'static str, Option<PathBuf>)| Some((what, file?));
        files.into_iter().filter_map(missing).filter(|(_, file)| !is_file(file)).collect()
    }
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_this_program_is_recognised() {
        let ours =
            json!({ "command": "/opt/stepwell", "args": ["serve", "--stdio", "--token-file", "/no/such"] });
        let list = json!({ "command": ["stepwell", "serve"] });
        let room = json!({
            "a": ours, "b": list, "stepwell": { "httpUrl": "http://x/mcp" }, "other": { "url": "http://y/mcp" },
            "c": { "command": "npx", "args": ["stepwell", "serve"] }, "d": 5, "e": { "command": [1] },
            "f": { "command": "/opt/stepwell", "args": "serve" },
        });
        let found = servers(&room);
        let names: Vec<&str> = found.iter().map(|known| known.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "stepwell", "f"]);
        let missing: Vec<_> = found[0].way.missing().into_iter().map(|(what, _)| what).collect();
        assert_eq!(missing, ["program", "token"]);
        assert!(found[1].way.missing().is_empty());
        assert!(servers(&json!(null)).is_empty() && servers(&json!([1])).is_empty());
    }
}
