//! JSON exports of any size, one value at a time.

mod mend;
mod pull;

pub(crate) use mend::parse;
pub(crate) use pull::{Pull, PullError, Raw};

use serde_json::Value;

/// The text of a member, if it is one.
pub(crate) fn text<'a>(value: &'a Value, member: &str) -> Option<&'a str> {
    value.get(member).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A member that names something: a text, or a number as it is written.
pub(crate) fn name(value: &Value, member: &str) -> Option<String> {
    match value.get(member)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Some members of a value under names of our own, without those that say nothing.
pub(crate) fn picked(value: &Value, members: &[(&str, &str)]) -> Value {
    let there = |(name, member): &(&str, &str)| {
        let value = value.get(*member).filter(|value| !value.is_null() && **value != "")?;
        Some(((*name).to_owned(), value.clone()))
    };
    Value::Object(members.iter().filter_map(there).collect())
}

/// The items of a member, if it is a list.
pub(crate) fn list<'a>(value: &'a Value, member: &str) -> &'a [Value] {
    value.get(member).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
