//! `fetch`: one record as a document.

use crate::arguments;
use crate::content_ladder::read_args;
use crate::describe::{body_field, cut_value, labels_of, scope_of, title, url};
use crate::disclosed;
use crate::expand;
use crate::fit::first_that_fits;
use crate::ladder::{Asker, Draft, Ladder, ToolArguments};
use crate::preview::Glance;
use crate::reply::Reply;
use crate::rung::{Preview, Rung, rungs};
use crate::search::short;
use serde_json::{Map, Value, json};
use stepwell_contract::budget::{self, DOCUMENT_TEXT};
use stepwell_contract::{Chars, FieldPath};
use stepwell_source::catalogue::GrantedScope;
use stepwell_source::query::ExpandQuery;
use stepwell_source::shape::FieldView;
use stepwell_source::{FieldKind, RecordView, time};
use stepwell_tiers::Purpose;

/// How generous a document is.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// How long its text may be.
    text: Chars,
    /// How long a value may be to stand among the metadata, or whole in the text of a record without a main text.
    value: Chars,
    /// How many values stand among the metadata.
    values: usize,
    /// How many fields the ladder describes.
    fields: usize,
    /// How many records stand among the metadata of each relationship.
    expanded: usize,
}

/// From generous to sparing; the first that fits the budget is taken.
const SIZES: [Size; 5] = [
    Size { text: DOCUMENT_TEXT, value: Chars(200), values: 24, fields: 8, expanded: 100 },
    Size { text: DOCUMENT_TEXT, value: Chars(80), values: 12, fields: 8, expanded: 25 },
    Size { text: Chars(2_048), value: Chars(80), values: 8, fields: 4, expanded: 10 },
    Size { text: Chars(1_024), value: Chars(40), values: 4, fields: 2, expanded: 3 },
    Size { text: Chars(256), value: Chars(20), values: 2, fields: 1, expanded: 1 },
];

/// How long a value may be in the text of a record that has no main text.
const TABLE_VALUE: Chars = Chars(512);

/// How many files stand among the metadata.
const FILES: usize = 8;

/// What a preview may spend on a document, in bytes.
const PREVIEW_BYTES: u64 = 1_024;

/// The text of a document, and what of each field it shows.
struct Body {
    /// The field that it is from; none if it is the record's values as JSON.
    field: Option<String>,
    text: String,
    /// What of a field was left out: the length of its beginning that is there.
    cut: Vec<(String, Chars)>,
}

