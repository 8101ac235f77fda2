//! Computes numbers about records, a page of values at a time.
//!
//! The arithmetic is done here and not by the engines: they differ in how they add, compare and cut times.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::row::Row;
use crate::embedded::statement::Statement;
use crate::error::{Failure, Result};
use crate::query::{AggregateQuery, Aggregation, Granularity, Group, GroupCount, Metric};
use crate::shape::FieldKind;
use crate::time;
use crate::token::Caller;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Zoned};
use rust_decimal::Decimal;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use stepwell_contract::{Code, Refusal};

/// How many values are held at a time.
const PAGE: i64 = 2_000;

/// How many groups are told apart. Beyond that the answer would be a list of the records themselves.
const GROUPS_MAX: usize = 100_000;

impl Embedded {
    /// Computes a number about a stream's records.
    pub(super) async fn compute(&self, caller: &Caller, query: &AggregateQuery) -> Result<Aggregation> {
        let zone = check(query)?;
        let scopes =
            self.scopes_of(caller, std::slice::from_ref(&query.stream), query.connection.as_ref()).await?;
        let group_field = match &query.group {
            Some(Group::Field(field) | Group::Time { field, .. }) => Some(field.clone()),
            None => None,
        };
        let named: Vec<String> = query.field.iter().chain(&group_field).cloned().collect();
        let mut sums = Sums::new(query, zone);
        for granted in &scopes {
            self.require_granted(caller, granted.scope, &named).await?;
            self.require_conditions(caller, std::slice::from_ref(granted), &query.conditions).await?;
            let mut after = 0;
            loop {
                let (field, group) = (query.field.clone(), group_field.clone());
                let params = bind![
                    caller.grant(),
                    time::now(),
                    granted.scope,
                    after,
                    field.unwrap_or_default(),
                    group.unwrap_or_default(),
                    PAGE,
                ];
                let rows = self.read(Statement::Values, params).await?;
                let full = rows.len() as i64 == PAGE;
                let mut values = Vec::with_capacity(rows.len());
                for mut row in rows {
                    after = row.int()?;
                    values.push((after, row));
                }
                if !query.conditions.is_empty() {
                    let records = values.iter().map(|(record, _)| *record).collect();
                    let met = self.meeting(caller, granted.scope, records, &query.conditions).await?;
                    values.retain(|(record, _)| met.contains(record));
                }
                for (_, mut row) in values {
                    sums.add(&mut row)?;
                }
                if !full {
                    break;
                }
            }
        }
        Ok(sums.finish(query))
    }
}

/// Checks what the parts of a question need of each other; gives the time zone.
fn check(query: &AggregateQuery) -> Result<TimeZone, Refusal> {
    let wrong =
        |param: &str, message: String| Err(Refusal::new(Code::InvalidArguments, message).param(param));
    match (query.metric, &query.field) {
        (Metric::Count, Some(_)) => return wrong("field", "count counts records and takes no field".into()),
        (Metric::Count, None) | (_, Some(_)) => {}
        (_, None) => return wrong("field", "this metric needs a field".into()),
    }
    if query.group.is_some() && query.metric != Metric::Count {
        return wrong("metric", "groups can be counted only: use the metric count".into());
    }
    let Some(Group::Time { time_zone, .. }) = &query.group else { return Ok(TimeZone::UTC) };
    TimeZone::get(time_zone)
        .or_else(|_| wrong("time_zone", "no such time zone: write a name such as Europe/Zurich".into()))
}

struct Sums<'a> {
    query: &'a AggregateQuery,
    zone: TimeZone,
    records: u64,
    exact: Option<Decimal>,
    rough: f64,
    numbers: u64,
    least: Option<Value>,
    most: Option<Value>,
    different: HashSet<Vec<u8>>,
    groups: HashMap<String, u64>,
    ungrouped: u64,
}

impl<'a> Sums<'a> {
    fn new(query: &'a AggregateQuery, zone: TimeZone) -> Self {
        Self {
            query,
            zone,
            records: 0,
            exact: Some(Decimal::ZERO),
            rough: 0.0,
            numbers: 0,
            least: None,
            most: None,
            different: HashSet::new(),
            groups: HashMap::new(),
            ungrouped: 0,
        }
    }

    fn add(&mut self, row: &mut Row) -> Result<(), Failure> {
        self.records += 1;
        let _time = row.int()?;
        let (kind, inline) = (kind_of(row)?, row.text_or_null()?);
        let digest = row.bytes_or_null()?;
        let value = value_of(kind, inline);
        match self.query.metric {
            Metric::Count => {}
            Metric::Sum => self.sum(&value),
            Metric::Min => keep(&mut self.least, value, Ordering::Less),
            Metric::Max => keep(&mut self.most, value, Ordering::Greater),
            Metric::CountDistinct => {
                if kind.is_some_and(|kind| kind != FieldKind::Empty) {
                    self.different.extend(digest);
                }
            }
        }
        let group = value_of(kind_of(row)?, row.text_or_null()?);
        if self.query.group.is_some() {
            self.group(group);
        }
        Ok(())
    }

    /// Adds decimally as long as the digits suffice, because people add money.
    fn sum(&mut self, value: &Value) {
        let Value::Number(number) = value else { return };
        let text = number.to_string();
        let decimal = text.parse::<Decimal>().or_else(|_| Decimal::from_scientific(&text)).ok();
        self.exact = self.exact.and_then(|sum| sum.checked_add(decimal?));
        self.rough += number.as_f64().unwrap_or_default();
        self.numbers += 1;
    }

