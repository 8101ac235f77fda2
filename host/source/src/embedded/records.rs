//! Lists records: a stretch from each connection, merged into one order.

use crate::bind;
use crate::embedded::catalogue::Granted;
use crate::embedded::locate::FoundRecord;
use crate::embedded::page::{self, Place};
use crate::embedded::row::Param;
use crate::embedded::statement::Statement;
use crate::embedded::{Embedded, locate};
use crate::error::Result;
use crate::prepare::nul;
use crate::query::{Order, RecordsPage, RecordsQuery};
use crate::shape::{FieldView, RecordView};
use crate::time::{self, Millis};
use crate::token::Caller;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use stepwell_contract::quote::excerpt;
use stepwell_contract::{Code, Refusal};

/// What records are sorted by that is no field: the moment of their emission.
const EMITTED_AT: &str = "emitted_at";

/// A record of a stretch, before its fields are read.
pub(super) struct Listed<'a> {
    pub(super) granted: &'a Granted,
    pub(super) record: i64,
    pub(super) place: Place,
    pub(super) emitted_at: Millis,
}

/// How a list is ordered.
enum By<'a> {
    /// By what orders the stream, or by the moment of emission where that is not granted.
    Time,
    /// By the moment of emission.
    Emission,
    /// By the value of a field.
    Value(&'a str),
}

impl Embedded {
    /// Lists a page of a stream's records.
    pub(super) async fn list_records(&self, caller: &Caller, query: &RecordsQuery) -> Result<RecordsPage> {
        let scopes =
            self.scopes_of(caller, std::slice::from_ref(&query.stream), query.connection.as_ref()).await?;
        let shown = self.shown_fields(caller, &scopes, query).await?;
        if let Some(since) = &query.changes_since {
            return self.list_changes(caller, query, since, &scopes, &shown).await;
        }
        let conditions = &query.conditions;
        self.require_conditions(caller, &scopes, conditions).await?;
        let descending = query.order == Order::Descending;
        let statement = match (self.order_of(caller, &scopes, query).await?, descending) {
            (By::Time, true) => Statement::ListNewest,
            (By::Time, false) => Statement::ListOldest,
            (By::Emission, true) => Statement::ListLastEmitted,
            (By::Emission, false) => Statement::ListFirstEmitted,
            (By::Value(field), _) => {
                return self.list_sorted(caller, query, field, &scopes, &shown).await;
            }
        };
        let connection = query.connection.as_ref().map_or("", |id| id.as_str());
        let told = format!("{conditions:?}");
        let asked = page::asked(&["records", query.stream.as_str(), connection, statement.name(), &told]);
        let after = query.cursor.as_deref().map(|cursor| page::open(cursor, &asked)).transpose()?;
        let (listed, next) = self
            .filtered_stretch(caller, &scopes, statement, after.as_ref(), query.limit, &[], conditions)
            .await?;
        let next_cursor = next.map(|place: Place| page::bookmark(&asked, &place));
        let mut records = Vec::with_capacity(listed.len());
        for one in &listed {
            records.push(self.view_listed(caller, one, shown.of(one.granted)).await?);
        }
        Ok(RecordsPage { records, removed: Vec::new(), next_cursor, next_changes_since: None })
    }

