//! TOML files. Whatever is there stays as its owner wrote it, comments and all.

use super::merge::{MergeError, Merged, Wanted};
use serde_json::Value;
use toml_edit::{Array, DocumentMut, Formatted, Item, Table, TomlError};

/// What a file says, as far as servers are made of it.
pub(super) fn read(text: &str) -> Result<Value, MergeError> {
    let document: DocumentMut = text.parse().map_err(|error| broken(&error, text))?;
    let readable = |(name, item): (&str, &Item)| Some((name.to_owned(), loose(item)?));
    Ok(Value::Object(document.iter().filter_map(readable).collect()))
}

pub(super) fn merge(text: &str, wanted: &Wanted, force: bool) -> Result<Merged, MergeError> {
    let mut document: DocumentMut = text.parse().map_err(|error| broken(&error, text))?;
    let is_empty = document.is_empty();
    let fresh = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let room = document.entry(wanted.room).or_insert_with(fresh);
    let wrong = MergeError::Shape(wanted.room, "it holds no servers by name");
    let servers = room.as_table_like_mut().ok_or(wrong)?;
    let name = wanted.name.as_str();
    let old = servers.get(name);
    match old {
        Some(known) if json(known).as_ref() == Some(&wanted.entry) => return Ok(Merged::Same),
        Some(_) if !force => return Err(MergeError::Taken(name.to_owned())),
        _ => {}
    }
    let mut entry = table(&wanted.entry);
    match old.and_then(Item::as_table) {
        // Comments above the table, and the line between it and the one before, are its owner's.
        Some(old) => *entry.decor_mut() = old.decor().clone(),
        None if !is_empty => entry.decor_mut().set_prefix("\n"),
        None => {}
    }
    servers.insert(name, Item::Table(entry));
    Ok(Merged::Changed(document.to_string()))
}

/// What is wrong and where. The library's own words would show the line.
fn broken(error: &TomlError, text: &str) -> MergeError {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    MergeError::Broken(format!("{} on line {}", error.message(), before.matches('\n').count() + 1))
}

/// An entry as a table. What it holds are texts, switches, and lists of texts.
fn table(entry: &Value) -> Table {
    let mut table = Table::new();
    for (name, value) in entry.as_object().into_iter().flatten() {
        if let Some(value) = value_of(value) {
            table.insert(name, Item::Value(value));
        }
    }
    table
}

fn value_of(value: &Value) -> Option<toml_edit::Value> {
    match value {
        Value::String(text) => Some(toml_edit::Value::String(Formatted::new(text.clone()))),
        Value::Bool(value) => Some(toml_edit::Value::Boolean(Formatted::new(*value))),
        Value::Array(values) => {
            Some(toml_edit::Value::Array(values.iter().filter_map(value_of).collect::<Array>()))
        }
        _ => None,
    }
}

/// The same as JSON, to compare it; nothing where it holds what no entry of ours does.
fn json(item: &Item) -> Option<Value> {
    if let Some(text) = item.as_str() {
        return Some(text.into());
    }
    if let Some(value) = item.as_bool() {
        return Some(value.into());
    }
    if let Some(list) = item.as_array() {
        return list.iter().map(|value| json(&Item::Value(value.clone()))).collect();
    }
    let members = item.as_table_like()?.iter();
    members.map(|(name, item)| Some((name.to_owned(), json(item)?))).collect::<Option<_>>().map(Value::Object)
}

/// The same without what no entry of ours holds.
fn loose(item: &Item) -> Option<Value> {
    let Some(members) = item.as_table_like() else { return json(item) };
    let readable = |(name, item): (&str, &Item)| Some((name.to_owned(), loose(item)?));
    Some(Value::Object(members.iter().filter_map(readable).collect()))
}
