//! `stepwell read`: a window of a field, as a client would get it.

use crate::exit::UsageError;
use crate::output::{Output, for_stdout};
use crate::pager::{Paged, Part, Wanted, page};
use crate::place::SourcePlace;
use crate::remote;
use crate::store_args::StoreArguments;
use crate::token_args::TokenArguments;
use anyhow::Context as _;
use async_trait::async_trait;
use clap::Args;
use serde_json::json;
use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use stepwell_contract::budget::MAX_CONTEXT;
use stepwell_contract::cursor::Keyring;
use stepwell_contract::selector::{Query, Selector, WindowArguments};
use stepwell_contract::{Chars, Code, ConnectionId, FieldPath, Refusal, ResultId};
use stepwell_ladder::{
    FieldWindow, LadderError, LedgerPolicy, Recorded, WindowRequest, read_window, record_outcome,
};
use stepwell_source::sqlite::Missing;
use stepwell_source::{Caller, Source, SourceError};

/// Reads one bounded window of a field under a client token
#[derive(Debug, Args)]
#[command(after_help = "\
The text goes to standard output, where it lies and how to go on to standard error. On a
terminal a text that is longer than the screen is shown a screen at a time: space goes on, b
back, / finds, n finds again, q ends. --limit or --cursor shows one window and no more.
Lengths and offsets count Unicode code points. A window holds 4096 of them unless you say otherwise, 16384 at most.

  stepwell read cin_home/messages:m1 body --token-file token
  stepwell read cin_home/messages:m1 body --token-file token --q 'invoice'
  stepwell read messages:m1 /headers/subject --connection cin_home --token-file token")]
pub(crate) struct Read {
    #[command(flatten)]
    store: StoreArguments,
    #[command(flatten)]
    token: TokenArguments,
    /// The record: connection/stream:record, or stream:record
    id: String,
    /// The field: a top-level name, or a JSON pointer such as /headers/0/value
    field: String,
    /// The connection, where the id names none
    #[arg(long, value_name = "ID")]
    connection: Option<ConnectionId>,
    /// Where the window starts
    #[arg(long, value_name = "N")]
    offset: Option<u64>,
    /// How long the window may be
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Shows the window around the first match of this phrase, whatever its case
    #[arg(long, value_name = "TEXT")]
    q: Option<String>,
    /// How much to show before the match
    #[arg(long, value_name = "N")]
    before: Option<u64>,
    /// How much to show after the match
    #[arg(long, value_name = "N")]
    after: Option<u64>,
    /// Goes on from an earlier window
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

/// What the ledger calls this command.
const TOOL: &str = "stepwell read";

impl Read {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let (source, token) = match self.store.place()? {
            (Some(SourcePlace::Remote(url)), config) => {
                let opened = remote::open(&url, &config, self.token.given()?).await?;
                let token = opened.source.process_token();
                (opened.source as Arc<dyn Source>, token)
            }
            _ => {
                let token = self.token.token()?;
                // A mistake in the request ends here: no store was opened.
                self.request()?;
                (Arc::new(self.store.open(Missing::Refuse).await?) as Arc<dyn Source>, token)
            }
        };
        let (request, source) = (self.request()?, &*source);
        let caller = source.authenticate(&token).await?;
        let keys = source.keyring().await?;
        let desk = Desk { source, keys, caller, request, now: now_unix()?, output };
        if self.is_paged(output) {
            let first = match (&self.q, self.offset) {
                (Some(q), _) => Wanted::Find(q.clone()),
                (None, offset) => Wanted::From(offset.map_or(Chars::ZERO, Chars)),
            };
            return page(&desk, first).await;
        }
        let window = desk.read(&desk.request).await.map_err(|error| told(output, &error))?;
        if output.is_json() {
            let mut value = window.structured();
            value["next_match_cursor"] = json!(window.next_match_cursor);
            return output.json(&value);
        }
        let mut out = std::io::stdout().lock();
        out.write_all(for_stdout(&window.text).as_bytes())?;
        out.flush()?;
        output.note(format_args!("\n{}", summary(&window)));
        Ok(())
    }

    /// Whether someone looks at it who can press keys, and has not asked for one window.
    fn is_paged(&self, output: &Output) -> bool {
        let one_window =
            self.limit.is_some() || self.cursor.is_some() || self.before.is_some() || self.after.is_some();
        let someone_looks = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
        someone_looks && !output.is_json() && !one_window
    }

