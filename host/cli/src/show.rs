//! `stepwell show`: one record as far as a grant covers it, and how to read on where a field is cut.

use crate::output::{BOLD, DIM, Output, for_stdout};
use crate::read::told;
use crate::store_args::StoreArguments;
use crate::token_args::TokenArguments;
use clap::Args;
use indicatif::{HumanBytes, HumanCount};
use serde_json::{Map, Value, json};
use stepwell_contract::{Bytes, Chars, ConnectionId, ResultId, Span};
use stepwell_ladder::{LedgerPolicy, record};
use stepwell_source::shape::FieldView;
use stepwell_source::sqlite::Missing;
use stepwell_source::{Disclosure, Extent, FieldKind, RecordView, Source, SourceError, time};

/// What the ledger calls this command.
const TOOL: &str = "stepwell show";

/// How much of a long field is shown.
const HEAD: usize = 600;

/// Shows a record under a client token: its fields, and how to read on where one is cut
#[derive(Debug, Args)]
#[command(after_help = "\
  stepwell show cin_home/messages:m1 --token-file token")]
pub(crate) struct Show {
    #[command(flatten)]
    store: StoreArguments,
    #[command(flatten)]
    token: TokenArguments,
    /// The record: connection/stream:record, or stream:record
    id: String,
    /// The connection, where the id names none
    #[arg(long, value_name = "ID")]
    connection: Option<ConnectionId>,
}

impl Show {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let token = self.token.token()?;
        let id = ResultId::parse(&self.id).and_then(|id| id.with_connection(self.connection.as_ref()));
        let id = id.map_err(SourceError::from)?;
        let store = self.store.open(Missing::Refuse).await?;
        let caller = store.authenticate(&token).await?;
        let view = store.record(&caller, &id.into(), None).await?;
        let shown: Vec<Disclosure> = view.fields.iter().filter_map(|field| disclosed(&view, field)).collect();
        let view = record(&store, LedgerPolicy::default(), &caller, TOOL, view, &shown).await;
        let view = view.map_err(|error| told(output, &error))?;
        if output.is_json() {
            return output.json(&to_json(&view));
        }
        let id = view.identity.id().to_string();
        let label = view.label.as_deref().map(|label| format!("  {}", for_stdout(label))).unwrap_or_default();
        let at = time::print(view.time);
        output.line(format_args!("{BOLD}{}{BOLD:#}{label}  {DIM}{at}{DIM:#}", for_stdout(&id)))?;
        view.fields.iter().try_for_each(|field| output.line(lines(&id, field)))
    }
}

/// What is shown of a field: all of a short one, the beginning of a long one, nothing of bytes.
fn head(field: &FieldView) -> Option<(&str, bool)> {
    let head = field.head.as_deref()?;
    let end = head.char_indices().nth(HEAD).map_or(head.len(), |(end, _)| end);
    Some((&head[..end], end == head.len() && field.is_whole()))
}

fn disclosed(view: &RecordView, field: &FieldView) -> Option<Disclosure> {
    let (head, _) = head(field)?;
    let extent = Extent::Chars(Span::at(Chars::ZERO, Chars::of(head)));
    Some(Disclosure::of_part(&view.identity, field.name.as_str(), extent, Bytes::of(head)))
}

fn lines(id: &str, field: &FieldView) -> String {
    let name = for_stdout(&field.name).replace('\n', "\u{240a}");
    let Some((head, is_whole)) = head(field) else {
        let mime = field.shape.mime.as_deref().unwrap_or("bytes");
        let file = field.shape.file_name.as_deref().map(|file| format!(" {file}")).unwrap_or_default();
        let size = HumanBytes(field.shape.bytes.unwrap_or_default().get());
        return format!(
            "{BOLD}{name}{BOLD:#}: {DIM}{}{}, {size}{DIM:#}",
            for_stdout(mime),
            for_stdout(&file)
        );
    };
    let separator = if head.contains('\n') { "\n" } else { " " };
    let mut text = format!("{BOLD}{name}{BOLD:#}:{separator}{}", for_stdout(head));
    if !is_whole {
        let shown = Chars::of(head).get();
        let total = field.shape.chars.unwrap_or_default().get();
        let (id, field) = (quoted(&for_stdout(id)), quoted(&name));
        text.push_str(&format!(
            "\n{DIM}… {} of {} chars; read on: stepwell read {id} {field} --offset {shown}{DIM:#}",
            HumanCount(shown),
            HumanCount(total)
        ));
    }
    text
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@+=,".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

fn to_json(view: &RecordView) -> Value {
    let of = |field: &FieldView| {
        let value = match (head(field), field.shape.kind) {
            // Numbers, true and false come as JSON.
            (Some((head, true)), FieldKind::Number | FieldKind::Boolean | FieldKind::Empty) => {
                serde_json::from_str(head).unwrap_or_else(|_| head.into())
            }
            (Some((head, _)), _) => json!(head),
            (None, _) => Value::Null,
        };
        let is_whole = head(field).is_some_and(|(_, is_whole)| is_whole);
        let (chars, bytes) = (field.shape.chars.map(Chars::get), field.shape.bytes.map(Bytes::get));
        let digest = field.shape.digest.map(|digest| digest.to_string());
        let shown = json!({ "value": value, "complete": is_whole, "size_chars": chars, "size_bytes": bytes, "mime_type": field.shape.mime, "digest": digest });
        (field.name.clone(), shown)
    };
    let fields: Map<String, Value> = view.fields.iter().map(of).collect();
    json!({ "id": view.identity.id().to_string(), "time": time::print(view.time), "label": view.label, "fields": fields })
}
