//! `schema`: what the grant lets a client read.

use crate::arguments;
use crate::disclosed;
use crate::fit::{Entry, SEEN, first_that_fits, fit};
use crate::ladder::{Asker, Draft, Ladder, ToolArguments};
use crate::reply::Reply;
use crate::search::short;
use serde_json::{Value, json};
use stepwell_contract::quote::{excerpt, json_string};
use stepwell_contract::{Bytes, Chars, Code, Refusal, budget};
use stepwell_source::catalogue::{FieldInfo, GrantedRelationship, GrantedScope, GrantedView};
use stepwell_source::time;

/// How long a label may be in a line of text.
const LABEL: Chars = Chars(120);

impl Ladder {
    /// Lists connections, streams and fields.
    pub(crate) async fn draft_schema(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> Draft {
        let (stream, full) =
            (arguments::text(args, "stream"), arguments::text(args, "detail") == Some("full"));
        if full && stream.is_none() {
            return Err(arguments::invalid("detail", "detail \"full\" needs a stream").into());
        }
        let connection = arguments::connection(args)?;
        let mut scopes = self.source.catalogue(asker.caller).await?;
        if let Some(stream) = stream {
            scopes.retain(|scope| scope.stream.as_str() == stream);
            if scopes.is_empty() {
                let message = format!("the grant does not cover the stream {}", excerpt(stream));
                return Err(Refusal::new(Code::GrantStreamNotAllowed, message).param("stream").into());
            }
        }
        if let Some(connection) = &connection {
            scopes.retain(|scope| scope.connection == *connection);
            if scopes.is_empty() {
                let message =
                    format!("the grant does not cover a connection {}", excerpt(connection.as_str()));
                return Err(Refusal::new(Code::ConnectionNotFound, message).param("connection_id").into());
            }
        }
        let text = text(&scopes, stream);
        let (budget, sizes) = match stream {
            Some(_) if full => {
                (budget::SCHEMA_STRUCTURED, &[Detail::Full, Detail::Types, Detail::Names, Detail::Count][..])
            }
            Some(_) => (budget::RESULT, &[Detail::Types, Detail::Names, Detail::Count][..]),
            None => (budget::SCHEMA_STRUCTURED, &[Detail::Names, Detail::Count][..]),
        };
        // The text has a budget of its own beside the structured content's.
        let budget = Bytes(budget.get() + if stream.is_none() { budget::SCHEMA_TEXT.get() } else { 0 });
        let compose = |detail: Detail| {
            let streams: Vec<Value> = scopes.iter().map(|scope| stream_json(scope, detail)).collect();
            let structured = self.envelope(json!({ "object": "schema", "streams": streams }), Vec::new());
            Reply {
                text: vec![text.clone()],
                structured,
                links: Vec::new(),
                meta: None,
                disclosed: Vec::new(),
            }
        };
        let (reply, _) = first_that_fits(sizes, budget, compose);
        let mut reply = reply.unwrap_or_else(|| compose(Detail::Count));
        reply.disclosed = disclosed::about(args, &reply.structured["data"]);
        Ok(reply)
    }
}

/// How much is said about the fields of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// Their schemas too.
    Full,
    /// Names, types, roles, and what can be asked; views and relationships.
    Types,
    /// Names.
    Names,
    /// How many there are.
    Count,
}

/// How many fields a line names when not all fit.
const FEW: usize = 8;

fn text(scopes: &[GrantedScope], stream: Option<&str>) -> String {
    let head = |shown: usize| {
        let mut head =
            format!("{} granted stream(s). Pass stream and connection_id exactly as shown.", scopes.len());
        if let Some(next) = scopes.get(shown) {
            let left = scopes.len() - shown;
            let mut call = json!({ "stream": next.stream.as_str() });
            if stream.is_some() {
                call["connection_id"] = json!(next.connection.as_str());
            }
            head.push_str(&format!(" {left} not shown here; for the next one: schema {call}."));
        }
        head
    };
    let entries: Vec<Entry> = scopes.iter().map(entry).collect();
    // Which streams there are matters more than what is in them.
    match stream {
        Some(_) => fit(head, &entries, "", budget::TEXT, SEEN),
        None => fit(head, &entries, "", budget::SCHEMA_TEXT, entries.len()),
    }
}

fn entry(scope: &GrantedScope) -> Entry {
    let [stream, connection] = [scope.stream.as_str(), scope.connection.as_str()].map(json_string);
    let least = format!("stream={stream} connection_id={connection}");
    let mut line = least.clone();
    for (name, label) in [("connector_key", &scope.connector), ("display_name", &scope.label)] {
        if let Some(label) = label {
            line.push_str(&format!(" {name}={}", json_string(short(label, LABEL))));
        }
    }
    let inferred = if scope.declared { "" } else { " (inferred from the records)" };
    let typed: Vec<String> = scope.fields.iter().map(field_words).collect();
    let named: Vec<String> = scope.fields.iter().map(|field| json_string(&field.name)).collect();
    let few = named.iter().take(FEW).map(String::as_str).collect::<Vec<_>>().join(" ");
    let more = named.len().saturating_sub(FEW);
    let leads = format!("{}{}", views_words(scope), relationships_words(scope));
    Entry {
        forms: vec![
            format!("{line} fields={}{inferred}{leads}", typed.join(" ")),
            format!("{line} fields={}{inferred}", typed.join(" ")),
            format!("{line} fields={}{inferred}", named.join(" ")),
            format!("{line} fields={few} and {more} more"),
            format!("{least} fields={}", named.len()),
        ],
        alone: least,
    }
}

