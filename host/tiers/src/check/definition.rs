//! What a tool tier says that it can do.

use super::{at_most, clean};
use crate::fault::{BadDefinition, Invalid};
use crate::limits;
use crate::toolbox::{Definition, RawDefinition};
use serde_json::{Map, Value};
use std::collections::HashSet;
use stepwell_contract::quote::{excerpt, strip_control};

/// The keywords that a schema may use. What refers to elsewhere, or makes a check cost more than its size, is not among
/// them.
const KEYWORDS: &[&str] = &[
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "default",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "properties",
    "required",
    "title",
    "type",
    "uniqueItems",
];

/// Not at the root: one host silently drops a tool whose schema has them there.
const COMBINATORS: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];

/// Checks what a plugin can do: names that differ, words that a model can read, schemas that every host takes.
pub(crate) fn definitions(raw: Vec<RawDefinition>) -> Result<Vec<Definition>, Invalid> {
    at_most("tools", raw.len(), limits::TOOLS)?;
    let mut names = HashSet::new();
    let checked = raw.into_iter().map(|raw| {
        let tool = excerpt(&raw.name);
        let is_new = names.insert(raw.name.clone());
        let definition = if is_new { one(raw) } else { Err(BadDefinition::Twice) };
        definition.map_err(|rule| Invalid::Definition { tool, rule })
    });
    checked.collect()
}

fn one(raw: RawDefinition) -> Result<Definition, BadDefinition> {
    if raw.name.is_empty() || raw.name.len() > limits::TOOL_NAME_BYTES {
        return Err(BadDefinition::Name);
    }
    let description = clean(&raw.description, limits::DESCRIPTION_BYTES + 1);
    if description.is_empty() || description.len() > limits::DESCRIPTION_BYTES {
        return Err(BadDefinition::Description);
    }
    let mut title = clean(&raw.title, limits::TITLE_BYTES);
    if title.is_empty() {
        title = clean(&raw.name, limits::TITLE_BYTES);
    }
    let input = schema(&raw.input_schema)?;
    let mut seen = HashSet::new();
    for name in &raw.record_parameters {
        let is_text = input["properties"].get(name).is_some_and(|property| property["type"] == "string");
        if !is_text || !seen.insert(name) || seen.len() > limits::RECORD_PARAMETERS {
            return Err(BadDefinition::RecordParameter);
        }
    }
    let record_parameters = raw.record_parameters;
    Ok(Definition { name: raw.name, title, description, input, record_parameters })
}

/// Reads a schema of arguments.
fn schema(text: &str) -> Result<Value, BadDefinition> {
    if text.len() > limits::SCHEMA_BYTES {
        return Err(BadDefinition::SchemaSize);
    }
    let mut schema: Value = serde_json::from_str(text).map_err(|_| BadDefinition::SchemaJson)?;
    let root = schema.as_object_mut().ok_or(BadDefinition::SchemaRoot)?;
    let is_closed = root.get("additionalProperties") == Some(&Value::Bool(false));
    let has_properties = root.get("properties").is_none_or(Value::is_object);
    let is_plain = !COMBINATORS.iter().any(|word| root.contains_key(*word));
    if root.get("type").and_then(Value::as_str) != Some("object")
        || !is_closed
        || !has_properties
        || !is_plain
    {
        return Err(BadDefinition::SchemaRoot);
    }
    // Some hosts need them, though there are none.
    root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    tidy(&mut schema, 0)?;
    jsonschema::draft202012::new(&schema).map_err(|_| BadDefinition::SchemaJson)?;
    Ok(schema)
}

/// Lets known keywords through, washes the words for readers, and refuses what a reader could not see.
fn tidy(schema: &mut Value, depth: usize) -> Result<(), BadDefinition> {
    if depth > limits::SCHEMA_DEPTH {
        return Err(BadDefinition::SchemaSize);
    }
    let Value::Object(keywords) = schema else {
        return if schema.is_boolean() { Ok(()) } else { Err(BadDefinition::SchemaJson) };
    };
    for (keyword, value) in keywords {
        match keyword.as_str() {
            "description" | "title" => {
                let words = value.as_str().ok_or(BadDefinition::SchemaJson)?;
                *value = clean(words, limits::DESCRIPTION_BYTES).into();
            }
            "properties" => {
                for (name, property) in value.as_object_mut().ok_or(BadDefinition::SchemaJson)? {
                    if !is_argument(name) {
                        return Err(BadDefinition::Argument);
                    }
                    tidy(property, depth + 1)?;
                }
            }
            "additionalProperties" | "items" | "not" => tidy(value, depth + 1)?,
            "allOf" | "anyOf" | "oneOf" => {
                for part in value.as_array_mut().ok_or(BadDefinition::SchemaJson)? {
                    tidy(part, depth + 1)?;
                }
            }
            known if KEYWORDS.contains(&known) => visible(value)?,
            _ => return Err(BadDefinition::Keyword),
        }
    }
    Ok(())
}

/// What one of the model interfaces demands of an argument's name. A single other one makes it refuse the conversation.
fn is_argument(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
}

