//! What a plugin's tool answers with, whatever the plugin.

use super::shape::{closed, envelope};
use serde_json::{Value, json};

/// The output schema that all tools of plugins share.
#[must_use]
pub fn output() -> Value {
    let line = closed(&["text"], json!({ "id": { "type": "string" }, "text": { "type": "string" } }));
    let record =
        closed(&["slot", "id"], json!({ "slot": { "type": "integer" }, "id": { "type": "string" } }));
    let next =
        closed(&["tool", "args"], json!({ "tool": { "type": "string" }, "args": { "type": "object" } }));
    let mut schema = envelope(&[
        ("next", next),
        ("left_out", json!({ "type": "integer" })),
        ("lines", json!({ "type": "array", "items": line })),
        ("records", json!({ "type": "array", "items": record })),
    ]);
    schema["required"] = json!(["lines", "records", "data", "provider_url", "request_id", "warnings"]);
    schema
}
