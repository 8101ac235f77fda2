//! `query_records`: a stream's records, page by page.

use super::shape::{
    accepting_more, choice, closed, connection, cursor, envelope, expand, expand_limit, filter, limit, name,
    names,
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
            "order": choice(&["asc", "desc"], "desc (default) is newest or largest first."),
            "sort": name("A field that schema marks as sortable, or emitted_at. Default: by time."),
            "fields": names("Only these top-level fields."),
            "view": name("Only the fields of this view, as schema names it. Not together with fields."),
            "filter": filter(),
            "count": choice(&["none", "estimated", "exact"], "Whether to count all records that match. Default none."),
            "expand": expand(),
            "expand_limit": expand_limit(),
            "changes_since": name(
                "Only what changed since: next_changes_since of an earlier answer, or beginning for everything. \
                 Not together with sort, filter or count.",
            ),
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
        accepts: accepting_more(&input),
        input,
        output: envelope(&[("content_ladder", ladder::schema(on))]),
    }
}
