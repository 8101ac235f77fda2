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

/// The cursor argument of lists.
/// Conditions on fields, as they are advertised. What is no such object gets a code of its own, so any value is accepted
/// and then looked at.
pub(super) fn filter() -> Value {
    json!({
        "type": "object",
        "description": "Only records with these values: exactly {\"folder\":\"inbox\"}, or a range \
                        {\"sent_at\":{\"gte\":\"2025-01-01\",\"lt\":\"2025-02-01\"}} with gte, gt, lte, lt.",
    })
}

/// The same input, accepting any filter.
pub(super) fn accepting_any_filter(input: &Value) -> Value {
    let mut accepts = input.clone();
    accepts["properties"]["filter"] = json!({});
    accepts
}

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
