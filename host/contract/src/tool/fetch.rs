//! `fetch`: one record as a document.

use super::shape::{accepting_more, closed, connection, expand, expand_limit, name, names};
use super::{ToolDefinition, ToolSet, ladder};
use serde_json::json;

pub(super) fn definition(on: ToolSet) -> ToolDefinition {
    let input = closed(
        &["id"],
        json!({
            "id": name("The record's id, exactly as a result shows it."),
            "fields": names("Only these top-level fields."),
            "expand": expand(),
            "expand_limit": expand_limit(),
            "connection_id": connection(),
        }),
    );
    let mut description =
        "Opens one record by its id as a document of at most 4,096 characters of text. Pass the id exactly as search or \
         query_records shows it."
            .to_owned();
    if on.field_window {
        description +=
            " Where the text was cut, metadata.continue holds the read_record_field call that goes on.";
    }
    let output = closed(
        &["id", "title", "text", "url", "metadata"],
        json!({
            "id": { "type": "string" },
            "title": { "type": "string" },
            "text": { "type": "string" },
            "url": { "type": "string" },
            "metadata": { "type": "object" },
            "content_ladder": ladder::schema(on),
        }),
    );
    ToolDefinition {
        name: "fetch",
        title: "Fetch a record",
        description,
        accepts: accepting_more(&input),
        input,
        output,
    }
}