impl Ladder {
    /// Opens one record.
    pub(crate) async fn draft_fetch(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> Draft {
        let requested = arguments::required(args, "id")?;
        let record = arguments::record(args)?;
        let fields = arguments::texts(args, "fields");
        let relationships = expand::relationships(args)?;
        let view = self.source.record(asker.caller, &record, fields.as_deref()).await;
        let view = view.map_err(|error| arguments::renamed(error, "field_path", "fields"))?;
        let scopes = self.source.catalogue(asker.caller).await?;
        let expanded = match relationships.is_empty() {
            true => Vec::new(),
            false => {
                let query = ExpandQuery {
                    stream: view.identity.stream.clone(),
                    connection: Some(view.identity.connection.clone()),
                    records: vec![view.identity.clone()],
                    relationships,
                };
                self.source.expand(asker.caller, &query).await?.into_iter().flatten().collect()
            }
        };
        let views = [(&view, &[][..])];
        let glances = self.glances(asker, &views, &scopes, Purpose::Document, PREVIEW_BYTES).await?;
        let links = self.links(asker, &views, &scopes).await?;
        let (scope, glance) =
            (scope_of(&scopes, &view.identity), glances.into_iter().next().unwrap_or_default());
        let compose = |size: Size| {
            let beside = (!expanded.is_empty())
                .then(|| expand::json(&view.identity, &expanded, &scopes, size.value, size.expanded));
            let (text, structured) = self.document(asker, requested, &view, scope, &glance, beside, size);
            Reply { text, structured, links: links.clone(), meta: None, disclosed: Vec::new() }
        };
        let (reply, _) = first_that_fits(&SIZES, budget::RESULT, compose);
        let mut reply = reply.unwrap_or_else(|| compose(SIZES[0]));
        let shown = &reply.structured;
        let beside = expand::disclosed(&expanded, &shown["metadata"]["expanded"]);
        reply.disclosed = disclosed::document(&view.identity, shown, body_field(&view, scope), glance.by);
        reply.disclosed.extend(beside);
        Ok(reply)
    }

    #[expect(clippy::too_many_arguments, reason = "a record and what is said about it")]
    fn document(
        &self,
        asker: &Asker<'_>,
        requested: &str,
        view: &RecordView,
        scope: Option<&GrantedScope>,
        glance: &Glance,
        expanded: Option<Value>,
        size: Size,
    ) -> (Vec<String>, Value) {
        let body = body(view, scope, size);
        let mut rungs = self.document_rungs(view, &body, glance, size);
        let [next, ..] = self.continuation(&view.identity, &rungs);
        let mut metadata = self.metadata(asker, view, &body, &rungs, glance, size);
        if let Some(expanded) = expanded {
            metadata["expanded"] = expanded;
        }
        rungs.truncate(size.fields);
        let mut document = json!({
            "id": requested,
            "title": glance.title.clone().unwrap_or_else(|| title(view, scope)),
            "url": url(view),
            "metadata": metadata,
            "text": body.text,
        });
        let mut text = vec![document.to_string()];
        if !next.is_empty() {
            text.push(next);
        }
        let records = [self.ladder_record(asker, view, &rungs, glance.by.as_deref())];
        document["content_ladder"] = self.content_ladder("record", records.into_iter());
        (text, document)
    }

    /// The long fields, with what the document shows of them. The main text comes first.
    fn document_rungs<'a>(
        &self,
        view: &'a RecordView,
        body: &Body,
        glance: &Glance,
        size: Size,
    ) -> Vec<Rung<'a>> {
        let mut rungs = rungs(view, |field| {
            let cut = body.cut.iter().find(|(name, _)| *name == field.name);
            let in_body = body.field.as_ref().is_none_or(|name| *name == field.name);
            match cut {
                Some((_, Chars::ZERO)) => Preview::Unavailable,
                Some((_, shown)) => Preview::Truncated(*shown),
                None if in_body || !cut_value(field, size.value).1 => Preview::Complete,
                None => Preview::Unavailable,
            }
        });
        for rung in &mut rungs {
            let own = glance.places.iter().filter(|(path, _)| *path == rung.path.as_str());
            rung.places = own.map(|(_, place)| place.clone()).collect();
        }
        rungs.sort_by_key(|rung| {
            let is_body = body.field.as_deref() == Some(rung.path.top());
            std::cmp::Reverse((rung.next.is_some() && is_body, rung.next.is_some()))
        });
        rungs
    }

    fn metadata(
        &self,
        asker: &Asker<'_>,
        view: &RecordView,
        body: &Body,
        rungs: &[Rung<'_>],
        glance: &Glance,
        size: Size,
    ) -> Value {
        let identity = &view.identity;
        let mut metadata = Map::new();
        // First, because hosts cut tails.
        if let (Some(rung), true) = (rungs.first(), self.tiers.window().is_some())
            && let Some(offset) = rung.next
        {
            let args = read_args(identity, &rung.path, offset);
            let mut goes_on = json!({ "tool": "read_record_field", "args": args, "shown": rung.range() });
            if let Some(uri) = self.field_uri(identity, rung) {
                goes_on["uri"] = json!(uri);
            }
            metadata.insert("continue".into(), goes_on);
            let places = rungs.iter().flat_map(|rung| {
                rung.places.iter().map(|place| {
                    let mut entry = place.json();
                    entry["field_path"] = json!(rung.path.as_str());
                    entry
                })
            });
            let places: Vec<Value> = places.collect();
            if !places.is_empty() {
                metadata.insert("anchors".into(), json!(places));
            }
        }
        metadata.insert("connection_id".into(), json!(identity.connection.as_str()));
        metadata.insert("stream".into(), json!(identity.stream.as_str()));
        metadata.insert("record_id".into(), json!(identity.record.as_str()));
        metadata.insert("emitted_at".into(), json!(time::print(view.emitted_at)));
        if let Some(revision) = &view.revision {
            metadata.insert("revision".into(), json!(revision));
        }
        metadata.extend(labels_of(view).map(|(name, label)| (name.to_owned(), json!(label))));
        if let Some(field) = &body.field {
            metadata.insert("text_field".into(), json!(FieldPath::top_level(field).as_str()));
            metadata.insert("fields".into(), short_values(view, field, size));
        }
        let files = self.files(asker, view, rungs);
        if !files.is_empty() {
            metadata.insert("files".into(), json!(files));
        }
        let derived: Vec<Value> = glance.lines.iter().filter_map(derived).collect();
        if !derived.is_empty() {
            metadata.insert("derived".into(), json!(derived));
        }
        Value::Object(metadata)
    }

    /// The binary fields: never their bytes.
    fn files(&self, asker: &Asker<'_>, view: &RecordView, rungs: &[Rung<'_>]) -> Vec<Value> {
        let binary = rungs.iter().filter(|rung| rung.kind == FieldKind::Binary).take(FILES);
        let file = |rung: &Rung<'_>| {
            let mut file = json!({ "field_path": rung.path.as_str(), "mime_type": rung.mime });
            file["size_bytes"] = json!(rung.bytes);
            file["digest"] = json!(rung.digest.map(|digest| digest.to_string()));
            if let Some(uri) = self.blob_uri(&view.identity, rung) {
                file["uri"] = json!(uri);
            }
            if let Some(url) = self.export_url(asker, &view.identity, rung) {
                file["export_url"] = json!(url);
            }
            file
        };
        binary.map(file).collect()
    }
}

