//! The schema of `content_ladder`: what of each record was shown, and how to read the rest.

use super::ToolSet;
use super::shape::closed;
use serde_json::{Value, json};

pub(super) fn schema(on: ToolSet) -> Value {
    let record = closed(
        &["id", "connection_id", "stream", "record_id", "fields"],
        json!({
            "id": { "type": "string" },
            "connection_id": { "type": "string" },
            "stream": { "type": "string" },
            "record_id": { "type": "string" },
            "revision": { "type": "string" },
            "fields": { "type": "array", "items": field(on) },
        }),
    );
    closed(
        &["kind", "records"],
        json!({
            "kind": { "type": "string", "enum": ["record", "record_set", "search_results"] },
            "records": { "type": "array", "items": record },
        }),
    )
}

fn field(on: ToolSet) -> Value {
    let preview = closed(
        &["status"],
        json!({
            "status": {
                "type": "string",
                "enum": ["complete", "truncated", "snippet-only", "binary-only", "unavailable"],
            },
            "start_chars": { "type": "integer" },
            "end_chars": { "type": "integer" },
            "text": { "type": "string" },
        }),
    );
    let mut properties = json!({
        "path": { "type": "string" },
        "type": { "type": "string" },
        "mime_type": { "type": "string" },
        "text_like": { "type": "boolean" },
        "size_chars": { "type": "integer" },
        "size_bytes": { "type": "integer" },
        "size_grade": { "type": "string", "enum": ["small", "medium", "large", "huge"] },
        "digest": { "type": "string" },
        "preview": preview,
    });
    if on.field_window {
        properties["next_cursor"] = json!({ "type": "string" });
        properties["anchors"] = json!({ "type": "array", "items": { "type": "object" } });
        properties["read"] =
            closed(&["tool", "args"], json!({ "tool": { "type": "string" }, "args": { "type": "object" } }));
    }
    if on.resources {
        properties["resource"] = closed(&["uri"], json!({ "uri": { "type": "string" } }));
    }
    if on.export {
        properties["export"] = closed(&["url"], json!({ "url": { "type": "string" } }));
    }
    // A source that others run does not measure everything.
    closed(&["path", "type", "text_like", "preview"], properties)
}