    fn request(&self) -> anyhow::Result<WindowRequest> {
        let id = ResultId::parse(&self.id).and_then(|id| id.with_connection(self.connection.as_ref()));
        let path = FieldPath::parse(&self.field).map_err(|fault| {
            Refusal::new(Code::InvalidFieldPath, format!("the field path {fault}")).param("field_path")
        });
        let selector = Selector::parse(WindowArguments {
            cursor: self.cursor.clone(),
            offset_chars: self.offset,
            limit_chars: self.limit,
            q: self.q.clone(),
            before_chars: self.before,
            after_chars: self.after,
        });
        Ok(WindowRequest {
            record: id.map_err(SourceError::from)?.into(),
            path: path.map_err(SourceError::from)?,
            selector: selector.map_err(SourceError::from)?,
        })
    }
}

/// A field that is being read.
struct Desk<'a> {
    source: &'a dyn Source,
    keys: Keyring,
    caller: Caller,
    request: WindowRequest,
    /// When it was opened: cursors are sealed with this.
    now: u64,
    output: &'a Output,
}

impl Desk<'_> {
    async fn read(&self, request: &WindowRequest) -> Result<Recorded<FieldWindow>, LadderError> {
        let window = read_window(self.source, &self.keys, &self.caller, request, self.now).await;
        record_outcome(self.source, LedgerPolicy::default(), &self.caller, TOOL, window).await
    }
}

/// How much is shown before a match on the screen.
const BEFORE_MATCH: Chars = Chars(200);

#[async_trait]
impl Paged for Desk<'_> {
    async fn part(&self, wanted: &Wanted, limit: Chars) -> anyhow::Result<Result<Part, String>> {
        let before = BEFORE_MATCH.min(Chars(limit.get() / 4));
        let selector = match wanted {
            Wanted::From(offset) => Selector::Offset { offset: *offset, limit },
            Wanted::Find(phrase) => match Query::new(phrase) {
                Ok(q) => Selector::Match { q, before, after: limit.min(MAX_CONTEXT), limit: Some(limit) },
                Err(refusal) => return Ok(Err(refusal.message)),
            },
            Wanted::Next(cursor) => Selector::Cursor { cursor: cursor.clone(), limit: Some(limit) },
        };
        let request = WindowRequest { selector, ..self.request.clone() };
        let window = match self.read(&request).await {
            Ok(window) => window.into_inner(),
            Err(LadderError::Refused(refusal)) if !matches!(wanted, Wanted::From(_)) => {
                return Ok(Err(refusal.message));
            }
            Err(error) => return Err(told(self.output, &error).into()),
        };
        let FieldWindow { window, text, hit, next_match_cursor: next_match, .. } = window;
        let hit = hit.map(|(_, at)| at);
        if hit.is_none() && !matches!(wanted, Wanted::From(_)) {
            return Ok(Err("not found".to_owned()));
        }
        Ok(Ok(Part { start: window.span.start(), total: window.total, text, hit, next_match }))
    }
}

/// Whoever runs this may be the owner, so the reason stands beside the refusal that a client would get.
pub(crate) fn told(output: &Output, error: &LadderError) -> SourceError {
    if !matches!(error, LadderError::Refused(_)) {
        output.note(error);
    }
    error.for_client().into()
}

/// Says where a window lies and how to go on, in the words of this command.
fn summary(window: &FieldWindow) -> String {
    let span = window.window.span;
    let mut text = format!("{}..{} of {} chars", span.start(), span.end(), window.window.total);
    if window.window.complete() {
        text.push_str(", complete");
    }
    if let Some((_, at)) = &window.hit {
        text.push_str(&format!(", match at {}", at.start()));
    }
    if let Some(next) = window.window.next() {
        text.push_str(&format!("; go on with --offset {next}"));
    }
    if window.matches_ended {
        text.push_str("; there is no further match");
    }
    if let Some(cursor) = &window.next_match_cursor {
        text.push_str(&format!("; next match with --cursor {cursor}"));
    }
    text
}

pub(crate) fn now_unix() -> anyhow::Result<u64> {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
    let elapsed =
        elapsed.map_err(|_| UsageError("the clock of this machine stands before 1970: set it".into()));
    Ok(elapsed.context("cannot seal cursors")?.as_secs())
}