    fn group(&mut self, value: Value) {
        let key = match (&self.query.group, &value) {
            (_, Value::Null) => Value::Null,
            (Some(Group::Time { granularity, .. }), value) => {
                let moment =
                    time::of_json(&value.to_string()).and_then(|at| Timestamp::from_millisecond(at).ok());
                let start = moment.and_then(|at| start_of(&at.to_zoned(self.zone.clone()), *granularity));
                start.map_or(Value::Null, |start| {
                    Value::from(start.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string())
                })
            }
            _ => value,
        };
        let key = key.to_string();
        if self.groups.len() < GROUPS_MAX || self.groups.contains_key(&key) {
            *self.groups.entry(key).or_default() += 1;
        } else {
            self.ungrouped += 1;
        }
    }

    fn finish(self, query: &AggregateQuery) -> Aggregation {
        let value = match query.metric {
            Metric::Count => Value::from(self.records),
            Metric::CountDistinct => Value::from(self.different.len()),
            Metric::Min => self.least.unwrap_or(Value::Null),
            Metric::Max => self.most.unwrap_or(Value::Null),
            Metric::Sum if self.numbers == 0 => Value::Null,
            Metric::Sum => {
                let exact =
                    self.exact.and_then(|sum| serde_json::from_str(&sum.normalize().to_string()).ok());
                exact.unwrap_or_else(|| Value::from(self.rough))
            }
        };
        let in_order_of_time = matches!(query.group, Some(Group::Time { .. }));
        let mut groups: Vec<(String, u64)> = self.groups.into_iter().collect();
        groups.sort_by(|a, b| {
            if in_order_of_time { a.0.cmp(&b.0) } else { b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)) }
        });
        let left_out = groups.split_off(groups.len().min(query.limit));
        let other_count = left_out.iter().map(|(_, count)| count).sum::<u64>() + self.ungrouped;
        let group = |(key, count): (String, u64)| GroupCount {
            key: serde_json::from_str(&key).unwrap_or_default(),
            count,
        };
        Aggregation {
            value,
            records: self.records,
            groups: groups.into_iter().map(group).collect(),
            other_count,
        }
    }
}

fn kind_of(row: &mut Row) -> Result<Option<FieldKind>, Failure> {
    Ok(row.int_or_null()?.and_then(FieldKind::from_code))
}

/// A short value as JSON; null for what is missing, long or binary.
fn value_of(kind: Option<FieldKind>, inline: Option<String>) -> Value {
    match (kind, inline) {
        (Some(FieldKind::Text), Some(text)) => Value::String(text),
        (Some(_), Some(json)) => serde_json::from_str(&json).unwrap_or_default(),
        _ => Value::Null,
    }
}

/// Keeps the value that lies further in a direction. Numbers come before texts; other kinds have no order.
fn keep(kept: &mut Option<Value>, value: Value, direction: Ordering) {
    let Some(order) = kept.as_ref().map_or(Some(direction), |kept| compare(&value, kept)) else { return };
    if order == direction && matches!(value, Value::Number(_) | Value::String(_)) {
        *kept = Some(value);
    }
}

fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64()?.partial_cmp(&b.as_f64()?),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Number(_), Value::String(_)) => Some(Ordering::Less),
        (Value::String(_), Value::Number(_)) => Some(Ordering::Greater),
        _ => None,
    }
}

/// The first moment of the stretch of time that a moment lies in, by the clocks of its own zone.
fn start_of(at: &Zoned, granularity: Granularity) -> Option<Zoned> {
    let day = || at.start_of_day().ok();
    match granularity {
        Granularity::Minute => at.with().second(0).subsec_nanosecond(0).build().ok(),
        Granularity::Hour => at.with().minute(0).second(0).subsec_nanosecond(0).build().ok(),
        Granularity::Day => day(),
        Granularity::Week => {
            let since_monday = i64::from(at.weekday().since(Weekday::Monday));
            day()?.checked_sub(since_monday.days()).ok()?.start_of_day().ok()
        }
        Granularity::Month => day()?.first_of_month().ok()?.start_of_day().ok(),
        Granularity::Quarter => {
            let month = (at.month() - 1) / 3 * 3 + 1;
            day()?.with().day(1).month(month).build().ok()?.start_of_day().ok()
        }
        Granularity::Year => day()?.first_of_year().ok()?.start_of_day().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_of_time_follow_the_clocks_of_their_zone() {
        let zone = TimeZone::get("Europe/Zurich").unwrap();
        // 2026-03-29 is the day on which the clocks go forward there.
        let at = "2026-03-29T21:30:15Z".parse::<Timestamp>().unwrap().to_zoned(zone);
        let start =
            |granularity| start_of(&at, granularity).unwrap().strftime("%Y-%m-%dT%H:%M%:z").to_string();
        assert_eq!(start(Granularity::Minute), "2026-03-29T23:30+02:00");
        assert_eq!(start(Granularity::Hour), "2026-03-29T23:00+02:00");
        assert_eq!(start(Granularity::Day), "2026-03-29T00:00+01:00");
        assert_eq!(start(Granularity::Week), "2026-03-23T00:00+01:00");
        assert_eq!(start(Granularity::Month), "2026-03-01T00:00+01:00");
        assert_eq!(start(Granularity::Quarter), "2026-01-01T00:00+01:00");
        assert_eq!(start(Granularity::Year), "2026-01-01T00:00+01:00");
    }

    #[test]
    fn keeps_the_least_and_the_most() {
        let pick = |direction| {
            let mut kept = None;
            for json in ["null", "3", "true", "-2.5", "\"b\"", "\"a\"", "[]"] {
                keep(&mut kept, serde_json::from_str(json).unwrap(), direction);
            }
            kept.unwrap().to_string()
        };
        assert_eq!(pick(Ordering::Less), "-2.5");
        assert_eq!(pick(Ordering::Greater), "\"b\"");
    }
}
