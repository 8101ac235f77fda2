//! Reads a tool's arguments, whose shape the server has checked against the tool's schema.

use crate::reply::LadderError;
use serde_json::Value;
use stepwell_contract::selector::WindowArguments;
use stepwell_contract::{Code, ConnectionId, FieldPath, Refusal, ResultId, StreamName};
use stepwell_source::{RecordRef, SourceError};

/// A text argument.
pub(crate) fn text<'a>(args: &'a Value, name: &str) -> Option<&'a str> {
    args.get(name)?.as_str()
}

/// A list of texts.
pub(crate) fn texts(args: &Value, name: &str) -> Option<Vec<String>> {
    let list = args.get(name)?.as_array()?;
    Some(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// How many at most.
pub(crate) fn limit(args: &Value, default: u64) -> usize {
    args.get("limit").and_then(Value::as_u64).unwrap_or(default) as usize
}

/// The connection, where one is named.
pub(crate) fn connection(args: &Value) -> Result<Option<ConnectionId>, Refusal> {
    text(args, "connection_id")
        .map(|id| ConnectionId::new(id).map_err(|rule| unsafe_name("connection_id", &rule)))
        .transpose()
}

/// A stream's name.
pub(crate) fn stream(name: &str) -> Result<StreamName, Refusal> {
    StreamName::new(name).map_err(|rule| unsafe_name("stream", &rule))
}

/// A text argument that the schema requires.
pub(crate) fn required<'a>(args: &'a Value, name: &str) -> Result<&'a str, Refusal> {
    text(args, name).ok_or_else(|| invalid(name, format!("{name} is required")))
}

/// An argument that breaks a rule.
pub(crate) fn invalid(param: &str, message: impl Into<String>) -> Refusal {
    Refusal::new(Code::InvalidArguments, message).param(param)
}

/// Blames the argument that the tool has, where the source knows it by another name.
pub(crate) fn renamed(error: SourceError, source: &str, tool: &str) -> LadderError {
    let SourceError::Refused(mut refusal) = error else { return error.into() };
    if refusal.param.as_deref() == Some(source) {
        refusal.param = Some(tool.to_owned());
    }
    LadderError::Refused(refusal)
}

/// The record that `id` names, or the triple of connection, stream and record. Both together must agree.
pub(crate) fn record(args: &Value) -> Result<RecordRef, Refusal> {
    let connection = connection(args)?;
    let Some(id) = text(args, "id") else {
        let stream = stream(required(args, "stream")?)?;
        let record = required(args, "record_id")?;
        let record = record
            .parse()
            .map_err(|rule: stepwell_contract::name::UnsafeName| unsafe_name("record_id", &rule))?;
        return Ok(RecordRef { connection, stream, record });
    };
    let id = ResultId::parse(id)?.with_connection(connection.as_ref())?;
    for (name, part) in [("stream", id.stream.as_str()), ("record_id", id.record.as_str())] {
        if text(args, name).is_some_and(|given| given != part) {
            let message = format!("{name} differs from the one in id; give one of the two");
            return Err(Refusal::new(Code::InvalidWindowSelector, message).param(name));
        }
    }
    Ok(id.into())
}

/// The field that `field_path` names.
pub(crate) fn field_path(args: &Value) -> Result<FieldPath, Refusal> {
    path(required(args, "field_path")?)
}

/// Reads a field path.
pub(crate) fn path(spelled: &str) -> Result<FieldPath, Refusal> {
    let bad = |fault| Refusal::new(Code::InvalidFieldPath, format!("field_path {fault}")).param("field_path");
    FieldPath::parse(spelled).map_err(bad)
}

/// The selector arguments.
pub(crate) fn window(args: &Value) -> WindowArguments {
    let number = |name: &str| args.get(name).and_then(Value::as_u64);
    WindowArguments {
        cursor: text(args, "cursor").map(str::to_owned),
        offset_chars: number("offset_chars"),
        limit_chars: number("limit_chars"),
        q: text(args, "q").map(str::to_owned),
        before_chars: number("before_chars"),
        after_chars: number("after_chars"),
    }
}

fn unsafe_name(param: &str, rule: &stepwell_contract::name::UnsafeName) -> Refusal {
    invalid(param, format!("{param} {rule}"))
}
