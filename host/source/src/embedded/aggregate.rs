//! Computes numbers about records, a page of values at a time.
//!
//! The arithmetic is done here and not by the engines: they differ in how they add, compare and cut times.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::catalogue::Granted;
use crate::embedded::filter::{AT_ONCE, padded};
use crate::embedded::row::Row;
use crate::embedded::statement::Statement;
use crate::error::{Failure, Result};
use crate::exact::Exact;
use crate::ordered;
use crate::prepare::nul;
use crate::query::{AggregateQuery, Aggregation, Granularity, Group, GroupCount, Metric};
use crate::shape::{Digest, FieldKind};
use crate::time;
use crate::token::Caller;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Zoned};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use stepwell_contract::{Code, Refusal};

/// How many values are held at a time.
const PAGE: i64 = 2_000;

/// How many records one call looks at.
const LOOKED_AT: usize = 1_000_000;

/// How many groups are told apart. Beyond that the answer would be a list of the records themselves.
const GROUPS_MAX: usize = 100_000;

impl Embedded {
    /// Computes a number about a stream's records.
    pub(super) async fn compute(&self, caller: &Caller, query: &AggregateQuery) -> Result<Aggregation> {
        self.compute_within(caller, query, LOOKED_AT).await
    }

    /// The same, of so many records at most.
    async fn compute_within(
        &self,
        caller: &Caller,
        query: &AggregateQuery,
        mut left: usize,
    ) -> Result<Aggregation> {
        let zone = check(query)?;
        let scopes =
            self.scopes_of(caller, std::slice::from_ref(&query.stream), query.connection.as_ref()).await?;
        let group_field = match &query.group {
            Some(Group::Field(field) | Group::Time { field, .. }) => Some(field.clone()),
            None => None,
        };
        let named: Vec<String> = query.field.iter().chain(&group_field).cloned().collect();
        for granted in &scopes {
            self.require_granted(&granted.grant, granted.scope, &named).await?;
        }
        self.require_conditions(&scopes, &query.conditions).await?;
        let (field, group) = (query.field.clone().unwrap_or_default(), group_field.unwrap_or_default());
        let mut sums = Sums::new(query, zone);
        for granted in &scopes {
            let grant = granted.grant.as_str();
            if query.conditions.is_empty() {
                let records = self.count(granted).await?;
                left = left.checked_sub(records).ok_or_else(too_many)?;
                let named = named.first().map(String::as_str);
                if self.tally(granted, named, records, &mut sums).await? {
                    continue;
                }
                left += records;
            }
            let few = match query.conditions.is_empty() {
                true => None,
                false => self.few(granted, &query.conditions).await?,
            };
            if let Some(few) = few {
                let mut records: Vec<i64> = few.iter().map(|one| one.record).collect();
                // In one order, so that a sum that has to be rounded is always rounded alike.
                records.sort_unstable();
                for some in records.chunks(AT_ONCE) {
                    let mut params = bind![grant, time::now(), granted.scope, field.as_str()];
                    params.extend(padded(some));
                    params.push(group.as_str().into());
                    let mut values = Vec::with_capacity(some.len());
                    for mut row in self.read(Statement::ValuesOf, params).await? {
                        values.push((row.int()?, row.text()?, row));
                    }
                    values.sort_unstable_by_key(|(record, ..)| *record);
                    for (_, _, mut row) in values {
                        sums.add(&mut row)?;
                    }
                }
                continue;
            }
            let mut after = String::new();
            loop {
                let (field, group) = (field.as_str(), group.as_str());
                let params = bind![grant, time::now(), granted.scope, after.as_str(), field, group, PAGE];
                let rows = self.read(Statement::Values, params).await?;
                let full = rows.len() as i64 == PAGE;
                left = left.checked_sub(rows.len()).ok_or_else(too_many)?;
                let mut values = Vec::with_capacity(rows.len());
                for mut row in rows {
                    let record = row.int()?;
                    after = row.text()?;
                    values.push((record, row));
                }
                if !query.conditions.is_empty() {
                    let records = values.iter().map(|(record, _)| *record).collect();
                    let met = self.meeting(granted, records, &query.conditions).await?;
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

    async fn count(&self, granted: &Granted) -> Result<usize> {
        let params = bind![granted.grant.as_str(), time::now(), granted.scope];
        let row = self.read(Statement::Count, params).await?.into_iter().next();
        let count = row.map(|mut row| row.int()).transpose()?.unwrap_or_default();
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Adds a stream's records by the index of values, which has each different value once; says whether it has them all.
    async fn tally(
        &self,
        granted: &Granted,
        field: Option<&str>,
        records: usize,
        sums: &mut Sums<'_>,
    ) -> Result<bool> {
        let Some(field) = field else {
            sums.records += records as u64;
            return Ok(true);
        };
        // A moment has a second entry, and is told by its first one, which is a text.
        let to = ordered::MOMENTS.range().from;
        let (grant, scope) = (granted.grant.as_str(), granted.scope);
        let (mut after, mut counted, mut pages) = (Vec::new(), 0_u64, sums.clone());
        loop {
            let params = bind![grant, time::now(), scope, field, &after[..], &to[..], PAGE];
            let rows = self.read(Statement::ValueCounts, params).await?;
            let is_full = rows.len() as i64 == PAGE;
            for mut row in rows {
                after = row.bytes_or_null()?.unwrap_or_default();
                let count = u64::try_from(row.int()?).unwrap_or_default();
                let (kind, text) = ordered::read(&after)
                    .ok_or_else(|| Failure::Store("an entry of the index of values is damaged".into()))?;
                let distinct = pages.query.metric == Metric::CountDistinct;
                let digest = distinct.then(|| Digest::of(text.as_bytes()).0.to_vec());
                let value = Short { kind: Some(kind), text: Some(text) };
                pages.add_same(&value, digest, &value, count);
                counted += count;
            }
            if !is_full {
                break;
            }
        }
        // A record that has no entry is one to be looked at by itself, and so are all of them then.
        let has_all = usize::try_from(counted).ok() == Some(records);
        if has_all {
            *sums = pages;
        }
        Ok(has_all)
    }
}

fn too_many() -> Refusal {
    Refusal::new(Code::QueryTooBroad, format!("there are more than {LOOKED_AT} records to look at"))
        .hint("narrow it by connection_id, or by a filter that fewer records meet")
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

#[derive(Clone)]
struct Sums<'a> {
    query: &'a AggregateQuery,
    zone: TimeZone,
    records: u64,
    exact: Option<Exact>,
    rough: f64,
    numbers: u64,
    least: Option<Ranked>,
    most: Option<Ranked>,
    different: HashSet<[u8; 16]>,
    groups: HashMap<String, u64>,
    stretches: Stretches,
    ungrouped: u64,
}

/// Names the stretches of time that moments lie in. Moments of one stretch mostly come after each other, and to find out when
/// a day begins by the clocks of a zone takes far longer than to see that it is the same day.
#[derive(Clone, Default)]
struct Stretches {
    last: Option<(Date, String)>,
}

impl Stretches {
    fn key(&mut self, at: Zoned, granularity: Granularity) -> Cow<'_, str> {
        let spelled = |start: Option<Zoned>| match start {
            Some(start) => format!("\"{}\"", start.strftime("%Y-%m-%dT%H:%M:%S%:z")),
            None => "null".to_owned(),
        };
        let Some(first_day) = first_day(at.date(), granularity) else {
            return Cow::Owned(spelled(start_of(&at, granularity)));
        };
        if self.last.as_ref().is_none_or(|(day, _)| *day != first_day) {
            self.last = Some((first_day, spelled(start_of(&at, granularity))));
        }
        self.last.as_ref().map_or(Cow::Borrowed("null"), |(_, key)| Cow::Borrowed(key))
    }
}

/// The first day of the stretch that a day lies in, if it has whole days.
fn first_day(day: Date, granularity: Granularity) -> Option<Date> {
    match granularity {
        Granularity::Minute | Granularity::Hour => None,
        Granularity::Day => Some(day),
        Granularity::Week => day.checked_sub(i64::from(day.weekday().since(Weekday::Monday)).days()).ok(),
        Granularity::Month => Some(day.first_of_month()),
        Granularity::Quarter => day.with().day(1).month((day.month() - 1) / 3 * 3 + 1).build().ok(),
        Granularity::Year => Some(day.first_of_year()),
    }
}

/// A value that can be the least or the most: by its spelling, which puts numbers before texts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked {
    spelled: Vec<u8>,
    json: String,
}

impl<'a> Sums<'a> {
    fn new(query: &'a AggregateQuery, zone: TimeZone) -> Self {
        Self {
            query,
            zone,
            records: 0,
            exact: Some(Exact::default()),
            rough: 0.0,
            numbers: 0,
            least: None,
            most: None,
            different: HashSet::new(),
            groups: HashMap::new(),
            stretches: Stretches::default(),
            ungrouped: 0,
        }
    }

    fn add(&mut self, row: &mut Row) -> Result<(), Failure> {
        let value = Short::of(row)?;
        let digest = row.bytes_or_null()?;
        let group = Short::of(row)?;
        self.add_same(&value, digest, &group, 1);
        Ok(())
    }

    /// Adds records with the same value, of the same group.
    fn add_same(&mut self, value: &Short, digest: Option<Vec<u8>>, group: &Short, records: u64) {
        self.records += records;
        match self.query.metric {
            Metric::Count => {}
            Metric::Sum => self.sum(value, records),
            Metric::Min => {
                let ranked = value.ranked().into_iter().chain(self.least.take());
                self.least = ranked.min();
            }
            Metric::Max => {
                let ranked = value.ranked().into_iter().chain(self.most.take());
                self.most = ranked.max();
            }
            Metric::CountDistinct => self.different.extend(value.identity(digest)),
        }
        if self.query.group.is_some() {
            self.group(group, records);
        }
    }

    fn sum(&mut self, value: &Short, records: u64) {
        let Short { kind: Some(FieldKind::Number), text: Some(json) } = value else { return };
        let (exact, rough) = (Exact::parse(json), json.parse::<f64>().unwrap_or_default());
        self.exact = self.exact.and_then(|sum| sum.checked_add(exact?.checked_times(records)?));
        self.rough += rough * records as f64;
        self.numbers += records;
    }

    fn group(&mut self, value: &Short, records: u64) {
        let key = match &self.query.group {
            Some(Group::Time { granularity, .. }) => {
                let at = match (value.kind, &value.text) {
                    (Some(FieldKind::Text), Some(text)) => time::parse(text),
                    _ => time::of_json(&value.json()),
                };
                let moment = at.and_then(|at| Timestamp::from_millisecond(at).ok());
                moment.map_or_else(
                    || Cow::Borrowed("null"),
                    |at| self.stretches.key(at.to_zoned(self.zone.clone()), *granularity),
                )
            }
            _ => Cow::Owned(value.json()),
        };
        if let Some(group) = self.groups.get_mut(&*key) {
            *group += records;
        } else if self.groups.len() < GROUPS_MAX {
            self.groups.insert(key.into_owned(), records);
        } else {
            self.ungrouped += records;
        }
    }

    fn finish(self, query: &AggregateQuery) -> Aggregation {
        let ranked = |ranked: Option<Ranked>| ranked.map_or(Value::Null, |ranked| value(&ranked.json));
        let result = match query.metric {
            Metric::Count => Value::from(self.records),
            Metric::CountDistinct => Value::from(self.different.len()),
            Metric::Min => ranked(self.least),
            Metric::Max => ranked(self.most),
            Metric::Sum if self.numbers == 0 => Value::Null,
            Metric::Sum => self.exact.map_or_else(|| Value::from(self.rough), |sum| number(&sum.to_string())),
        };
        let in_order_of_time = matches!(query.group, Some(Group::Time { .. }));
        let mut groups: Vec<(String, u64)> = self.groups.into_iter().collect();
        if in_order_of_time {
            // By the instants: when clocks are set back, the same hour comes twice. What has no moment comes last.
            groups.sort_by_cached_key(|(key, _)| {
                let start = key.trim_matches('"').parse::<Timestamp>().ok();
                (start.is_none(), start)
            });
        } else {
            groups.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        }
        let left_out = groups.split_off(groups.len().min(query.limit));
        let other_count = left_out.iter().map(|(_, count)| count).sum::<u64>() + self.ungrouped;
        let group = |(key, count): (String, u64)| GroupCount { key: value(&key), count };
        Aggregation {
            value: result,
            records: self.records,
            groups: groups.into_iter().map(group).collect(),
            other_count,
            approximate: query.metric == Metric::Sum && self.exact.is_none(),
        }
    }
}

/// A value that stands in its field's row, or none for what is missing, long or binary.
struct Short {
    kind: Option<FieldKind>,
    text: Option<String>,
}

impl Short {
    fn of(row: &mut Row) -> Result<Self, Failure> {
        let kind = row.int_or_null()?.and_then(FieldKind::from_code);
        let (inline, nul_as) = (row.text_or_null()?, row.int_or_null()?);
        let nul_as = nul_as.and_then(|code| char::from_u32(u32::try_from(code).ok()?));
        Ok(Self { kind, text: inline.map(|text| nul::restore(text, nul_as)) })
    }

    /// The value as JSON; equal numbers have equal texts.
    fn json(&self) -> String {
        match (self.kind, &self.text) {
            (Some(FieldKind::Text), Some(text)) => Value::from(text.as_str()).to_string(),
            (Some(FieldKind::Number), Some(json)) => match Exact::parse(json) {
                Some(exact) => exact.to_string(),
                None => ordered::number(json).and_then(|it| ordered::decimal(&it)).unwrap_or(json.clone()),
            },
            (Some(_), Some(json)) => json.clone(),
            _ => "null".to_owned(),
        }
    }

    /// Its place among others, if it has one: numbers come before texts, and other kinds have no order.
    fn ranked(&self) -> Option<Ranked> {
        let text = self.text.as_deref()?;
        let spelled = match self.kind? {
            FieldKind::Number => ordered::number(text)?,
            FieldKind::Text => ordered::text(text),
            _ => return None,
        };
        Some(Ranked { spelled, json: self.json() })
    }

    /// What tells it from other values; none for null. Numbers are the same however they are written.
    fn identity(&self, digest: Option<Vec<u8>>) -> Option<[u8; 16]> {
        let whole = match (self.kind?, &self.text) {
            (FieldKind::Empty, _) => return None,
            (FieldKind::Number, Some(json)) => Digest::of(&ordered::number(json)?).0.to_vec(),
            (kind, _) => Digest::of(&[&[kind.code() as u8], &digest?[..]].concat()).0.to_vec(),
        };
        whole.first_chunk().copied()
    }
}

/// Reads JSON text as a value; numbers that a reader would round become strings.
fn value(json: &str) -> Value {
    match json.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => number(json),
        _ => serde_json::from_str(json).unwrap_or_default(),
    }
}

fn number(json: &str) -> Value {
    let read: Value = serde_json::from_str(json).unwrap_or_default();
    match ordered::number(&read.to_string()) == ordered::number(json) {
        true => read,
        false => Value::from(json),
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
    fn a_stretch_that_is_remembered_is_the_one_that_would_be_found() {
        use Granularity::{Day, Hour, Month, Quarter, Week, Year};
        for zone in ["UTC", "Europe/Zurich", "America/Havana", "Asia/Beirut"] {
            let zone = TimeZone::get(zone).unwrap();
            for granularity in [Hour, Day, Week, Month, Quarter, Year] {
                let mut stretches = Stretches::default();
                for hours in 0..20_000_i64 {
                    let at = Timestamp::from_second(1_700_000_000 + hours * 5_400).unwrap();
                    let at = at.to_zoned(zone.clone());
                    let found = start_of(&at, granularity).unwrap();
                    let found = format!("\"{}\"", found.strftime("%Y-%m-%dT%H:%M:%S%:z"));
                    assert_eq!(stretches.key(at, granularity), found);
                }
            }
        }
    }

    #[test]
    fn an_hour_that_comes_twice_is_two_hours() {
        let zone = TimeZone::get("Europe/Zurich").unwrap();
        let hour = |at: &str| {
            let at = at.parse::<Timestamp>().unwrap().to_zoned(zone.clone());
            start_of(&at, Granularity::Hour).unwrap().strftime("%H:%M%:z").to_string()
        };
        // On 2026-10-25 the clocks go back from 03:00 to 02:00.
        assert_eq!(hour("2026-10-25T00:30:00Z"), "02:00+02:00");
        assert_eq!(hour("2026-10-25T01:30:00Z"), "02:00+01:00");
        assert_eq!(hour("2026-10-25T02:30:00Z"), "03:00+01:00");
    }

    #[test]
    fn numbers_keep_their_digits() {
        assert_eq!(value("12.5"), serde_json::json!(12.5));
        assert_eq!(value("9007199254740993"), serde_json::json!(9_007_199_254_740_993_u64));
        assert_eq!(value("123456789012345678901234567890"), "123456789012345678901234567890");
        assert_eq!(value("0.1234567890123456789"), "0.1234567890123456789");
        assert_eq!(value("1e400"), "1e400");
        assert_eq!(value("\"a\""), "a");
    }

    #[test]
    fn knows_the_least_and_the_most_and_what_is_the_same() {
        let short = |kind, text: &str| Short { kind: Some(kind), text: Some(text.to_owned()) };
        let list = || {
            [
                short(FieldKind::Empty, "null"),
                short(FieldKind::Number, "3"),
                short(FieldKind::Boolean, "true"),
                short(FieldKind::Number, "-2.50"),
                short(FieldKind::Text, "b"),
                short(FieldKind::Text, "a"),
                short(FieldKind::Json, "[]"),
                Short { kind: None, text: None },
            ]
        };
        assert_eq!(list().iter().filter_map(Short::ranked).min().unwrap().json, "-2.5");
        assert_eq!(list().iter().filter_map(Short::ranked).max().unwrap().json, "\"b\"");
        let same = |one: &str, two: &str| {
            short(FieldKind::Number, one).identity(None) == short(FieldKind::Number, two).identity(None)
        };
        assert!(same("12.5", "12.50") && same("1e3", "1000") && !same("1", "2"));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn too_many_records_are_refused_and_not_guessed_at() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        let store = crate::sqlite::open(&path, crate::sqlite::Missing::Create).await.unwrap();
        crate::embedded::fill_with_every_kind(&store).await;
        let stream = stepwell_contract::StreamName::new("things").unwrap();
        let request = crate::grant::GrantRequest {
            client: "c".into(),
            subject: "s".into(),
            purpose: None,
            expires_at: None,
            streams: vec![crate::grant::StreamRequest {
                name: stream.clone(),
                connections: Vec::new(),
                fields: None,
                since: None,
                until: None,
                resources: None,
            }],
        };
        let (_, token) = store.create_grant(&request).await.unwrap();
        let caller = crate::source::Source::authenticate(&store, &token).await.unwrap();
        let query = AggregateQuery {
            stream,
            connection: None,
            metric: Metric::Count,
            field: None,
            group: None,
            conditions: Vec::new(),
            limit: 1,
        };
        assert_eq!(store.compute_within(&caller, &query, 2).await.unwrap().records, 2);
        let refused = store.compute_within(&caller, &query, 1).await.unwrap_err();
        assert_eq!(refused.refusal().unwrap().code, Code::QueryTooBroad);
    }
}
