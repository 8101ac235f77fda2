//! `aggregate`: a number about a stream's records.

use super::ToolDefinition;
use super::shape::{accepting_more, choice, closed, connection, envelope, filter, limit, name};
use serde_json::json;

pub(super) fn definition() -> ToolDefinition {
    let input = closed(
        &["stream", "metric"],
        json!({
            "stream": name("The stream, as schema names it."),
            "metric": choice(&["count", "sum", "min", "max", "count_distinct"], "What to compute."),
            "field": name("The field to compute it of. Every metric but count needs one."),
            "group_by": name("One number for each value of this field. Not together with group_by_time."),
            "group_by_time": name("One number for each stretch of time, by this time field. Needs granularity."),
            "granularity": choice(
                &["minute", "hour", "day", "week", "month", "quarter", "year"],
                "The stretch of time for group_by_time.",
            ),
            "time_zone": name("IANA name such as Europe/Zurich for group_by_time. Default UTC."),
            "limit": limit("How many groups, from 1 to 100. Default 25."),
            "filter": filter(),
            "connection_id": connection(),
        }),
    );
    ToolDefinition {
        name: "aggregate",
        title: "Count and compute",
        description: "Counts or computes over the records of one stream without reading them: count, sum, min, max, \
                      count_distinct; in all, for each value of a field, or for each stretch of time. Up to 100 groups."
            .to_owned(),
        accepts: accepting_more(&input),
        input,
        output: envelope(&[]),
    }
}
