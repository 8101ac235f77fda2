//! What the arguments of a call ask the source. The tools and the resource server's own API read them alike.

use crate::arguments::{self, invalid, required, text};
use crate::filter;
use serde_json::Value;
use stepwell_contract::Refusal;
use stepwell_contract::budget::DEFAULT_PAGE;
use stepwell_source::RecordRef;
use stepwell_source::query::{AggregateQuery, Granularity, Group, Metric, Order, RecordsQuery, SearchQuery};

pub use crate::expand::relationships;

/// A page of a stream's records.
pub fn records(args: &Value) -> Result<RecordsQuery, Refusal> {
    let order = if text(args, "order") == Some("asc") { Order::Ascending } else { Order::Descending };
    Ok(RecordsQuery {
        stream: arguments::stream(required(args, "stream")?)?,
        connection: arguments::connection(args)?,
        fields: arguments::texts(args, "fields"),
        view: text(args, "view").map(str::to_owned),
        conditions: filter::conditions(args)?,
        sort: text(args, "sort").map(str::to_owned),
        order,
        limit: arguments::limit(args, DEFAULT_PAGE),
        cursor: text(args, "cursor").map(str::to_owned),
        changes_since: text(args, "changes_since").map(str::to_owned),
    })
}

/// How many records there are on all pages, if that is asked. Counting is exact, also where an estimate would do.
pub fn count(args: &Value, records: &RecordsQuery) -> Result<Option<AggregateQuery>, Refusal> {
    if !matches!(text(args, "count"), Some("estimated" | "exact")) {
        return Ok(None);
    }
    if records.changes_since.is_some() {
        return Err(invalid("count", "changes are not counted; leave count out"));
    }
    Ok(Some(AggregateQuery {
        stream: records.stream.clone(),
        connection: records.connection.clone(),
        metric: Metric::Count,
        field: None,
        group: None,
        conditions: records.conditions.clone(),
        limit: 1,
    }))
}

/// Records that contain words.
pub fn search(args: &Value) -> Result<SearchQuery, Refusal> {
    let streams = arguments::texts(args, "streams").unwrap_or_default();
    Ok(SearchQuery {
        q: required(args, "q")?.to_owned(),
        streams: streams.iter().map(|name| arguments::stream(name)).collect::<Result<_, _>>()?,
        connection: arguments::connection(args)?,
        conditions: filter::conditions(args)?,
        limit: arguments::limit(args, DEFAULT_PAGE),
        cursor: text(args, "cursor").map(str::to_owned),
    })
}

/// One record: by `id`, or by `stream` and `record_id`.
pub fn record(args: &Value) -> Result<RecordRef, Refusal> {
    arguments::record(args)
}

/// A number about a stream's records.
pub fn aggregate(args: &Value) -> Result<AggregateQuery, Refusal> {
    let metric = match required(args, "metric")? {
        "count" => Metric::Count,
        "sum" => Metric::Sum,
        "min" => Metric::Min,
        "max" => Metric::Max,
        "count_distinct" => Metric::CountDistinct,
        _ => return Err(invalid("metric", "no such metric")),
    };
    let group = match (text(args, "group_by"), text(args, "group_by_time")) {
        (Some(_), Some(_)) => {
            return Err(invalid("group_by", "group_by and group_by_time exclude each other"));
        }
        (Some(field), None) => Some(Group::Field(field.to_owned())),
        (None, Some(field)) => Some(Group::Time {
            field: field.to_owned(),
            granularity: granularity(text(args, "granularity"))?,
            time_zone: text(args, "time_zone").unwrap_or("UTC").to_owned(),
        }),
        (None, None) => {
            if let Some(name) =
                ["granularity", "time_zone"].into_iter().find(|name| args.get(*name).is_some())
            {
                return Err(invalid(name, format!("{name} needs group_by_time")));
            }
            None
        }
    };
    Ok(AggregateQuery {
        stream: arguments::stream(required(args, "stream")?)?,
        connection: arguments::connection(args)?,
        metric,
        field: text(args, "field").map(str::to_owned),
        group,
        conditions: filter::conditions(args)?,
        limit: arguments::limit(args, DEFAULT_PAGE),
    })
}

fn granularity(word: Option<&str>) -> Result<Granularity, Refusal> {
    Ok(match word {
        Some("minute") => Granularity::Minute,
        Some("hour") => Granularity::Hour,
        Some("day") => Granularity::Day,
        Some("week") => Granularity::Week,
        Some("month") => Granularity::Month,
        Some("quarter") => Granularity::Quarter,
        Some("year") => Granularity::Year,
        _ => return Err(invalid("granularity", "group_by_time needs a granularity")),
    })
}
