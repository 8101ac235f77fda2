//! `fetch`: one record as a document.

use crate::arguments;
use crate::content_ladder::{Preview, read_args, rungs};
use crate::describe::{body_field, cut_value, scope_of, title, url};
use crate::disclosed;
use crate::ladder::{Asker, Draft, Ladder, ToolArguments};
use crate::preview::words;
use crate::reply::Reply;
use crate::search::short;
use serde_json::{Map, Value, json};
use stepwell_contract::budget::DOCUMENT_TEXT;
use stepwell_contract::quote::json_string;
use stepwell_contract::{Chars, FieldPath};
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::{FieldKind, RecordView, time};
use stepwell_tiers::{Purpose, Sheet};

/// How long a value may be to stand among the metadata.
const METADATA_VALUE: Chars = Chars(200);

/// How many values stand among the metadata.
const METADATA_VALUES: usize = 24;

/// The text of a document.
struct Body {
    /// The field that it is from; none if it is the record's JSON.
    field: Option<String>,
    text: String,
    /// How much of the field it shows, if that is not all.
    cut_at: Option<Chars>,
}

impl Ladder {
    /// Opens one record.
    pub(crate) async fn draft_fetch(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> Draft {
        let requested = arguments::required(args, "id")?;
        let record = arguments::record(args)?;
        let fields = arguments::texts(args, "fields");
        let view = self.source.record(asker.caller, &record, fields.as_deref()).await?;
        let scopes = self.source.catalogue(asker.caller).await?;
        let scope = scope_of(&scopes, &view.identity);
        let body = body(&view, scope);
        let sheets = self.sheets(asker, &[(&view, &[])], &scopes, Purpose::Document, 1_024).await?;
        let sheet = sheets.as_ref().and_then(|sheets| sheets.first());
        let next = self.next_call(&view, &body);
        let metadata = metadata(&view, &body, sheet, next.as_ref());
        let document = json!({
            "id": requested,
            "title": title(&view, scope),
            "text": body.text,
            "url": url(&view),
            "metadata": metadata,
        });
        let mut text = vec![document.to_string()];
        if let Some(next) = &next {
            let (shown, total) = (body.cut_at.unwrap_or_default(), total(&view, &body));
            let field = json_string(body.field.as_deref().unwrap_or_default());
            text.push(format!("{field}: {shown}/{total} chars shown; next: read_record_field {next}"));
        }
        let rungs = rungs(&view, |field| match &body.field {
            Some(name) if *name == field.name => body.cut_at.map_or(Preview::Complete, Preview::Truncated),
            _ if self.tiers.preview().is_none() => Preview::Unavailable,
            _ => match cut_value(field, METADATA_VALUE) {
                (_, false) => Preview::Complete,
                _ => Preview::Unavailable,
            },
        });
        let disclosed =
            disclosed::document(&view.identity, &document, body.field.as_deref(), self.preview_name());
        let mut structured = document;
        let records = vec![self.ladder_record(asker, &view.identity, &rungs)];
        structured["content_ladder"] = self.content_ladder("record", records);
        let links = self.record_links(asker, std::iter::once((view.identity.clone(), title(&view, scope))));
        Ok(Reply { text, structured, links, meta: None, disclosed })
    }

    /// The arguments that read on where the document's text stops.
    fn next_call(&self, view: &RecordView, body: &Body) -> Option<Value> {
        self.tiers.window()?;
        let (field, offset) = (body.field.as_ref()?, body.cut_at?);
        Some(read_args(&view.identity, &FieldPath::top_level(field), offset))
    }
}

fn total(view: &RecordView, body: &Body) -> Chars {
    let field = view.fields.iter().find(|field| Some(&field.name) == body.field.as_ref());
    field.and_then(|field| field.shape.chars).unwrap_or_default()
}

/// The main text, or else the record's values as JSON.
fn body(view: &RecordView, scope: Option<&GrantedScope>) -> Body {
    let named = body_field(view, scope).and_then(|name| view.fields.iter().find(|field| field.name == name));
    if let Some((field, head)) = named.and_then(|field| Some((field, field.head.as_deref()?))) {
        let text = short(head, DOCUMENT_TEXT).to_owned();
        let shown = Chars::of(&text);
        let cut_at = field.shape.chars.filter(|total| *total > shown).map(|_| shown);
        return Body { field: Some(field.name.clone()), text, cut_at };
    }
    let values: Map<String, Value> =
        view.fields.iter().map(|field| (field.name.clone(), cut_value(field, Chars(512)).0)).collect();
    let text = Value::Object(values).to_string();
    Body { field: None, text: short(&text, DOCUMENT_TEXT).to_owned(), cut_at: None }
}

fn metadata(view: &RecordView, body: &Body, sheet: Option<&Sheet>, next: Option<&Value>) -> Value {
    let mut metadata = Map::new();
    // First, because hosts cut tails.
    if let Some(next) = next {
        metadata.insert("continue".into(), json!({ "tool": "read_record_field", "args": next }));
    }
    let identity = &view.identity;
    metadata.insert("connection_id".into(), json!(identity.connection.as_str()));
    metadata.insert("stream".into(), json!(identity.stream.as_str()));
    metadata.insert("record_id".into(), json!(identity.record.as_str()));
    metadata.insert("emitted_at".into(), json!(time::print(view.time)));
    if let Some(connector) = &view.connector {
        metadata.insert("connector_key".into(), json!(connector));
    }
    if let Some(label) = &view.label {
        metadata.insert("display_name".into(), json!(label));
    }
    let short_values = view.fields.iter().filter(|field| {
        Some(&field.name) != body.field.as_ref()
            && !matches!(field.shape.kind, FieldKind::Empty | FieldKind::Json)
    });
    let values: Map<String, Value> = short_values
        .filter_map(|field| match cut_value(field, METADATA_VALUE) {
            (value, false) => Some((field.name.clone(), value)),
            _ => None,
        })
        .take(METADATA_VALUES)
        .collect();
    metadata.insert("fields".into(), Value::Object(values));
    if let Some(field) = &body.field {
        metadata.insert("text_field".into(), json!(field));
    }
    let anchors: Vec<Value> = sheet.into_iter().flat_map(|sheet| &sheet.anchors).filter_map(|anchor| {
        let label = words(&anchor.label, view)?;
        Some(json!({ "field_path": anchor.path, "offset_chars": anchor.at, "label": short(&label, Chars(80)) }))
    }).collect();
    if !anchors.is_empty() {
        metadata.insert("anchors".into(), json!(anchors));
    }
    Value::Object(metadata)
}
