//! `stepwell plugin preview`: what a model would see of a record, beside what the built-in preview shows.

use super::check::one_line;
use super::limits::LimitsArguments;
use super::trial::tier_of;
use crate::demo::show::excerpt;
use crate::exit::UsageError;
use crate::output::{BOLD, DIM, Output};
use crate::place::SourcePlace;
use crate::serve::store::{self, ServeSource};
use crate::settings::{PROVIDER, RemoteConfig, Settings};
use crate::store_args::Address;
use crate::token_args::TokenArguments;
use anyhow::Context as _;
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stepwell_contract::quote::json_string;
use stepwell_ladder::{Asker, Client};
use stepwell_server::wire;
use stepwell_source::{Caller, Source};
use stepwell_tiers::{Health, Observed, Origin, Runtime, Terms, Tiers, Watch};

/// How much of a result is shown to people: the whole of a row, and of a document up to the middle of its text.
const LINES: usize = 12;
const WIDTH: usize = 1_200;
/// How many messages are shown to people.
const MESSAGES: usize = 20;

/// Shows a record as a model would see it, by the built-in preview and by yours
#[derive(Debug, Args)]
#[command(after_help = "\
Without --q it is the document that `fetch` gives, with --q the row of a `search`. The record is one of the sample data,
unless --source names a store and --token-file a token for it; then the read is in the owner's ledger as any other.

  stepwell plugin preview reading-time.wasm --record cin_home_mail/messages:m-0103
  stepwell plugin preview reading-time.wasm --record cin_home_mail/messages:m-0103 --q 'quote roof'")]
pub(crate) struct Preview {
    /// The component
    file: PathBuf,
    /// The record: connection/stream:record
    #[arg(long, value_name = "ID")]
    record: String,
    /// Shows the row of a search for these words
    #[arg(long, value_name = "WORDS")]
    q: Option<String>,
    #[command(flatten)]
    limits: LimitsArguments,
    /// The store: sqlite:PATH, postgres://user@host/database, or demo for the sample data [default: demo]
    #[arg(long, value_name = "URL", value_parser = Address::<ServeSource>::new())]
    #[arg(env = "STEPWELL_SOURCE", hide_env_values = true)]
    source: Option<ServeSource>,
    #[command(flatten)]
    token: TokenArguments,
}

/// What came of one way to show the record.
struct Seen {
    text: String,
    calls: Vec<Observed>,
    fault: Option<String>,
}

impl Preview {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let (_, tier) = tier_of(&self.file)?;
        if tier != "preview" {
            return Err(UsageError(format!("only previews show records, and this is a {tier} tier")).into());
        }
        let source = self.source.clone().unwrap_or(ServeSource::Demo);
        let token = match source {
            ServeSource::Demo => None,
            ServeSource::At(SourcePlace::Store(_)) => Some(self.token.token()?),
            ServeSource::At(SourcePlace::Remote(_)) => self.token.given()?,
        };
        let opened = store::open(Some(&source), &RemoteConfig::default(), token.clone()).await?;
        let token = opened.token.clone().or(token).ok_or(crate::exit::NoToken)?;
        let (source, _folder) = (opened.source, opened.folder);
        let caller = source.authenticate(&token).await?;
        let builtin = self.show(&source, &caller, None).await?;
        let own = self.show(&source, &caller, Some(&self.file)).await?;
        self.print(&builtin, &own, output)
    }

    /// Shows the record by a component, or by the built-in preview.
    async fn show(
        &self,
        source: &Arc<dyn Source>,
        caller: &Caller,
        file: Option<&Path>,
    ) -> anyhow::Result<Seen> {
        let mut settings = Settings::default();
        if let Some(file) = file {
            let config = self.limits.config("preview")?;
            settings.tiers.preview = config.preview;
            settings.tiers.preview.component = Origin::File(file.canonicalize()?);
        }
        let watch = Arc::new(Watch::default());
        let terms = Terms { watch: Some(Arc::clone(&watch)), ..Terms::default() };
        let tiers = Tiers::load_on(&terms, &Arc::new(Runtime::new()?), &settings.tiers, &settings.place);
        let ladder = settings.ladder_on(Arc::clone(source), PROVIDER, tiers).await?;
        let asker = Asker { caller, client: Client::default(), exports: None };
        let outcome = match &self.q {
            None => ladder.fetch(&asker, &json!({ "id": self.record })).await,
            Some(words) => ladder.search(&asker, &json!({ "q": words })).await,
        };
        let result = wire::tool_result(outcome)?;
        let blocks = result["content"].as_array().into_iter().flatten();
        let text: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
        anyhow::ensure!(result["isError"] != true, "{}", text.join("\n"));
        let text = match &self.q {
            None => text.join("\n"),
            Some(words) => row(&text.join("\n"), &self.record).with_context(|| {
                format!("{} is not among the first hits for {words:?}; try rarer words", self.record)
            })?,
        };
        let status = ladder.tiers().status().into_iter().find(|tier| tier.name == "preview");
        let fault = status.and_then(|tier| match tier.health {
            Health::Broken(fault) => Some(fault.to_string()),
            _ => tier.last_fault.map(|fault| fault.to_string()),
        });
        Ok(Seen { text, calls: watch.take(), fault })
    }

    fn print(&self, builtin: &Seen, own: &Seen, output: &Output) -> anyhow::Result<()> {
        let name = self.file.display();
        if output.is_json() {
            let messages = own.calls.iter().flat_map(|call| &call.messages.kept);
            return output.json(&json!({
                "record": self.record,
                "builtin": builtin.text,
                "own": own.text,
                "fault": own.fault,
                "messages": messages.map(|(level, text)| json!({ "level": level, "text": text })).collect::<Vec<Value>>(),
            }));
        }
        for (title, seen) in [("built in".to_owned(), builtin), (name.to_string(), own)] {
            output.line(format_args!("{BOLD}{title}{BOLD:#}"))?;
            for line in excerpt(&seen.text, LINES, WIDTH).lines() {
                output.line(format_args!("  {line}"))?;
            }
        }
        if let Some(fault) = &own.fault {
            output.line(format_args!(
                "{BOLD}fault{BOLD:#}: {fault}; what you see is the host's own rendering"
            ))?;
        }
        for (level, message) in own.calls.iter().flat_map(|call| &call.messages.kept).take(MESSAGES) {
            output.line(format_args!("{DIM}message, {level}: {}{DIM:#}", one_line(message)))?;
        }
        Ok(())
    }
}

/// The row of a record in the text of a search.
fn row(text: &str, id: &str) -> Option<String> {
    let head = format!("id={}", json_string(id));
    let mut lines = text.lines().skip_while(|line| {
        !line.strip_prefix(&head).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    });
    let first = lines.next()?;
    let rest = lines.take_while(|line| line.starts_with("  "));
    Some([first].into_iter().chain(rest).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_of_a_record_is_found_by_its_whole_id() {
        let text =
            "search: 2 hit(s).\nid=\"a/b:10\" title=\"x\"\n  next: y\nid=\"a/b:1\" title=\"z\"\nid=\"a/b:2\"";
        assert_eq!(row(text, "a/b:1").as_deref(), Some("id=\"a/b:1\" title=\"z\""));
        assert_eq!(row(text, "a/b:10").as_deref(), Some("id=\"a/b:10\" title=\"x\"\n  next: y"));
        assert_eq!(row(text, "a/b:2").as_deref(), Some("id=\"a/b:2\""));
        assert_eq!(row(text, "a/b:3"), None);
    }
}
