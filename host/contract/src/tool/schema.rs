//! `schema`: what there is to read.

use super::ToolDefinition;
use super::shape::{choice, closed, connection, envelope, name};
use serde_json::json;

pub(super) fn definition() -> ToolDefinition {
    let input = closed(
        &[],
        json!({
            "detail": choice(&["compact", "full"], "compact (default) names fields and types; full adds their schemas and needs stream."),
            "stream": name("Only this stream."),
            "connection_id": connection(),
        }),
    );
    ToolDefinition {
        name: "schema",
        title: "List streams and fields",
        description:
            "Lists the connections, streams and fields that the grant lets you read. Call it first, without \
                      arguments; pass stream for one stream's \
                      fields, views, relationships, and what can be filtered, sorted and computed."
                .to_owned(),
        accepts: input.clone(),
        input,
        output: envelope(&[]),
    }
}
