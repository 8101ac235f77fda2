//! Lists records by the value of a field.
//!
//! Values are compared as they are spelled here and not by the engines, which differ in how they read numbers and order
//! text. Where the index of values has them in their order, a page is read along it. Else a page walks the stream once
//! and keeps no more records than it shows.

mod index;

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::catalogue::Granted;
use crate::embedded::page::{self, Place};
use crate::embedded::records::Listed;
use crate::embedded::row::Row;
use crate::embedded::shown::Shown;
use crate::embedded::statement::Statement;
use crate::error::{Failure, Result};
use crate::ordered;
use crate::prepare::nul;
use crate::query::{Order, RecordsPage, RecordsQuery};
use crate::shape::FieldKind;
use crate::time;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use stepwell_contract::unit::slice;
use stepwell_contract::{Chars, Span};

/// How many values are held at a time.
const PAGE: i64 = 2_000;

/// How many records are taken from the index together if not all of them may be shown.
const BATCH: usize = 128;

/// How much of a text tells in its order, so that a bookmark stays short.
const TELLING: Chars = Chars(128);

/// A value in the order of all values: numbers, then moments, then other texts. What has no order has no such value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Key {
    Number(String),
    Moment(String),
    Text(String),
}

/// Where a record stands. Those without a value come last, whichever way the list runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Spot {
    key: Option<Key>,
    connection: String,
    #[serde(deserialize_with = "page::without_nul")]
    record: String,
}

impl Embedded {
    /// Lists a page of records by a granted field's value.
    pub(super) async fn list_sorted(
        &self,
        query: &RecordsQuery,
        field: &str,
        scopes: &[Granted],
        shown: &Shown,
    ) -> Result<RecordsPage> {
        let connection = query.connection.as_ref().map_or("", |id| id.as_str());
        let (told, way) = (format!("{:?}", query.conditions), format!("{:?}", query.order));
        let asked = page::asked(&["sorted", query.stream.as_str(), connection, field, &way, &told]);
        let after: Option<Spot> =
            query.cursor.as_deref().map(|cursor| page::open(cursor, &asked)).transpose()?;
        let mut best: Vec<(Spot, Listed<'_>)> = Vec::new();
        for granted in scopes {
            best.extend(match self.along_index(query, field, granted, after.as_ref()).await? {
                Some(found) => found,
                None => self.by_walking(query, field, granted, after.as_ref()).await?,
            });
        }
        best.sort_by(|(a, _), (b, _)| a.cmp(b, query.order));
        let has_more = best.len() > query.limit;
        best.truncate(query.limit);
        let next_cursor = best.last().filter(|_| has_more).map(|(spot, _)| page::bookmark(&asked, spot));
        let listed: Vec<Listed<'_>> = best.into_iter().map(|(_, listed)| listed).collect();
        let records = self.view_all(&listed, shown).await?;
        Ok(RecordsPage { records, removed: Vec::new(), next_cursor, next_changes_since: None })
    }

    /// As many records of a stream as a page can show and one more, from the index; none if it does not have their order.
    async fn along_index<'a>(
        &self,
        query: &RecordsQuery,
        field: &str,
        granted: &'a Granted,
        after: Option<&Spot>,
    ) -> Result<Option<Vec<(Spot, Listed<'a>)>>> {
        let Some(sections) = self.sections(granted, field, query.order).await? else {
            return Ok(None);
        };
        let all = query.conditions.is_empty();
        let most = if all { query.limit + 1 } else { BATCH };
        let (mut best, mut after) = (Vec::new(), after.cloned());
        loop {
            let Some(found) = sections.next(self, after.as_ref(), most).await? else {
                return Ok(None);
            };
            let is_full = found.len() == most;
            after = found.last().map(|(spot, _)| spot.clone());
            best.extend(self.meeting_all(query, granted, found).await?);
            if best.len() > query.limit || !is_full {
                return Ok(Some(best));
            }
        }
    }

    /// The same from a walk through the whole stream.
    async fn by_walking<'a>(
        &self,
        query: &RecordsQuery,
        field: &str,
        granted: &'a Granted,
        after: Option<&Spot>,
    ) -> Result<Vec<(Spot, Listed<'a>)>> {
        let (mut best, mut last) = (Vec::new(), String::new());
        loop {
            let params =
                bind![granted.grant.as_str(), time::now(), granted.scope, last.as_str(), field, PAGE];
            let rows = self.read(Statement::SortValues, params).await?;
            let is_full = rows.len() as i64 == PAGE;
            let mut values = Vec::with_capacity(rows.len());
            for mut row in rows {
                let (spot, listed) = valued(&mut row, granted)?;
                last.clone_from(&spot.record);
                if after.is_none_or(|after| spot.cmp(after, query.order).is_gt()) {
                    values.push((spot, listed));
                }
            }
            best.extend(self.meeting_all(query, granted, values).await?);
            best.sort_by(|(a, _): &(Spot, _), (b, _)| a.cmp(b, query.order));
            best.truncate(query.limit + 1);
            if !is_full {
                return Ok(best);
            }
        }
    }

    /// Keeps the records that meet all conditions.
    async fn meeting_all<'a>(
        &self,
        query: &RecordsQuery,
        granted: &Granted,
        mut values: Vec<(Spot, Listed<'a>)>,
    ) -> Result<Vec<(Spot, Listed<'a>)>> {
        if !query.conditions.is_empty() {
            let records = values.iter().map(|(_, listed)| listed.record).collect();
            let met = self.meeting(granted, records, &query.conditions).await?;
            values.retain(|(_, listed)| met.contains(&listed.record));
        }
        Ok(values)
    }
}

