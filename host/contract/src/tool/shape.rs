//! Parts that several schemas share.

use crate::budget::MAX_PAGE;
use serde_json::{Map, Value, json};

/// A closed object: nothing but these properties.
pub(super) fn closed(required: &[&str], properties: Value) -> Value {
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema.insert("properties".into(), properties);
    schema.insert("additionalProperties".into(), json!(false));
    Value::Object(schema)
}

/// A text that is not empty.
pub(super) fn name(description: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "description": description })
}

/// One of a few words.
pub(super) fn choice(words: &[&str], description: &str) -> Value {
    json!({ "type": "string", "enum": words, "description": description })
}

/// A list of distinct names.
pub(super) fn names(description: &str) -> Value {
    json!({
        "type": "array",
        "items": { "type": "string", "minLength": 1 },
        "minItems": 1,
        "maxItems": 100,
        "description": description,
    })
}

/// How many at most.
pub(super) fn limit(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": MAX_PAGE, "description": description })
}

/// The connection argument that every tool has.
pub(super) fn connection() -> Value {
    name("Only this connection. Needed where a record id without a connection exists in several.")
}

/// Conditions on fields, as they are advertised. What is no such object gets a code of its own, so any value is accepted
/// and then looked at.
pub(super) fn filter() -> Value {
    json!({
        "type": "object",
        "description": "Only records with these values: exactly {\"folder\":\"inbox\"}, or a range \
                        {\"sent_at\":{\"gte\":\"2025-01-01\",\"lt\":\"2025-02-01\"}} with gte, gt, lte, lt.",
    })
}

/// The relationships to follow.
pub(super) fn expand() -> Value {
    names("Show the records that these relationships of schema lead to, along with each record.")
}

/// How far to follow them. What is no such object gets a code of its own, as a filter does.
pub(super) fn expand_limit() -> Value {
    json!({ "type": "object", "description": "How many records of each, such as {\"replies\":5}." })
}

/// The same input, accepting any filter and any limits of what is expanded.
pub(super) fn accepting_more(input: &Value) -> Value {
    let mut accepts = input.clone();
    for name in ["filter", "expand_limit"] {
        if accepts["properties"].get(name).is_some() {
            accepts["properties"][name] = json!({});
        }
    }
    accepts
}

/// The cursor argument of lists.
pub(super) fn cursor() -> Value {
    name("next_cursor of the previous page, exactly as shown. Keep the other arguments as they were.")
}

/// The frame of results that carry an answer of the resource server.
pub(super) fn envelope(more: &[(&str, Value)]) -> Value {
    let mut properties = json!({
        "data": { "type": "object" },
        "provider_url": { "type": "string" },
        "request_id": { "type": "string" },
        "warnings": { "type": "array", "items": { "type": "object" } },
    });
    for (name, schema) in more {
        properties[*name] = schema.clone();
    }
    closed(&["data", "provider_url", "request_id", "warnings"], properties)
}