/// Words that are compared cannot be washed, so they must be clean.
fn visible(value: &Value) -> Result<(), BadDefinition> {
    let is_visible =
        |text: &str| if strip_control(text) == text { Ok(()) } else { Err(BadDefinition::Hidden) };
    match value {
        Value::String(text) => is_visible(text),
        Value::Array(list) => list.iter().try_for_each(visible),
        Value::Object(members) => {
            members.iter().try_for_each(|(name, value)| is_visible(name).and_then(|()| visible(value)))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn raw(name: &str, schema: &Value) -> RawDefinition {
        RawDefinition {
            name: name.into(),
            title: String::new(),
            description: "Counts \u{202e}words.\n".into(),
            input_schema: schema.to_string(),
            record_parameters: Vec::new(),
        }
    }

    fn closed(properties: Value) -> Value {
        json!({ "type": "object", "properties": properties, "additionalProperties": false })
    }

    fn broken(raw: RawDefinition) -> BadDefinition {
        match definitions(vec![raw]) {
            Err(Invalid::Definition { rule, .. }) => rule,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_good_definition_passes_and_its_words_are_washed() {
        let text = json!({ "type": "string", "description": "Which\u{0} record", "minLength": 1 });
        let list =
            json!({ "type": "array", "items": { "anyOf": [{ "type": "integer" }, { "enum": ["x"] }] } });
        let mut good = raw("count", &closed(json!({ "id": text, "list": list })));
        good.record_parameters = vec!["id".into()];
        let kept = definitions(vec![
            good,
            raw("other", &json!({ "type": "object", "additionalProperties": false })),
        ]);
        let kept = kept.unwrap();
        assert_eq!((kept[0].title.as_str(), kept[0].description.as_str()), ("count", "Counts words."));
        assert_eq!(kept[0].input["properties"]["id"]["description"], "Which record");
        assert_eq!(kept[1].input["properties"], json!({}));
        assert!(definitions(Vec::new()).unwrap().is_empty());
    }

    #[test]
    fn a_schema_is_closed_plain_and_small() {
        let deep =
            (0..20).fold(json!({ "type": "string" }), |inner, _| json!({ "type": "array", "items": inner }));
        for (schema, rule) in [
            (json!([]), BadDefinition::SchemaRoot),
            (json!({ "type": "object" }), BadDefinition::SchemaRoot),
            (json!({ "type": "array", "additionalProperties": false }), BadDefinition::SchemaRoot),
            (
                json!({ "type": "object", "additionalProperties": false, "oneOf": [] }),
                BadDefinition::SchemaRoot,
            ),
            (json!({ "type": "object", "additionalProperties": false, "$ref": "#" }), BadDefinition::Keyword),
            (closed(json!({ "x": { "$ref": "#/properties/x" } })), BadDefinition::Keyword),
            (closed(json!({ "x": { "pattern": "(a+)+$" } })), BadDefinition::Keyword),
            (closed(json!({ "a b": {} })), BadDefinition::Argument),
            (closed(json!({ "x": { "properties": { "é": {} } } })), BadDefinition::Argument),
            (closed(json!({ "x": { "enum": ["a\u{202e}b"] } })), BadDefinition::Hidden),
            (closed(json!({ "x": { "default": "y".repeat(5_000) } })), BadDefinition::SchemaSize),
            (closed(json!({ "x": deep })), BadDefinition::SchemaSize),
            (closed(json!({ "x": { "type": "text" } })), BadDefinition::SchemaJson),
            (closed(json!({ "x": 5 })), BadDefinition::SchemaJson),
        ] {
            assert_eq!(broken(raw("t", &schema)), rule, "{schema}");
        }
        let nonsense = RawDefinition { input_schema: "{".into(), ..raw("t", &json!({})) };
        assert_eq!(broken(nonsense), BadDefinition::SchemaJson);
    }

    #[test]
    fn names_words_and_record_parameters_have_rules() {
        let good = || raw("t", &closed(json!({ "id": { "type": "string" }, "n": { "type": "integer" } })));
        assert_eq!(broken(RawDefinition { name: String::new(), ..good() }), BadDefinition::Name);
        assert_eq!(broken(RawDefinition { name: "x".repeat(129), ..good() }), BadDefinition::Name);
        assert_eq!(
            broken(RawDefinition { description: "\u{200b}".into(), ..good() }),
            BadDefinition::Description
        );
        let long = RawDefinition { description: "x".repeat(1_025), ..good() };
        assert_eq!(broken(long), BadDefinition::Description);
        for wrong in [&["n"][..], &["other"], &["id", "id"]] {
            let record_parameters = wrong.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(broken(RawDefinition { record_parameters, ..good() }), BadDefinition::RecordParameter);
        }
        let twice = definitions(vec![good(), good()]);
        assert!(matches!(twice, Err(Invalid::Definition { rule: BadDefinition::Twice, .. })));
        let many = (0..17).map(|n| raw(&n.to_string(), &closed(json!({})))).collect();
        assert_eq!(definitions(many), Err(Invalid::TooMany { what: "tools", found: 17, most: 16 }));
    }
}