fn field_words(field: &FieldInfo) -> String {
    let kinds: Vec<&str> = field.kinds.iter().map(|kind| kind.as_str()).collect();
    let mut flags = kinds.join("|");
    if let Some(role) = &field.role {
        flags.push_str(&format!(",role={role}"));
    }
    for (is, flag) in
        [(field.searchable, "search"), (!field.ranges.is_empty(), "range"), (field.sortable, "sort")]
    {
        if is {
            flags.push_str(&format!(",{flag}"));
        }
    }
    format!("{}[{flags}]", json_string(&field.name))
}

/// The views, each with its fields. One of which some fields are not granted shows the others, and says so.
fn views_words(scope: &GrantedScope) -> String {
    let view = |view: &GrantedView| {
        let fields: Vec<String> = view.fields.iter().map(|field| json_string(field)).collect();
        let cut = if view.complete { "" } else { " (as far as granted)" };
        format!("\n  view={} fields={}{cut}", json_string(&view.id), fields.join(" "))
    };
    scope.views.iter().map(view).collect()
}

/// Where records lead.
fn relationships_words(scope: &GrantedScope) -> String {
    let words = |related: &GrantedRelationship| {
        let [name, stream, key] =
            [related.name.as_str(), related.stream.as_str(), related.foreign_key.as_str()].map(json_string);
        let kind = related.cardinality.as_str();
        let expands = related.expands.map_or(String::new(), |limits| format!(" expand up to {}", limits.max));
        format!("\n  relationship={name} {kind} stream={stream} by {key}{expands}")
    };
    scope.relationships.iter().map(words).collect()
}

/// What can be asked about a field: which filters, which order, which numbers.
fn capabilities(field: &FieldInfo, entry: &mut Value) {
    let mut filter = Vec::new();
    if field.exact {
        filter.push("eq");
    }
    filter.extend(field.ranges.iter().map(String::as_str));
    entry["filter"] = json!(filter);
    entry["sortable"] = json!(field.sortable);
    entry["aggregate"] = json!(field.aggregations);
}

fn views_json(scope: &GrantedScope) -> Value {
    let view = |view: &GrantedView| {
        let mut entry = json!({ "id": view.id, "fields": view.fields, "complete": view.complete });
        if let Some(label) = &view.label {
            entry["label"] = json!(label);
        }
        entry
    };
    scope.views.iter().map(view).collect()
}

fn relationships_json(scope: &GrantedScope) -> Value {
    let relationship = |related: &GrantedRelationship| {
        let mut entry = json!({
            "name": related.name,
            "stream": related.stream.as_str(),
            "foreign_key": related.foreign_key,
            "cardinality": related.cardinality.as_str(),
        });
        if let Some(limits) = related.expands {
            entry["expand"] = json!({ "default_limit": limits.default, "max_limit": limits.max });
        }
        entry
    };
    scope.relationships.iter().map(relationship).collect()
}

fn stream_json(scope: &GrantedScope, detail: Detail) -> Value {
    let mut stream = json!({
        "name": scope.stream.as_str(),
        "connection_id": scope.connection.as_str(),
        "declared": scope.declared,
        "primary_key": scope.primary_key,
        "semantics": scope.semantics.as_str(),
    });
    let optional = [
        ("connector_key", scope.connector.clone()),
        ("display_name", scope.label.clone()),
        ("cursor_field", scope.cursor_field.clone()),
        ("since", scope.since.map(time::print)),
        ("until", scope.until.map(time::print)),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            stream[name] = json!(value);
        }
    }
    let field = |field: &FieldInfo| {
        let mut entry = json!({
            "name": field.name,
            "types": field.kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>(),
            "searchable": field.searchable,
        });
        if let Some(role) = &field.role {
            entry["role"] = json!(role);
        }
        capabilities(field, &mut entry);
        if let (Detail::Full, Some(schema)) = (detail, &field.schema) {
            entry["schema"] = schema.clone();
        }
        entry
    };
    match detail {
        Detail::Full | Detail::Types => {
            stream["fields"] = json!(scope.fields.iter().map(field).collect::<Vec<_>>());
            stream["views"] = views_json(scope);
            stream["relationships"] = relationships_json(scope);
        }
        Detail::Names => {
            stream["fields"] =
                json!(scope.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>());
        }
        Detail::Count => stream["field_count"] = json!(scope.fields.len()),
    }
    stream
}
