//! `stepwell connect`: makes a client know the server.

mod claude;
mod client;
mod codex;
mod cursor;
mod gemini;
mod json_file;
mod known;
mod merge;
mod name;
mod opencode;
#[cfg(test)]
mod tests;
mod toml_file;
mod vscode;
mod way;

pub(crate) use client::Client;
pub(crate) use known::{KnownWay, known};

use crate::config_args::ConfigArguments;
use crate::exit::UsageError;
use crate::files::{Fresh, is_open_to_others, keep_copy, replace};
use crate::output::{BOLD, Output, for_shell};
use crate::serve::store::ServeSource;
use crate::store_args::Address;
use crate::token_args::TokenArguments;
use anyhow::Context as _;
use clap::Args;
use client::{Entry, Token};
use merge::{Merged, Wanted};
use name::ServerName;
use serde_json::json;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use stepwell_server::config::Schemas;
use way::{Endpoint, Way};

/// Connects a client: prints what its configuration needs, or writes it there
#[derive(Debug, Args)]
#[command(after_help = "\
With --write, the client's file keeps everything else that it says, comments and order too, and
a copy of what it was stands beside it. A file that cannot be read is left as it is, and so is
another server of the name. The token itself is never written: the file names the token's file,
or the variable that holds it.

  stepwell connect claude-code --token-file token --write
  stepwell connect codex --source demo                print what to add, for sample data
  stepwell connect gemini --http https://stepwell.example/mcp --write

Who is connected, and whether that works, says `stepwell doctor`.")]
pub(crate) struct Connect {
    /// The client
    #[arg(value_enum, value_name = "CLIENT")]
    client: Client,
    /// The client starts this program and speaks to it; the default
    #[arg(long, conflicts_with = "http")]
    stdio: bool,
    /// The client asks a server that is running there, such as http://127.0.0.1:8021/mcp
    #[arg(long, value_name = "URL")]
    http: Option<Endpoint>,
    /// What the server is called in the client
    #[arg(long, value_name = "NAME", default_value = "stepwell")]
    name: ServerName,
    /// Writes it into the client's file
    #[arg(long)]
    write: bool,
    /// Replaces another server of the same name
    #[arg(long, requires = "write")]
    force: bool,
    /// The client's file [default: where the client keeps it for its user]
    #[arg(long, value_name = "FILE")]
    config_file: Option<PathBuf>,
    /// The store that the client's server opens: sqlite:PATH, postgres://user@host/database, or demo for sample data
    /// [default: [source] of the configuration, else a file in your data directory]
    #[arg(long, value_name = "URL", value_parser = Address::<ServeSource>::new())]
    #[arg(env = "STEPWELL_SOURCE", hide_env_values = true)]
    source: Option<ServeSource>,
    #[command(flatten)]
    config: ConfigArguments,
    #[command(flatten)]
    token: TokenArguments,
}

/// What was done to the client's file.
#[derive(Debug, Default)]
struct Done {
    written: bool,
    copy: Option<PathBuf>,
}

impl Connect {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let shape = self.client.shape();
        let way = match self.http.clone() {
            Some(url) => Way::http(url, &self.token)?,
            None => Way::stdio(self.source.as_ref(), &self.config, &self.token)?,
        };
        let entry = (shape.entry)(&way).map_err(|error| UsageError(error.to_string()))?;
        let notes = self.notes(&way, &entry)?;
        let (format, room, name) = (shape.format, shape.room, self.name.clone());
        let wanted = Wanted { format, room, name, entry: entry.value, input: entry.input };
        let file = self.config_file.clone().or_else(shape.file);
        let done = match (&file, self.write) {
            (_, false) => Done::default(),
            (Some(file), true) => self.write(file, &wanted)?,
            (None, true) => {
                anyhow::bail!("there is no home directory: name {}'s file with --config-file", shape.title)
            }
        };
        if output.is_json() {
            return output.json(&json!({
                "client": self.client.word(),
                "file": file,
                "config": wanted.document(),
                "written": done.written,
                "copy": done.copy,
                "notes": notes,
            }));
        }
        self.show(file.as_deref(), &wanted, &done, output)?;
        notes.iter().for_each(|note| output.note(note));
        Ok(())
    }

    fn show(&self, file: Option<&Path>, wanted: &Wanted, done: &Done, output: &Output) -> anyhow::Result<()> {
        let place = file.map_or_else(|| "its configuration".to_owned(), |file| file.display().to_string());
        if !self.write {
            output.note(format_args!(
                "{} reads this from {place}; --write puts it there:",
                self.client.shape().title
            ));
            return output.line(wanted.alone()?.trim_end());
        }
        if !done.written {
            return output.line(format_args!("{place} has it already"));
        }
        output.line(format_args!("wrote {BOLD}{}{BOLD:#} to {place}", wanted.name.as_str()))?;
        match &done.copy {
            Some(copy) => output.line(format_args!("what it said before is in {}", copy.display())),
            None => Ok(()),
        }
    }

    /// Merges into the file; on any doubt nothing is changed.
    fn write(&self, file: &Path, wanted: &Wanted) -> anyhow::Result<Done> {
        let unchanged = || format!("{} was left as it is", file.display());
        let read = || match std::fs::read_to_string(file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        let before = read().with_context(unchanged)?;
        let merged =
            wanted.merge(before.as_deref().unwrap_or_default(), self.force).with_context(unchanged)?;
        let Merged::Changed(text) = merged else { return Ok(Done::default()) };
        let copy = before.as_deref().map(|before| keep_copy(file, before)).transpose()?;
        // Some clients write to this file all the time; what they wrote meanwhile must not be lost.
        anyhow::ensure!(
            read().with_context(unchanged)? == before,
            "{} changed at this very moment, so it was left as it is; try again",
            file.display()
        );
        replace(file, &text, Fresh::Private)?;
        Ok(Done { written: true, copy })
    }

    /// What the client's user should know or do.
    fn notes(&self, way: &Way, entry: &Entry) -> anyhow::Result<Vec<String>> {
        let (shape, mut notes) = (self.client.shape(), Vec::new());
        if let Some(file) = self.token.file().filter(|file| is_open_to_others(file)) {
            let file = for_shell(&file.display().to_string());
            notes.push(format!("others can read the token; run: chmod 600 {file}"));
        }
        if matches!(way, Way::Stdio { .. })
            && shape.needs_portable
            && self.config.read()?.server.schemas == Schemas::Seed
        {
            notes.push(format!(
                "{} drops read_record_field without a word while [server] schemas is \"seed\" in plugins.toml; set it to \
                 \"portable\"",
                shape.title
            ));
        }
        if let Way::Http { url, token_file } = way {
            if url.is_exposed() {
                notes.push(format!("the token goes to {} in clear: use https://", url.as_str()));
            }
            match (entry.token, token_file) {
                (Token::InEnvironment, Some(file)) => notes.push(format!(
                    "{} takes the token from its environment; start it with: STEPWELL_TOKEN=\"$(cat {})\"",
                    shape.title,
                    for_shell(file)
                )),
                (Token::InEnvironment, None) => {
                    notes.push(format!("start {} with STEPWELL_TOKEN in its environment", shape.title));
                }
                (Token::Asked, _) => {
                    notes.push(format!("{} asks for the token once and keeps it", shape.title));
                }
                (Token::Named, _) => {}
            }
        }
        notes.push(format!("then {}", shape.then));
        Ok(notes)
    }
}
