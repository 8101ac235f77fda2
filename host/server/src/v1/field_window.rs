//! `GET /v1/streams/{stream}/records/{id}/field-window`: a bounded part of one field, in code points everywhere.

use super::Call;
use super::answer::Answer;
use super::fault::Fault;
use serde_json::{Value, json};
use stepwell_contract::selector::{Selector, WindowArguments};
use stepwell_contract::{Code, FieldPath, Refusal};
use stepwell_ladder::{FieldWindow, WindowRequest, asked, citation};
use stepwell_source::{Caller, FieldKind};

pub(super) async fn field_window(call: &Call<'_>, caller: &Caller) -> Result<Answer, Fault> {
    let arguments = call.arguments();
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let number = |name: &str| arguments.get(name).and_then(Value::as_u64);
    let field = text("field").ok_or_else(|| Fault::invalid("field", "field is required"))?;
    let path = FieldPath::parse(field)
        .map_err(|fault| Refusal::new(Code::InvalidFieldPath, format!("field {fault}")).param("field"))?;
    let selector = Selector::parse(WindowArguments {
        cursor: None,
        offset_chars: number("offset_chars"),
        limit_chars: number("limit_chars"),
        q: text("q").map(str::to_owned),
        before_chars: number("before_chars"),
        after_chars: number("after_chars"),
    })?;
    let request = WindowRequest { record: asked::record(&arguments)?, path, selector };
    let window = call.v1.server.offer().ladder.plain_window(caller, &request).await;
    let window =
        call.record_outcome(caller, window).await.map_err(|fault| fault.renamed("field_path", "field"))?;
    Ok(Answer::json(&call.enveloped(json(&window), None, json!({}))))
}

fn json(read: &FieldWindow) -> Value {
    let (window, identity) = (&read.window, &read.field.record);
    let kind = match read.field.shape.kind {
        FieldKind::Json => "json",
        _ => "string",
    };
    let found = read.hit.as_ref().map(|(_, at)| at);
    json!({
        "object": "field_window",
        "stream": identity.stream.as_str(),
        "record_id": identity.record.as_str(),
        "connection_id": identity.connection.as_str(),
        "url": citation(identity),
        "field": { "path": read.field.path.as_str(), "type": kind, "digest": read.field.shape.digest.to_string() },
        "window": {
            "text": read.text,
            "start_chars": window.span.start(),
            "end_chars": window.span.end(),
            "total_chars": window.total,
            "limit_chars": window.limit,
            "complete": window.complete(),
            "has_more": window.next().is_some(),
            "next_offset_chars": window.next(),
            "previous_offset_chars": window.previous().map(|span| span.start()),
            "match_start_chars": found.map(|at| at.start()),
            "match_end_chars": found.map(|at| at.end()),
        },
    })
}