    /// Finds out what a list is to be ordered by.
    async fn order_of<'q>(
        &self,
        caller: &Caller,
        scopes: &[Granted],
        query: &'q RecordsQuery,
    ) -> Result<By<'q>> {
        let Some(wanted) = query.sort.as_deref() else { return Ok(By::Time) };
        let (mut is_cursor, mut is_field) = (true, true);
        for granted in scopes {
            let fields = self.granted_fields(caller, granted).await?;
            let field = fields.iter().find(|field| field.name == wanted);
            if field.is_some_and(|field| field.sortable) {
                is_cursor &= granted.manifest.cursor_field() == Some(wanted);
                continue;
            }
            is_field = false;
            if wanted == EMITTED_AT {
                continue;
            }
            let mut names: Vec<&str> =
                fields.iter().filter(|field| field.sortable).map(|field| field.name.as_str()).collect();
            names.push(EMITTED_AT);
            // Whether there is such a field that was not granted is nobody's business.
            let refusal = match field {
                None => locate::not_granted(wanted).param("sort"),
                Some(_) => {
                    let message = format!("records are not sorted by the field {}", excerpt(wanted));
                    Refusal::new(Code::InvalidArguments, message).param("sort")
                }
            };
            let hint = format!(
                "sort by one of: {}",
                names.iter().map(|name| excerpt(name)).collect::<Vec<_>>().join(", ")
            );
            return Err(refusal.hint(hint).into());
        }
        Ok(match (is_field, is_cursor) {
            (false, _) => By::Emission,
            (true, true) => By::Time,
            (true, false) => By::Value(wanted),
        })
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
        let descending = !matches!(statement, Statement::ListOldest | Statement::ListFirstEmitted);
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
            // What orders the stream is none of the caller's business if the grant does not name it.
            let statement = match statement {
                Statement::ListNewest if !granted.order_is_known => Statement::ListLastEmitted,
                Statement::ListOldest if !granted.order_is_known => Statement::ListFirstEmitted,
                other => other,
            };
            for mut row in self.read(statement, params).await? {
                let (record, rid, time, emitted_at) = (row.int()?, row.text()?, row.int()?, row.int()?);
                let connection = granted.connection.to_string();
                let place = Place { time, connection, stream: granted.stream.to_string(), record: rid };
                listed.push(Listed { granted, record, place, emitted_at });
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
        let found = FoundRecord {
            identity: granted.identity(&listed.place.record)?,
            connector: granted.connector.clone(),
            label: granted.label.clone(),
            scope: granted.scope,
            record: listed.record,
            time: listed.place.time,
            emitted_at: listed.emitted_at,
        };
        self.view_found(caller, found, only).await
    }

    /// Reads the granted fields of a record that was found.
    pub(super) async fn view_found(
        &self,
        caller: &Caller,
        found: FoundRecord,
        only: Option<&[String]>,
    ) -> Result<RecordView> {
        let mut fields = self.view_fields(caller, found.scope, found.record).await?;
        // Judged by all that is granted, so that it stays the same whichever fields are asked for.
        let revision = Some(revision(&fields));
        fields.retain(|field| only.is_none_or(|only| only.contains(&field.name)));
        let FoundRecord { identity, connector, label, time, emitted_at, .. } = found;
        Ok(RecordView { identity, connector, label, time, emitted_at, revision, fields })
    }

    /// Reads the granted top-level fields of a record: short values whole, long ones by their head.
    pub(super) async fn view_fields(
        &self,
        caller: &Caller,
        scope: i64,
        record: i64,
    ) -> Result<Vec<FieldView>> {
        let mut fields = Vec::new();
        let params = bind![caller.grant(), time::now(), scope, record];
        for mut row in self.read(Statement::RecordFields, params).await? {
            let name = row.text()?;
            let (inline, first_chunk) = (row.text_or_null()?, row.text_or_null()?);
            let Some(stored) = locate::shape_of(&mut row)? else { continue };
            let head = inline.or(first_chunk).map(|head| nul::restore(head, stored.nul_as));
            fields.push(FieldView { name, shape: stored.shape, head });
        }
        // Sorted here and not by the engines, whose collations differ.
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(fields)
    }
}

/// Sums up the granted fields, which come sorted.
pub(crate) fn revision(fields: &[FieldView]) -> String {
    let mut hash = Sha256::new();
    for FieldView { name, shape, .. } in fields {
        let of_file = format!("{:?} {:?}", shape.mime, shape.file_name);
        let digest = shape.digest.map_or([0; 32], |digest| digest.0);
        for part in [name.as_bytes(), shape.kind.as_str().as_bytes(), &digest[..], of_file.as_bytes()] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
    }
    URL_SAFE_NO_PAD.encode(&hash.finalize()[..12])
}
