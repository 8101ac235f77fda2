//! `search`: records that contain words.

use super::shape::{accepting_more, choice, closed, connection, cursor, envelope, filter, limit, names};
use super::{ToolDefinition, ToolSet, ladder};
use serde_json::{Value, json};

pub(super) fn definition(on: ToolSet) -> ToolDefinition {
    let input = closed(
        &["q"],
        json!({
            "q": {
                "type": "string",
                "minLength": 1,
                "maxLength": 512,
                "description": "What to look for, 1 to 512 characters. A record matches if its granted fields have \
                                all words. \"A phrase\" in quotes is words that follow each other, begin* any word that \
                                begins so, -word or -\"a phrase\" what it must not have; anything else is literal. Case \
                                and accents make no difference.",
            },
            "streams": names("Only these streams."),
            "limit": limit("How many hits, from 1 to 100. Default 25."),
            "cursor": cursor(),
            "mode": choice(&["lexical", "semantic", "hybrid"], "How to search. Default lexical, by words."),
            "filter": filter(),
            "connection_id": connection(),
        }),
    );
    let mut description =
        "Finds records that contain words, in all granted streams. Each hit has an id: pass it to \
                           fetch exactly as shown"
            .to_owned();
    if on.field_window {
        description += ", or to read_record_field with q to jump to a phrase in a long field";
    }
    description += ". 25 hits a page (limit 1 to 100). Snippets are excerpts, not the whole text.";
    ToolDefinition {
        name: "search",
        title: "Search records",
        description,
        accepts: accepting_more(&input),
        input,
        output: envelope(&[
            ("results", json!({ "type": "array", "items": result() })),
            ("content_ladder", ladder::schema(on)),
        ]),
    }
}

fn result() -> Value {
    closed(
        &["id", "title", "url"],
        json!({
            "id": { "type": "string" },
            "title": { "type": "string" },
            "url": { "type": "string" },
            "connection_id": { "type": "string" },
            "stream": { "type": "string" },
            "record_id": { "type": "string" },
            "connector_key": { "type": "string" },
            "display_name": { "type": "string" },
            "snippet": { "type": "string" },
        }),
    )
}
