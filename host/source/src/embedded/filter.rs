//! Keeps the records whose values meet conditions.
//!
//! A condition that few records meet is answered from the index of values: those records are taken and put in order. If
//! every condition is met by many, the stream is walked in its order and the values are looked at, a bounded stretch at a
//! time; a page then fills up soon.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::catalogue::Granted;
use crate::embedded::page::Place;
use crate::embedded::records::{Listed, Walk};
use crate::embedded::row::Param;
use crate::embedded::statement::Statement;
use crate::error::{Result, SourceError};
use crate::filter::{Condition, Test};
use crate::ordered;
use crate::time;
use std::collections::{HashMap, HashSet};
use stepwell_contract::quote::excerpt;
use stepwell_contract::{Code, Refusal};

/// How many records one statement looks at; as many parameters as [`Statement::FilterValues`] has for them.
pub(super) const AT_ONCE: usize = 32;

/// How many records are taken in their order before their values are looked at, if a page did not fill up at once, and how
/// many at most.
const BATCH: usize = 128;
const BATCH_MAX: usize = 2_048;

/// How many records one call walks over. A page that is not full by then is handed out with the cursor that goes on.
const LOOKED_AT: usize = 20_000;

/// How many records of a stream are few.
const FEW: usize = 2_000;

impl Embedded {
    /// As [`Embedded::stretch`], of the records that meet all conditions. Gives the place where the next page starts.
    pub(super) async fn filtered_stretch<'a>(
        &self,
        scopes: &'a [Granted],
        walk: &Walk,
        after: Option<&Place>,
        limit: usize,
        conditions: &[Condition],
    ) -> Result<(Vec<Listed<'a>>, Option<Place>)> {
        if conditions.is_empty() {
            let (listed, more) = self.stretch(scopes, walk, after, limit).await?;
            let next = more.then(|| listed.last()).flatten().map(|last| last.place.clone());
            return Ok((listed, next));
        }
        // A search has its own order of what is few.
        let mut try_few = walk.is_of_all();
        // One value is mostly that of few records.
        if try_few && conditions.iter().any(|condition| condition.test == Test::Equal) {
            if let Some(few) = self.few_of_all(scopes, conditions).await? {
                return Ok(page_of(few, walk, after, limit));
            }
            try_few = false;
        }
        // A page's worth of records first, and half as many again: where most records meet the conditions, they fill it.
        let (start, mut batch) = (after, limit + limit / 2 + 1);
        let (mut kept, mut looked_at, mut after) = (Vec::new(), 0, after.cloned());
        loop {
            let (listed, more) = self.stretch(scopes, walk, after.as_ref(), batch).await?;
            looked_at += listed.len();
            after = listed.last().map(|last| last.place.clone());
            for one in self.keep(listed, conditions).await? {
                if kept.len() == limit {
                    let next = kept.last().map(|last: &Listed<'_>| last.place.clone());
                    return Ok((kept, next));
                }
                kept.push(one);
            }
            if !more || looked_at >= LOOKED_AT {
                return Ok((kept, after.filter(|_| more)));
            }
            if std::mem::take(&mut try_few)
                && let Some(few) = self.few_of_all(scopes, conditions).await?
            {
                return Ok(page_of(few, walk, start, limit));
            }
            batch = (4 * batch).clamp(BATCH, BATCH_MAX).min(LOOKED_AT.saturating_sub(looked_at).max(1));
        }
    }

    /// Refuses conditions on fields that are not granted in all of the streams: whether one holds would tell a value.
    pub(super) async fn require_conditions(
        &self,
        scopes: &[Granted],
        conditions: &[Condition],
    ) -> Result<()> {
        if conditions.is_empty() {
            return Ok(());
        }
        let fields: Vec<String> = conditions.iter().map(|condition| condition.field.clone()).collect();
        for granted in scopes {
            self.require_granted(&granted.grant, granted.scope, &fields).await.map_err(
                |error| match error {
                    SourceError::Refused(refusal) => SourceError::from((*refusal).param("filter")),
                    other => other,
                },
            )?;
        }
        if let Some(field) = fields.iter().find(|field| field.len() > ordered::NAME_MAX) {
            let most = ordered::NAME_MAX;
            let message = format!("the field {} has a name of more than {most} bytes", excerpt(field));
            return Err(Refusal::new(Code::InvalidFilter, message).param("filter").into());
        }
        Ok(())
    }

    /// The records of all streams that meet all conditions, in no order, if they are few.
    async fn few_of_all<'a>(
        &self,
        scopes: &'a [Granted],
        conditions: &[Condition],
    ) -> Result<Option<Vec<Listed<'a>>>> {
        let mut all = Vec::new();
        for granted in scopes {
            match self.few(granted, conditions).await? {
                Some(few) => all.extend(few),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// The records of one stream that meet all conditions, in no order, if one of the conditions is met by few.
    pub(super) async fn few<'a>(
        &self,
        granted: &'a Granted,
        conditions: &[Condition],
    ) -> Result<Option<Vec<Listed<'a>>>> {
        for (index, condition) in conditions.iter().enumerate() {
            let mut rows = Vec::new();
            for range in condition.ranges() {
                let params = bind![
                    granted.grant.as_str(),
                    time::now(),
                    granted.scope,
                    condition.field.as_str(),
                    &range.from[..],
                    &range.to[..],
                    FEW as i64 + 1,
                ];
                rows.extend(self.read(Statement::FilteredRecords, params).await?);
            }
            if rows.len() > FEW {
                continue;
            }
            let mut listed = Vec::with_capacity(rows.len());
            for mut row in rows {
                let (record, rid, time, emitted_at) = (row.int()?, row.text()?, row.int()?, row.int()?);
                let (connection, stream) = (granted.connection.to_string(), granted.stream.to_string());
                let place = Place { time, connection, stream, record: rid };
                listed.push(Listed { granted, record, place, emitted_at });
            }
            let others: Vec<Condition> = [&conditions[..index], &conditions[index + 1..]].concat();
            return Ok(Some(self.keep(listed, &others).await?));
        }
        Ok(None)
    }

    async fn keep<'a>(&self, listed: Vec<Listed<'a>>, conditions: &[Condition]) -> Result<Vec<Listed<'a>>> {
        let mut by_scope: HashMap<i64, (&Granted, Vec<i64>)> = HashMap::new();
        for one in &listed {
            by_scope.entry(one.granted.scope).or_insert((one.granted, Vec::new())).1.push(one.record);
        }
        let mut met = HashSet::new();
        for (granted, records) in by_scope.into_values() {
            met.extend(self.meeting(granted, records, conditions).await?);
        }
        Ok(listed.into_iter().filter(|one| met.contains(&one.record)).collect())
    }

    /// The records of a stream that meet all conditions, among those that are named.
    pub(super) async fn meeting(
        &self,
        granted: &Granted,
        mut records: Vec<i64>,
        conditions: &[Condition],
    ) -> Result<HashSet<i64>> {
        for condition in conditions {
            let ranges = condition.ranges();
            let mut met = HashSet::new();
            for some in records.chunks(AT_ONCE) {
                let (grant, field) = (granted.grant.as_str(), condition.field.as_str());
                let mut params = bind![grant, time::now(), granted.scope, field];
                params.extend(padded(some));
                for mut row in self.read(Statement::FilterValues, params).await? {
                    let (record, value) = (row.int()?, row.bytes_or_null()?.unwrap_or_default());
                    if ranges.iter().any(|range| range.contains(&value)) {
                        met.insert(record);
                    }
                }
            }
            records = met.into_iter().collect();
        }
        Ok(records.into_iter().collect())
    }
}

/// A page of a few records: those after a place, in the order of a walk.
fn page_of<'a>(
    mut few: Vec<Listed<'a>>,
    walk: &Walk,
    after: Option<&Place>,
    limit: usize,
) -> (Vec<Listed<'a>>, Option<Place>) {
    let descending = walk.descending();
    if walk.by_emission() {
        few.iter_mut().for_each(|one| one.place.time = one.emitted_at);
    }
    few.retain(|one| {
        after.is_none_or(|after| if descending { one.place < *after } else { one.place > *after })
    });
    few.sort_by(|a, b| if descending { b.place.cmp(&a.place) } else { a.place.cmp(&b.place) });
    let more = few.len() > limit;
    few.truncate(limit);
    let next = few.last().filter(|_| more).map(|last| last.place.clone());
    (few, next)
}

/// As many parameters as a statement has for records. No record has a negative number.
pub(super) fn padded(records: &[i64]) -> impl Iterator<Item = Param> + '_ {
    records.iter().copied().chain(std::iter::repeat(-1)).take(AT_ONCE).map(Param::from)
}
