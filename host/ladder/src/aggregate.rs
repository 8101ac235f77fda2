//! `aggregate`: numbers about a stream's records.

use crate::arguments::{self, invalid, required, text};
use crate::disclosed;
use crate::filter;
use crate::ladder::{Asker, Draft, Ladder, ToolArguments};
use crate::reply::{LadderError, Reply};
use crate::search::short;
use serde_json::{Value, json};
use stepwell_contract::budget::{self, DEFAULT_PAGE};
use stepwell_contract::quote::{excerpt, json_string};
use stepwell_contract::{Bytes, Chars, Refusal};
use stepwell_source::SourceError;
use stepwell_source::query::{AggregateQuery, Aggregation, Granularity, Group, GroupCount, Metric};

/// How long a group's key may be in a line of text.
const KEY: Chars = Chars(60);

impl Ladder {
    /// Counts or computes.
    pub(crate) async fn draft_aggregate(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> Draft {
        let query = query(args)?;
        let answer = self.source.aggregate(asker.caller, &query).await;
        let answer = answer.map_err(|error| with_own_param(error, args))?;
        let text = render(args, &answer, query.group.is_some());
        let groups: Vec<Value> =
            answer.groups.iter().map(|group| json!({ "key": group.key, "count": group.count })).collect();
        let mut data = json!({
            "object": "aggregation",
            "stream": args["stream"],
            "metric": args["metric"],
            "value": answer.value,
            "filtered_record_count": answer.records,
            "approximate": answer.approximate,
        });
        for name in ["field", "group_by", "group_by_time", "granularity", "time_zone"] {
            if let Some(value) = args.get(name) {
                data[name] = value.clone();
            }
        }
        if query.group.is_some() {
            data["groups"] = json!(groups);
            data["other_count"] = json!(answer.other_count);
        }
        let disclosed = disclosed::about(args, &data);
        Ok(Reply {
            text: vec![text],
            structured: self.envelope(data, Vec::new()),
            links: Vec::new(),
            meta: None,
            disclosed,
        })
    }
}

/// Names the argument that holds the field at fault, which the source knows by another name.
fn with_own_param(error: SourceError, args: &Value) -> LadderError {
    let SourceError::Refused(mut refusal) = error else { return error.into() };
    if refusal.param.as_deref() == Some("field_path") {
        let names = ["field", "group_by", "group_by_time"];
        let own = names
            .into_iter()
            .find(|name| text(args, name).is_some_and(|value| refusal.message.contains(&excerpt(value))));
        refusal.param = own.map(str::to_owned);
    }
    LadderError::Refused(refusal)
}

fn query(args: &Value) -> Result<AggregateQuery, Refusal> {
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

fn render(args: &Value, answer: &Aggregation, grouped: bool) -> String {
    let stream = json_string(text(args, "stream").unwrap_or_default());
    let mut line = format!("{}({stream}", text(args, "metric").unwrap_or_default());
    if let Some(field) = text(args, "field") {
        line.push_str(&format!(", {}", json_string(field)));
    }
    if !grouped {
        return format!("{line}) = {}", value_text(&answer.value));
    }
    let group = text(args, "group_by").or(text(args, "group_by_time")).unwrap_or_default();
    line.push_str(&format!(
        ") by {}: {} group(s), other_count={}",
        json_string(group),
        answer.groups.len(),
        answer.other_count
    ));
    for (index, GroupCount { key, count }) in answer.groups.iter().enumerate() {
        let next = format!("\n{} = {count}", value_text(key));
        if Bytes::of(&line).get() + next.len() as u64 + 60 > budget::TEXT.get() {
            line.push_str(&format!("\nmore_groups={} in structured content", answer.groups.len() - index));
            break;
        }
        line.push_str(&next);
    }
    line
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => json_string(short(text, KEY)),
        other => short(&other.to_string(), KEY).to_owned(),
    }
}
