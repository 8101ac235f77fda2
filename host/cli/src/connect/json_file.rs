//! JSON files, with or without comments. Only our own member is touched; the rest stays byte for byte.

use super::merge::{Format, MergeError, Merged, Wanted};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde::de::IgnoredAny;
use serde_json::Value;

/// Where VS Code keeps the questions that it asks its user.
pub(super) const INPUTS: &str = "inputs";

/// Some editors write it before everything else; it is no part of the JSON.
const MARK: char = '\u{feff}';

/// What a file says.
pub(super) fn read(text: &str, format: Format) -> Result<Value, MergeError> {
    Ok(parse(text.strip_prefix(MARK).unwrap_or(text), format)?.to_serde_value().unwrap_or_default())
}

/// Parses what the client itself would read, and nothing beyond: what it would not read is not edited either.
fn parse(body: &str, format: Format) -> Result<CstRootNode, MergeError> {
    let with_comments = format == Format::JsonWithComments;
    if !body.trim().is_empty() && !with_comments {
        serde_json::from_str::<IgnoredAny>(body).map_err(|error| MergeError::Broken(error.to_string()))?;
    }
    CstRootNode::parse(body, &options(with_comments)).map_err(|error| MergeError::Broken(error.to_string()))
}

pub(super) fn merge(text: &str, wanted: &Wanted, force: bool) -> Result<Merged, MergeError> {
    let body = text.strip_prefix(MARK).unwrap_or(text);
    let root = parse(body, wanted.format)?;
    let object = match root.value() {
        None => root.object_value_or_set(),
        Some(value) => value.as_object().ok_or(MergeError::NoObject)?,
    };
    let mut changed = match &wanted.input {
        Some(input) => add_input(&object, input)?,
        None => false,
    };
    let servers = room(&object, wanted.room)?;
    let name = wanted.name.as_str();
    match only(&servers, name)? {
        None => {
            servers.append(name, input(&wanted.entry));
            changed = true;
        }
        Some(known)
            if known.value().and_then(|value| value.to_serde_value()).as_ref() == Some(&wanted.entry) => {}
        Some(other) if force => {
            other.set_value(input(&wanted.entry));
            changed = true;
        }
        Some(_) => return Err(MergeError::Taken(name.to_owned())),
    }
    if !changed {
        return Ok(Merged::Same);
    }
    let mut merged = text[..text.len() - body.len()].to_owned();
    merged += &root.to_string();
    if body.trim().is_empty() {
        merged.push('\n');
    }
    Ok(Merged::Changed(merged))
}

/// All that JSON itself does not have is off, but for comments and trailing commas where a client has them.
fn options(with_comments: bool) -> ParseOptions {
    ParseOptions {
        allow_comments: with_comments,
        allow_trailing_commas: with_comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The object that holds the servers, made if it is missing.
fn room(object: &CstObject, name: &'static str) -> Result<CstObject, MergeError> {
    match only(object, name)? {
        Some(found) => found.object_value().ok_or(MergeError::Shape(name, "it holds no servers by name")),
        None => {
            let made = object.append(name, CstInputValue::Object(Vec::new()));
            made.object_value().ok_or(MergeError::NoObject)
        }
    }
}

/// Adds a question, unless there is one of that id.
fn add_input(object: &CstObject, question: &Value) -> Result<bool, MergeError> {
    let questions = match only(object, INPUTS)? {
        Some(found) => found.array_value().ok_or(MergeError::Shape(INPUTS, "it is no list"))?,
        None => object.array_value_or_set(INPUTS),
    };
    let is_ours = |known: &Value| known["id"] == question["id"];
    if questions.elements().iter().filter_map(|element| element.to_serde_value()).any(|known| is_ours(&known))
    {
        return Ok(false);
    }
    questions.append(input(question));
    Ok(true)
}

/// The member of this name. Readers of JSON differ in which of two they take.
fn only(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>, MergeError> {
    let mut found =
        object.properties().into_iter().filter(|property| property.decoded_name().as_deref() == Some(name));
    let first = found.next();
    if found.next().is_some() {
        return Err(MergeError::Twice(name.to_owned()));
    }
    Ok(first)
}

/// The same value in the editor's own words.
fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}
