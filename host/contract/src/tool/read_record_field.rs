//! `read_record_field`: a bounded window of a field. The design of the content ladder fixes its schemas; they stand here
//! to the letter, and everything else is derived from them.

use super::{Spelling, ToolDefinition, ToolSet};
use crate::budget::{MAX_CONTEXT, MAX_LIMIT};
use serde_json::{Map, Value, json};

pub(super) fn definition(on: ToolSet, spelling: Spelling) -> ToolDefinition {
    let (accepts, mut output) = (seed_input(), seed_output());
    if !on.resources {
        remove(&mut output, "/properties", "resource");
    }
    let input = match spelling {
        Spelling::Seed => accepts.clone(),
        Spelling::Portable => {
            without_type_lists(&mut output);
            portable(accepts.clone())
        }
    };
    ToolDefinition {
        name: "read_record_field",
        title: "Read a field, window by window",
        description: "Reads one text field of a record in bounded windows, down to its last character. Name the record \
                      by id (or by connection_id, stream and record_id) and the field by field_path. Without more it \
                      reads the first 4,096 characters; limit_chars asks for up to 16,384. To read on, pass next_cursor \
                      as cursor. To jump to a phrase, pass q: the window shows 2,048 characters on each side \
                      (before_chars, after_chars: 0 to 8,192). A cursor stands alone or with limit_chars; q excludes \
                      offset_chars. Characters are Unicode code points."
            .to_owned(),
        input,
        accepts,
        output,
    }
}

/// The same arguments without the root's alternatives, each with a word on its use.
fn portable(mut schema: Value) -> Value {
    remove(&mut schema, "", "oneOf");
    schema["required"] = json!(["field_path"]);
    for (name, words) in [
        ("id", "The record's id, exactly as a result shows it.".to_owned()),
        ("connection_id", "With stream and record_id: names the record instead of id.".to_owned()),
        ("stream", "See connection_id.".to_owned()),
        ("record_id", "See connection_id.".to_owned()),
        ("field_path", "A top-level field, or a JSON pointer such as /headers/0/value.".to_owned()),
        ("cursor", "next_cursor or previous_cursor of a window, exactly as shown.".to_owned()),
        ("offset_chars", "Where the window starts, from 0.".to_owned()),
        ("limit_chars", format!("How many characters, from 1 to {MAX_LIMIT}. Default 4096.")),
        ("q", "A phrase to jump to, 1 to 512 characters, whatever its case.".to_owned()),
        ("before_chars", format!("How much to show before the match, 0 to {MAX_CONTEXT}.")),
        ("after_chars", format!("How much to show after the match, 0 to {MAX_CONTEXT}.")),
    ] {
        schema["properties"][name]["description"] = json!(words);
    }
    schema
}

fn remove(schema: &mut Value, parent: &str, key: &str) {
    if let Some(Value::Object(parent)) = schema.pointer_mut(parent) {
        parent.remove(key);
    }
}

/// Writes `"type": ["string", "null"]` as alternatives, wherever it stands.
fn without_type_lists(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    object.values_mut().for_each(without_type_lists);
    if !object.get("type").is_some_and(Value::is_array) {
        return;
    }
    let mut plain: Map<String, Value> = std::mem::take(object);
    plain.insert("type".into(), plain["type"][0].clone());
    object.insert("anyOf".into(), json!([plain, { "type": "null" }]));
}

/// The input schema to the letter.
fn seed_input() -> Value {
    json!({
        "type": "object",
        "oneOf": [
            { "required": ["id", "field_path"] },
            { "required": ["connection_id", "stream", "record_id", "field_path"] }
        ],
        "properties": {
            "id": { "type": "string" },
            "connection_id": { "type": "string" },
            "stream": { "type": "string" },
            "record_id": { "type": "string" },
            "field_path": { "type": "string" },
            "cursor": { "type": "string" },
            "offset_chars": { "type": "integer", "minimum": 0 },
            "limit_chars": { "type": "integer", "minimum": 1, "maximum": 16384 },
            "q": { "type": "string" },
            "before_chars": { "type": "integer", "minimum": 0, "maximum": 8192 },
            "after_chars": { "type": "integer", "minimum": 0, "maximum": 8192 }
        },
        "additionalProperties": false
    })
}

/// The output schema to the letter.
fn seed_output() -> Value {
    json!({
        "type": "object",
        "required": ["record", "field", "window"],
        "properties": {
            "record": {
                "type": "object",
                "required": ["id", "connection_id", "stream", "record_id"],
                "properties": {
                    "id": { "type": "string" },
                    "connection_id": { "type": "string" },
                    "stream": { "type": "string" },
                    "record_id": { "type": "string" }
                },
                "additionalProperties": false
            },
            "field": {
                "type": "object",
                "required": ["path", "text_like"],
                "properties": {
                    "path": { "type": "string" },
                    "mime_type": { "type": "string" },
                    "text_like": { "type": "boolean" },
                    "size_chars": { "type": "integer" },
                    "digest": { "type": "string" }
                },
                "additionalProperties": false
            },
            "window": {
                "type": "object",
                "required": ["text", "start_chars", "end_chars", "limit_chars", "complete"],
                "properties": {
                    "text": { "type": "string" },
                    "start_chars": { "type": "integer" },
                    "end_chars": { "type": "integer" },
                    "limit_chars": { "type": "integer" },
                    "complete": { "type": "boolean" },
                    "next_cursor": { "type": ["string", "null"] },
                    "previous_cursor": { "type": ["string", "null"] },
                    "match": {
                        "type": ["object", "null"],
                        "properties": {
                            "q": { "type": "string" },
                            "start_chars": { "type": "integer" },
                            "end_chars": { "type": "integer" }
                        },
                        "additionalProperties": false
                    }
                },
                "additionalProperties": false
            },
            "resource": {
                "type": "object",
                "properties": {
                    "uri": { "type": "string" },
                    "next_uri": { "type": ["string", "null"] },
                    "previous_uri": { "type": ["string", "null"] }
                },
                "additionalProperties": false
            }
        },
        "additionalProperties": false
    })
}