/// Reads a record with the value that it is sorted by.
fn valued<'a>(row: &mut Row, granted: &'a Granted) -> Result<(Spot, Listed<'a>), Failure> {
    let (record, rid, time, emitted_at) = (row.int()?, row.text()?, row.int()?, row.int()?);
    let (kind, value, nul_as) = (row.int_or_null()?, row.text_or_null()?, row.int_or_null()?);
    let nul_as = nul_as.and_then(|code| char::from_u32(u32::try_from(code).ok()?));
    let value = value.map(|value| nul::restore(value, nul_as));
    let key = kind.and_then(FieldKind::from_code).zip(value).and_then(Key::of);
    let connection = granted.connection.to_string();
    let spot = Spot { key, connection: connection.clone(), record: rid.clone() };
    let place = Place { time, connection, stream: granted.stream.to_string(), record: rid };
    Ok((spot, Listed { granted, record, place, emitted_at }))
}

impl Spot {
    fn cmp(&self, other: &Self, order: Order) -> Ordering {
        let directed = |ordering: Ordering| match order {
            Order::Ascending => ordering,
            Order::Descending => ordering.reverse(),
        };
        let keys = match (&self.key, &other.key) {
            (Some(one), Some(two)) => directed(one.cmp(two)),
            (one, two) => one.is_none().cmp(&two.is_none()),
        };
        let identity = (&self.connection, &self.record).cmp(&(&other.connection, &other.record));
        keys.then(directed(identity))
    }
}

impl Key {
    fn of((kind, value): (FieldKind, String)) -> Option<Self> {
        match kind {
            FieldKind::Number => Some(Self::Number(value)),
            FieldKind::Text => Some(match ordered::moment(&value) {
                Some(_) => Self::Moment(value),
                None => Self::Text(slice(&value, Span::at(Chars::ZERO, TELLING)).to_owned()),
            }),
            FieldKind::Boolean => Some(Self::Text(value)),
            FieldKind::Json | FieldKind::Binary | FieldKind::Empty => None,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Number(_) => 0,
            Self::Moment(_) => 1,
            Self::Text(_) => 2,
        }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(one), Self::Number(two)) => ordered::number(one).cmp(&ordered::number(two)),
            (Self::Moment(one), Self::Moment(two)) => ordered::moment(one).cmp(&ordered::moment(two)),
            (Self::Text(one), Self::Text(two)) => one.cmp(two),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(value: Option<(FieldKind, &str)>, record: &str) -> Spot {
        let key = value.and_then(|(kind, value)| Key::of((kind, value.to_owned())));
        Spot { key, connection: "c".into(), record: record.into() }
    }

    #[test]
    fn values_have_one_order_and_what_has_none_comes_last_either_way() {
        let number = |text, record| spot(Some((FieldKind::Number, text)), record);
        let text = |value, record| spot(Some((FieldKind::Text, value)), record);
        let in_order = [
            number("-1e400", "a"),
            number("-2.5", "a"),
            number("-0", "a"),
            number("0.0", "b"),
            number("9007199254740992", "a"),
            number("9007199254740993", "a"),
            number("1e400", "a"),
            text("2026-01-01T00:00:00+01:00", "a"),
            text("2026-01-01", "a"),
            text("Zebra", "a"),
            text("apple", "a"),
            spot(Some((FieldKind::Boolean, "true")), "a"),
            spot(None, "a"),
            spot(Some((FieldKind::Json, "{}")), "b"),
        ];
        for (at, one) in in_order.iter().enumerate() {
            for (to, two) in in_order.iter().enumerate() {
                assert_eq!(one.cmp(two, Order::Ascending), at.cmp(&to), "{one:?} {two:?}");
                let have = one.key.is_some() && two.key.is_some() || one.key.is_none() && two.key.is_none();
                let expected = if have { to.cmp(&at) } else { at.cmp(&to) };
                assert_eq!(one.cmp(two, Order::Descending), expected, "{one:?} {two:?}");
            }
        }
    }
}
