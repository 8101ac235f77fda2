//! Keeps the records whose values meet conditions, a bounded stretch at a time.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::catalogue::Granted;
use crate::embedded::page::Place;
use crate::embedded::records::Listed;
use crate::embedded::row::Param;
use crate::embedded::statement::Statement;
use crate::error::{Result, SourceError};
use crate::filter::Condition;
use crate::shape::FieldKind;
use crate::time;
use crate::token::Caller;
use std::collections::{HashMap, HashSet};

/// How many records one statement looks at; as many parameters as [`Statement::FilterValues`] has for them.
const AT_ONCE: usize = 32;

/// How many records are taken in their order before their values are looked at.
const BATCH: usize = 128;

/// How many records one call looks at. A page that is not full by then is handed out with the cursor that goes on.
const LOOKED_AT: usize = 20_000;

impl Embedded {
    /// As [`Embedded::stretch`], of the records that meet all conditions. Gives the place where the next page starts.
    #[expect(clippy::too_many_arguments, reason = "a stretch and its conditions")]
    pub(super) async fn filtered_stretch<'a>(
        &self,
        caller: &Caller,
        scopes: &'a [Granted],
        statement: Statement,
        after: Option<&Place>,
        limit: usize,
        further: &[Param],
        conditions: &[Condition],
    ) -> Result<(Vec<Listed<'a>>, Option<Place>)> {
        if conditions.is_empty() {
            let (listed, more) = self.stretch(caller, scopes, statement, after, limit, further).await?;
            let next = more.then(|| listed.last()).flatten().map(|last| last.place.clone());
            return Ok((listed, next));
        }
        let (mut kept, mut looked_at, mut after) = (Vec::new(), 0, after.cloned());
        loop {
            let (listed, more) =
                self.stretch(caller, scopes, statement, after.as_ref(), BATCH, further).await?;
            looked_at += listed.len();
            after = listed.last().map(|last| last.place.clone());
            for one in self.keep(caller, listed, conditions).await? {
                if kept.len() == limit {
                    let next = kept.last().map(|last: &Listed<'_>| last.place.clone());
                    return Ok((kept, next));
                }
                kept.push(one);
            }
            if !more || looked_at >= LOOKED_AT {
                return Ok((kept, after.filter(|_| more)));
            }
        }
    }

    /// Refuses conditions on fields that are not granted in all of the streams: whether one holds would tell a value.
    pub(super) async fn require_conditions(
        &self,
        caller: &Caller,
        scopes: &[Granted],
        conditions: &[Condition],
    ) -> Result<()> {
        if conditions.is_empty() {
            return Ok(());
        }
        let fields: Vec<String> = conditions.iter().map(|condition| condition.field.clone()).collect();
        for granted in scopes {
            self.require_granted(caller, granted.scope, &fields).await.map_err(|error| match error {
                SourceError::Refused(refusal) => SourceError::from((*refusal).param("filter")),
                other => other,
            })?;
        }
        Ok(())
    }

    async fn keep<'a>(
        &self,
        caller: &Caller,
        listed: Vec<Listed<'a>>,
        conditions: &[Condition],
    ) -> Result<Vec<Listed<'a>>> {
        let mut by_scope: HashMap<i64, Vec<i64>> = HashMap::new();
        for one in &listed {
            by_scope.entry(one.granted.scope).or_default().push(one.record);
        }
        let mut met = HashSet::new();
        for (scope, records) in by_scope {
            met.extend(self.meeting(caller, scope, records, conditions).await?);
        }
        Ok(listed.into_iter().filter(|one| met.contains(&one.record)).collect())
    }

    /// The records of a stream that meet all conditions, among those that are named.
    pub(super) async fn meeting(
        &self,
        caller: &Caller,
        scope: i64,
        mut records: Vec<i64>,
        conditions: &[Condition],
    ) -> Result<HashSet<i64>> {
        for condition in conditions {
            let mut met = Vec::new();
            for some in records.chunks(AT_ONCE) {
                let mut params = bind![caller.grant(), time::now(), scope, condition.field.as_str()];
                // No record has a negative number.
                let padded = some.iter().copied().chain(std::iter::repeat(-1)).take(AT_ONCE);
                params.extend(padded.map(Param::from));
                for mut row in self.read(Statement::FilterValues, params).await? {
                    let (record, kind, value) = (row.int()?, row.int()?, row.text_or_null()?);
                    if FieldKind::from_code(kind).is_some_and(|kind| condition.holds(kind, value.as_deref()))
                    {
                        met.push(record);
                    }
                }
            }
            records = met;
        }
        Ok(records.into_iter().collect())
    }
}
