//! `query_records`: a stream's records, page by page.

use super::shape::{
    accepting_any_filter, choice, closed, connection, cursor, envelope, filter, limit, name, names,
};
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
            "filter": filter(),
            "count": choice(&["none", "estimated", "exact"], "Whether to count all records that match. Default none."),
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
        accepts: accepting_any_filter(&input),
        input,
        output: envelope(&[("content_ladder", ladder::schema(on))]),
    }
}
