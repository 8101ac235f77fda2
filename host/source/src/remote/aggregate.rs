//! Numbers about a stream, as the resource server computes them.

use super::Remote;
use super::ask::Ask;
use super::client::invalid;
use crate::error::Result;
use crate::query::{AggregateQuery, Aggregation, Granularity, Group, GroupCount, Metric};
use crate::token::Caller;
use serde_json::Value;

impl Remote {
    pub(super) async fn compute(&self, caller: &Caller, query: &AggregateQuery) -> Result<Aggregation> {
        let mut ask = Ask::stream(query.stream.as_str(), &["aggregate"])
            .with("metric", metric(query.metric))
            .maybe("field", query.field.as_deref());
        match &query.group {
            None => {}
            Some(Group::Field(field)) => ask = ask.with("group_by", field),
            Some(Group::Time { field, granularity, time_zone }) => {
                ask = ask
                    .with("group_by_time", field)
                    .with("granularity", self::granularity(*granularity))
                    .with("time_zone", time_zone);
            }
        }
        if query.group.is_some() {
            ask = ask.with("limit", query.limit);
        }
        let ask = ask.connection(query.connection.as_ref()).conditions(&query.conditions);
        let answer = self.get(caller, &ask).await?;
        aggregation(&self.client.value(answer).await?, query)
    }
}

fn aggregation(answer: &Value, query: &AggregateQuery) -> Result<Aggregation> {
    let records = answer["filtered_record_count"].as_u64();
    let records = match (records, query.metric, &query.group) {
        (Some(records), ..) => records,
        (None, Metric::Count, None) => answer["value"].as_u64().unwrap_or_default(),
        (None, ..) => return Err(invalid("it does not say how many records it is about").into()),
    };
    let value = match (&answer["value"], query.metric, &query.group) {
        (Value::Null, Metric::Count, None) => Value::from(records),
        (value, ..) => value.clone(),
    };
    let groups = answer["groups"].as_array().map(Vec::as_slice).unwrap_or_default();
    let group = |group: &Value| {
        let count = group["count"].as_u64().ok_or_else(|| invalid("a group in it has no count"))?;
        Ok(GroupCount { key: group["key"].clone(), count })
    };
    Ok(Aggregation {
        value,
        records,
        groups: groups.iter().map(group).collect::<Result<_>>()?,
        other_count: answer["other_count"].as_u64().unwrap_or_default(),
        approximate: answer["approximate"] == true,
    })
}

const fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::Count => "count",
        Metric::Sum => "sum",
        Metric::Min => "min",
        Metric::Max => "max",
        Metric::CountDistinct => "count_distinct",
    }
}

const fn granularity(granularity: Granularity) -> &'static str {
    match granularity {
        Granularity::Minute => "minute",
        Granularity::Hour => "hour",
        Granularity::Day => "day",
        Granularity::Week => "week",
        Granularity::Month => "month",
        Granularity::Quarter => "quarter",
        Granularity::Year => "year",
    }
}