/// Words of the tier's own that stand for a field, marked as such.
fn derived(line: &crate::preview::Line) -> Option<Value> {
    let covers = line.derived.as_ref()?.as_ref()?;
    Some(json!({ "field_path": covers, "text": line.text }))
}

/// The short values beside the main text.
fn short_values(view: &RecordView, body: &str, size: Size) -> Value {
    let others =
        view.fields.iter().filter(|field| field.name != body && field.shape.kind != FieldKind::Empty);
    let whole = |field: &FieldView| match cut_value(field, size.value) {
        (value, false) => Some((field.name.clone(), value)),
        _ => None,
    };
    Value::Object(others.filter_map(whole).take(size.values).collect())
}

/// The main text, or else the record's values as JSON.
fn body(view: &RecordView, scope: Option<&GrantedScope>, size: Size) -> Body {
    let named = body_field(view, scope).and_then(|name| view.fields.iter().find(|field| field.name == name));
    if let Some((field, head)) = named.and_then(|field| Some((field, field.head.as_deref()?))) {
        let text = short(head, size.text).to_owned();
        let shown = Chars::of(&text);
        let is_cut = field.shape.chars.is_some_and(|total| total > shown);
        let cut = if is_cut { vec![(field.name.clone(), shown)] } else { Vec::new() };
        return Body { field: Some(field.name.clone()), text, cut };
    }
    table(view, size)
}

/// The record's values as a JSON object of bounded length: what does not fit is left out, never cut in its middle.
fn table(view: &RecordView, size: Size) -> Body {
    let (mut values, mut cut, mut room) = (Map::new(), Vec::new(), size.text.get());
    for field in &view.fields {
        let (value, is_cut) = cut_value(field, TABLE_VALUE.min(size.text));
        let length = json!({ &field.name: value }).to_string().chars().count() as u64;
        if length > room {
            cut.push((field.name.clone(), Chars::ZERO));
            continue;
        }
        room -= length;
        if is_cut {
            cut.push((field.name.clone(), Chars::of(value.as_str().unwrap_or_default())));
        }
        values.insert(field.name.clone(), value);
    }
    Body { field: None, text: Value::Object(values).to_string(), cut }
}
