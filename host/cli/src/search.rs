//! `stepwell search`: records by their words, as a client would find them.

use crate::exit::UsageError;
use crate::output::{BOLD, DIM, Output, for_stdout};
use crate::read::told;
use crate::store_args::StoreArguments;
use crate::token_args::TokenArguments;
use clap::Args;
use serde_json::{Value, json};
use stepwell_contract::budget::{DEFAULT_PAGE, MAX_PAGE};
use stepwell_contract::{Bytes, ConnectionId, StreamName};
use stepwell_ladder::{LedgerPolicy, record};
use stepwell_source::query::{SearchHit, SearchPage, SearchQuery};
use stepwell_source::sqlite::Missing;
use stepwell_source::{Disclosure, Extent, Source, time};

/// What the ledger calls this command.
const TOOL: &str = "stepwell search";

/// Finds records by their words under a client token, the newest first
#[derive(Debug, Args)]
#[command(after_help = "\
A record is found if its granted fields have all words. \"a phrase\", begin*, and -without work as for clients; put them in
single quotes for the shell, and -- before them if the first begins with a dash.

  stepwell search ferry key --token-file token
  stepwell search '\"ferry key\" -ship' --stream messages --token-file token")]
pub(crate) struct Search {
    #[command(flatten)]
    store: StoreArguments,
    #[command(flatten)]
    token: TokenArguments,
    /// What to look for
    #[arg(required = true)]
    words: Vec<String>,
    /// Only in this stream; may be given several times
    #[arg(long = "stream", value_name = "NAME")]
    streams: Vec<StreamName>,
    /// Only in this connection
    #[arg(long, value_name = "ID")]
    connection: Option<ConnectionId>,
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PAGE)]
    limit: u64,
    /// Goes on from an earlier page
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

impl Search {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        if !(1..=MAX_PAGE).contains(&self.limit) {
            return Err(UsageError(format!("--limit goes from 1 to {MAX_PAGE}")).into());
        }
        let token = self.token.token()?;
        let query = SearchQuery {
            q: self.words.join(" "),
            streams: self.streams,
            conditions: Vec::new(),
            connection: self.connection,
            limit: usize::try_from(self.limit).unwrap_or(usize::MAX),
            cursor: self.cursor,
        };
        let store = self.store.open(Missing::Refuse).await?;
        let caller = store.authenticate(&token).await?;
        let page = store.search(&caller, &query).await?;
        let shown: Vec<Disclosure> = page.hits.iter().flat_map(disclosed).collect();
        let page = record(&store, LedgerPolicy::default(), &caller, TOOL, page, &shown).await;
        let page = page.map_err(|error| told(output, &error))?;
        if output.is_json() {
            return output.json(&to_json(&page));
        }
        page.hits.iter().try_for_each(|hit| output.line(lines(hit)))?;
        output.note(summary(&page));
        Ok(())
    }
}

/// Every snippet that is shown is written down, and a record without any by itself.
fn disclosed(hit: &SearchHit) -> Vec<Disclosure> {
    let identity = &hit.record.identity;
    let of = |found: &stepwell_source::query::FieldMatch| {
        let extent = Extent::Chars(found.snippet_at);
        Disclosure::of_part(identity, found.path.as_str(), extent, Bytes::of(&found.snippet))
    };
    match hit.matches.is_empty() {
        true => vec![Disclosure::of_record(identity, Bytes::ZERO)],
        false => hit.matches.iter().map(of).collect(),
    }
}

fn lines(hit: &SearchHit) -> String {
    let (id, at) = (hit.record.identity.id().to_string(), time::print(hit.record.time));
    let mut text = format!("{BOLD}{}{BOLD:#}  {DIM}{at}{DIM:#}", for_stdout(&id).replace('\n', "\u{240a}"));
    for found in &hit.matches {
        let snippet = found.snippet.split_whitespace().collect::<Vec<_>>().join(" ");
        text.push_str(&format!("\n  {}: {}", for_stdout(found.path.as_str()), for_stdout(&snippet)));
    }
    text
}

fn summary(page: &SearchPage) -> String {
    let mut text = match page.hits.len() {
        0 => "nothing was found in what the grant covers".to_owned(),
        1 => "1 record; open it with: stepwell show ID".to_owned(),
        many => format!("{many} records, the newest first; open one with: stepwell show ID"),
    };
    if !page.ignored_words.is_empty() {
        text.push_str(&format!("; not looked for: {}", for_stdout(&page.ignored_words.join(" "))));
    }
    if let Some(cursor) = &page.next_cursor {
        text.push_str(&format!("; go on with --cursor {cursor}"));
    }
    text
}

fn to_json(page: &SearchPage) -> Value {
    let hit = |hit: &SearchHit| {
        let matches: Vec<Value> = hit
            .matches
            .iter()
            .map(|found| json!({ "field": found.path.as_str(), "snippet": found.snippet, "start_chars": found.snippet_at.start().get() }))
            .collect();
        json!({ "id": hit.record.identity.id().to_string(), "time": time::print(hit.record.time), "matches": matches })
    };
    let hits: Vec<Value> = page.hits.iter().map(hit).collect();
    json!({ "hits": hits, "next_cursor": page.next_cursor, "ignored_words": page.ignored_words, "complete": page.recall.complete })
}
