//! `query_records`: a stream's records, page by page.

use super::shape::{choice, closed, connection, cursor, envelope, limit, name, names};
use super::{ToolDefinition, ToolSet, ladder};
use serde_json::json;

pub(super) fn definition(on: ToolSet) -> ToolDefinition {
    let input = closed(
        &["stream"],
        json!({
            "stream": name("The stream, as schema names it."),
            "limit": limit("How many records, from 1 to 100. Default 25."),
            "cursor": cursor(),
            "order": choice(&["asc", "desc"], "By time: desc (default) is newest first."),
            "fields": names("Only these top-level fields."),
            "connection_id": connection(),
        }),
    );
    let mut description =
        "Lists the records of one stream, newest first, 25 a page (limit 1 to 100). Name the fields \
                           you need: it keeps pages small. Long values are cut and marked"
            .to_owned();
    description += if on.field_window { "; read_record_field reads them on." } else { "." };
    description += " Page with next_cursor. To find records by words, use search.";
    ToolDefinition {
        name: "query_records",
        title: "List records of a stream",
        description,
        accepts: input.clone(),
        input,
        output: envelope(&[("content_ladder", ladder::schema(on))]),
    }
}
