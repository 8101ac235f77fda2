//! `schema`: what the grant lets a client read.

use crate::arguments;
use crate::disclosed;
use crate::fit::{Entry, fit};
use crate::ladder::{Asker, Draft, Ladder, ToolArguments};
use crate::reply::Reply;
use serde_json::{Value, json};
use stepwell_contract::quote::json_string;
use stepwell_contract::{Code, Refusal, budget};
use stepwell_source::catalogue::{FieldInfo, GrantedScope};
use stepwell_source::time;

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
                let message = format!("the grant does not cover the stream {}", json_string(stream));
                return Err(Refusal::new(Code::GrantStreamNotAllowed, message).param("stream").into());
            }
        }
        if let Some(connection) = &connection {
            scopes.retain(|scope| scope.connection == *connection);
            if scopes.is_empty() {
                let message =
                    format!("the grant does not cover a connection {}", json_string(connection.as_str()));
                return Err(Refusal::new(Code::ConnectionNotFound, message).param("connection_id").into());
            }
        }
        let text = text(&scopes, stream.is_some());
        let streams: Vec<Value> =
            scopes.iter().map(|scope| stream_json(scope, stream.is_some(), full)).collect();
        let mut structured = self.envelope(json!({ "object": "schema", "streams": streams }), Vec::new());
        if structured.to_string().len() as u64 > budget::SCHEMA_STRUCTURED.get() {
            let streams: Vec<Value> = scopes.iter().map(|scope| stream_json(scope, false, false)).collect();
            structured["data"]["streams"] = json!(streams);
        }
        let disclosed = disclosed::about(args, &structured["data"]);
        Ok(Reply { text: vec![text], structured, links: Vec::new(), meta: None, disclosed })
    }
}

fn text(scopes: &[GrantedScope], one_stream: bool) -> String {
    let head = format!("{} granted stream(s). Pass stream and connection_id exactly as shown.", scopes.len());
    let entry = |scope: &GrantedScope| {
        let mut line = format!(
            "stream={} connection_id={}",
            json_string(scope.stream.as_str()),
            json_string(scope.connection.as_str())
        );
        let least = line.clone();
        if let Some(connector) = &scope.connector {
            line.push_str(&format!(" connector_key={}", json_string(connector)));
        }
        if let Some(label) = &scope.label {
            line.push_str(&format!(" display_name={}", json_string(label)));
        }
        let labelled = line.clone();
        let fields: Vec<String> = scope.fields.iter().map(field_words).collect();
        line.push_str(&format!(" fields={}", fields.join(" ")));
        if !scope.declared {
            line.push_str(" (fields inferred from the records)");
        }
        Entry { forms: vec![line, labelled, least] }
    };
    let entries: Vec<Entry> = scopes.iter().map(entry).collect();
    let room = if one_stream { budget::TEXT } else { budget::SCHEMA_TEXT };
    fit(&head, &entries, room, |shown| match entries.len() - shown {
        0 => String::new(),
        left => format!("more={left}; name a stream to see it: schema {{\"stream\":…}}"),
    })
}

fn field_words(field: &FieldInfo) -> String {
    let kinds: Vec<&str> = field.kinds.iter().map(|kind| kind.as_str()).collect();
    let mut flags = kinds.join("|");
    if let Some(role) = &field.role {
        flags.push_str(&format!(",role={role}"));
    }
    if field.searchable {
        flags.push_str(",search");
    }
    format!("{}[{flags}]", json_string(&field.name))
}

fn stream_json(scope: &GrantedScope, with_fields: bool, full: bool) -> Value {
    let mut stream = json!({
        "name": scope.stream.as_str(),
        "connection_id": scope.connection.as_str(),
        "declared": scope.declared,
        "primary_key": scope.primary_key,
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
        if let (true, Some(schema)) = (full, &field.schema) {
            entry["schema"] = schema.clone();
        }
        entry
    };
    stream["fields"] = if with_fields {
        json!(scope.fields.iter().map(field).collect::<Vec<_>>())
    } else {
        json!(scope.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>())
    };
    stream
}
