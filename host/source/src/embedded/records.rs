//! Lists records: a stretch from each connection, merged into one order.

use crate::bind;
use crate::embedded::catalogue::Granted;
use crate::embedded::page::{self, Place};
use crate::embedded::row::Param;
use crate::embedded::statement::Statement;
use crate::embedded::{Embedded, locate};
use crate::error::{Failure, Result};
use crate::prepare::nul;
use crate::query::{Order, RecordsPage, RecordsQuery};
use crate::shape::{FieldView, RecordIdentity, RecordView};
use crate::time::{self, Millis};
use crate::token::Caller;
use stepwell_contract::RecordId;

/// A record of a stretch, before its fields are read.
pub(super) struct Listed<'a> {
    pub(super) granted: &'a Granted,
    pub(super) record: i64,
    pub(super) place: Place,
}

impl Embedded {
    /// Lists a page of a stream's records.
    pub(super) async fn list_records(&self, caller: &Caller, query: &RecordsQuery) -> Result<RecordsPage> {
        let scopes =
            self.scopes_of(caller, std::slice::from_ref(&query.stream), query.connection.as_ref()).await?;
        if let Some(fields) = &query.fields {
            for granted in &scopes {
                self.require_granted(caller, granted.scope, fields).await?;
            }
        }
        let descending = query.order == Order::Descending;
        let statement = if descending { Statement::ListNewest } else { Statement::ListOldest };
        let connection = query.connection.as_ref().map_or("", |id| id.as_str());
        let conditions = &query.conditions;
        self.require_conditions(caller, &scopes, conditions).await?;
        let told = format!("{conditions:?}");
        let asked = page::asked(&["records", query.stream.as_str(), connection, statement.name(), &told]);
        let after = query.cursor.as_deref().map(|cursor| page::open(cursor, &asked)).transpose()?;
        let (listed, next) = self
            .filtered_stretch(caller, &scopes, statement, after.as_ref(), query.limit, &[], conditions)
            .await?;
        let next_cursor = next.map(|place| page::bookmark(&asked, &place));
        let mut records = Vec::with_capacity(listed.len());
        for one in &listed {
            records.push(self.view_listed(caller, one, query.fields.as_deref()).await?);
        }
        Ok(RecordsPage { records, next_cursor })
    }

    /// Takes a stretch from each connection's stream and merges them; says whether there is more.
    pub(super) async fn stretch<'a>(
        &self,
        caller: &Caller,
        scopes: &'a [Granted],
        statement: Statement,
        after: Option<&Place>,
        limit: usize,
        further: &[Param],
    ) -> Result<(Vec<Listed<'a>>, bool)> {
        let descending = statement != Statement::ListOldest;
        let start = if descending { Millis::MAX } else { Millis::MIN };
        let mut listed = Vec::new();
        for granted in scopes {
            let (time, key, same_moment) = match after {
                None => (start, "", 1),
                Some(place) => {
                    let same =
                        place.same_moment(granted.connection.as_str(), granted.stream.as_str(), descending);
                    (place.time, place.record.as_str(), same)
                }
            };
            let one_more = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
            let mut params =
                bind![caller.grant(), time::now(), granted.scope, time, key, same_moment, one_more];
            params.extend_from_slice(further);
            for mut row in self.read(statement, params).await? {
                let (record, rid, time) = (row.int()?, row.text()?, row.int()?);
                let connection = granted.connection.to_string();
                let place = Place { time, connection, stream: granted.stream.to_string(), record: rid };
                listed.push(Listed { granted, record, place });
            }
        }
        listed.sort_by(|a, b| if descending { b.place.cmp(&a.place) } else { a.place.cmp(&b.place) });
        let more = listed.len() > limit;
        listed.truncate(limit);
        Ok((listed, more))
    }

    /// Reads the granted fields of a listed record.
    pub(super) async fn view_listed(
        &self,
        caller: &Caller,
        listed: &Listed<'_>,
        only: Option<&[String]>,
    ) -> Result<RecordView> {
        let granted = listed.granted;
        let record = RecordId::new(listed.place.record.clone())
            .map_err(|rule| Failure::Store(format!("a stored key {rule}")))?;
        let identity =
            RecordIdentity { connection: granted.connection.clone(), stream: granted.stream.clone(), record };
        Ok(RecordView {
            identity,
            connector: granted.connector.clone(),
            label: granted.label.clone(),
            time: listed.place.time,
            fields: self.view_fields(caller, granted.scope, listed.record, only).await?,
        })
    }

    /// Reads the granted top-level fields of a record: short values whole, long ones by their head.
    pub(super) async fn view_fields(
        &self,
        caller: &Caller,
        scope: i64,
        record: i64,
        only: Option<&[String]>,
    ) -> Result<Vec<FieldView>> {
        let mut fields = Vec::new();
        let params = bind![caller.grant(), time::now(), scope, record];
        for mut row in self.read(Statement::RecordFields, params).await? {
            let name = row.text()?;
            let (inline, first_chunk) = (row.text_or_null()?, row.text_or_null()?);
            let Some(stored) = locate::shape_of(&mut row)? else { continue };
            if only.is_none_or(|only| only.contains(&name)) {
                let head = inline.or(first_chunk).map(|head| nul::restore(head, stored.nul_as));
                fields.push(FieldView { name, shape: stored.shape, head });
            }
        }
        // Sorted here and not by the engines, whose collations differ.
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(fields)
    }
}
