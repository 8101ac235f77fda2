//! Lists records: a stretch from each connection, merged into one order.

use crate::bind;
use crate::embedded::catalogue::Granted;
use crate::embedded::filter::{AT_ONCE, padded};
use crate::embedded::locate::FoundRecord;
use crate::embedded::page::{self, Place};
use crate::embedded::row::Param;
use crate::embedded::shown::Shown;
use crate::embedded::statement::Statement;
use crate::embedded::{Embedded, locate};
use crate::error::{Failure, Result};
use crate::prepare::nul;
use crate::query::{Order, RecordsPage, RecordsQuery};
use crate::shape::{FieldView, RecordView};
use crate::time::{self, Millis};
use crate::token::Caller;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, HashMap};
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

/// A way through the records of streams in their order.
pub(super) struct Walk {
    /// The statements that name the records, each with its further parameters; what either of them names is listed.
    statements: Vec<(Statement, Vec<Param>)>,
}

impl Walk {
    /// Through all records.
    pub(super) fn by(statement: Statement) -> Self {
        Self { statements: vec![(statement, Vec::new())] }
    }

    /// Through the records that searches find.
    pub(super) fn found_by(searches: Vec<(Statement, Vec<Param>)>) -> Self {
        Self { statements: searches }
    }

    /// Whether it goes through all records.
    pub(super) fn is_of_all(&self) -> bool {
        self.statements.iter().all(|(_, further)| further.is_empty())
    }

    /// Whether the latest come first.
    pub(super) fn descending(&self) -> bool {
        !self.goes_by(Statement::ListOldest) && !self.goes_by(Statement::ListFirstEmitted)
    }

    /// Whether it goes by the moments of emission, whatever orders the streams.
    pub(super) fn by_emission(&self) -> bool {
        self.goes_by(Statement::ListLastEmitted) || self.goes_by(Statement::ListFirstEmitted)
    }

    fn goes_by(&self, wanted: Statement) -> bool {
        self.statements.iter().any(|(statement, _)| *statement == wanted)
    }

    /// What is asked of one stream. What orders it is none of the caller's business if the grant does not name it.
    fn statements<'w>(&'w self, granted: &Granted) -> impl Iterator<Item = (Statement, &'w [Param])> {
        let is_known = granted.order_is_known;
        self.statements.iter().map(move |(statement, further)| match statement {
            Statement::ListNewest if !is_known => (Statement::ListLastEmitted, &further[..]),
            Statement::ListOldest if !is_known => (Statement::ListFirstEmitted, &further[..]),
            other => (*other, &further[..]),
        })
    }
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
        let shown = self.shown_fields(&scopes, query).await?;
        if let Some(since) = &query.changes_since {
            return self.list_changes(caller, query, since, &scopes, &shown).await;
        }
        let conditions = &query.conditions;
        self.require_conditions(&scopes, conditions).await?;
        let descending = query.order == Order::Descending;
        let statement = match (self.order_of(&scopes, query).await?, descending) {
            (By::Time, true) => Statement::ListNewest,
            (By::Time, false) => Statement::ListOldest,
            (By::Emission, true) => Statement::ListLastEmitted,
            (By::Emission, false) => Statement::ListFirstEmitted,
            (By::Value(field), _) => {
                return self.list_sorted(query, field, &scopes, &shown).await;
            }
        };
        let connection = query.connection.as_ref().map_or("", |id| id.as_str());
        let told = format!("{conditions:?}");
        let asked = page::asked(&["records", query.stream.as_str(), connection, statement.name(), &told]);
        let after = query.cursor.as_deref().map(|cursor| page::open(cursor, &asked)).transpose()?;
        let (listed, next) = self
            .filtered_stretch(&scopes, &Walk::by(statement), after.as_ref(), query.limit, conditions)
            .await?;
        let next_cursor = next.map(|place: Place| page::bookmark(&asked, &place));
        let records = self.view_all(&listed, &shown).await?;
        Ok(RecordsPage { records, removed: Vec::new(), next_cursor, next_changes_since: None })
    }

    /// Finds out what a list is to be ordered by.
    async fn order_of<'q>(&self, scopes: &[Granted], query: &'q RecordsQuery) -> Result<By<'q>> {
        let Some(wanted) = query.sort.as_deref() else { return Ok(By::Time) };
        let (mut is_cursor, mut is_field) = (true, true);
        for granted in scopes {
            let fields = self.granted_fields(granted).await?;
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
        scopes: &'a [Granted],
        walk: &Walk,
        after: Option<&Place>,
        limit: usize,
    ) -> Result<(Vec<Listed<'a>>, bool)> {
        let descending = walk.descending();
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
            let grant = granted.grant.as_str();
            for (statement, further) in walk.statements(granted) {
                let mut params = bind![grant, time::now(), granted.scope, time, key, same_moment, one_more];
                params.extend_from_slice(further);
                for mut row in self.read(statement, params).await? {
                    let (record, rid, time, emitted_at) = (row.int()?, row.text()?, row.int()?, row.int()?);
                    let connection = granted.connection.to_string();
                    let place = Place { time, connection, stream: granted.stream.to_string(), record: rid };
                    listed.push(Listed { granted, record, place, emitted_at });
                }
            }
        }
        listed.sort_by(|a, b| if descending { b.place.cmp(&a.place) } else { a.place.cmp(&b.place) });
        // Two statements may find the same record.
        listed.dedup_by_key(|one| one.record);
        let more = listed.len() > limit;
        listed.truncate(limit);
        Ok((listed, more))
    }

    /// Reads the granted fields of listed records, many of a stream at a time.
    pub(super) async fn view_all(&self, listed: &[Listed<'_>], shown: &Shown) -> Result<Vec<RecordView>> {
        let mut fields = self.fields_of_all(listed).await?;
        let view = |one: &Listed<'_>| {
            let fields = fields.remove(&one.record).unwrap_or_default();
            Ok(view(found(one)?, fields, shown.of(one.granted)))
        };
        listed.iter().map(view).collect()
    }

    /// The granted top-level fields of listed records, by the records' own numbers.
    pub(super) async fn fields_of_all<'a>(
        &self,
        listed: impl IntoIterator<Item = &'a Listed<'a>>,
    ) -> Result<HashMap<i64, Vec<FieldView>>> {
        let mut fields = HashMap::new();
        for (scope, (grant, records)) in by_scope(listed) {
            for some in records.chunks(AT_ONCE) {
                fields.extend(self.view_some(grant, scope, some).await?);
            }
        }
        Ok(fields)
    }

    /// Reads the granted fields of a record that was found.
    pub(super) async fn view_found(&self, found: FoundRecord, only: Option<&[String]>) -> Result<RecordView> {
        let fields = self.view_fields(&found.grant, found.scope, found.record).await?;
        Ok(view(found, fields, only))
    }

    /// Reads the granted top-level fields of a record: short values whole, long ones by their head.
    pub(super) async fn view_fields(&self, grant: &str, scope: i64, record: i64) -> Result<Vec<FieldView>> {
        Ok(self.view_some(grant, scope, &[record]).await?.remove(&record).unwrap_or_default())
    }

    /// The same of a few records of a stream, by one statement.
    async fn view_some(
        &self,
        grant: &str,
        scope: i64,
        records: &[i64],
    ) -> Result<HashMap<i64, Vec<FieldView>>> {
        let mut fields: HashMap<i64, Vec<FieldView>> = HashMap::new();
        let mut params = bind![grant, time::now(), scope];
        params.extend(padded(records));
        for mut row in self.read(Statement::RecordFields, params).await? {
            let (record, name) = (row.int()?, row.text()?);
            let (inline, first_chunk) = (row.text_or_null()?, row.text_or_null()?);
            let Some(stored) = locate::shape_of(&mut row)? else { continue };
            let head = inline.or(first_chunk).map(|head| nul::restore(head, stored.nul_as));
            fields.entry(record).or_default().push(FieldView { name, shape: stored.shape, head });
        }
        // Sorted here and not by the engines, whose collations differ.
        fields.values_mut().for_each(|fields| fields.sort_by(|a, b| a.name.cmp(&b.name)));
        Ok(fields)
    }
}

/// The numbers of listed records by their streams, each with the grant that covers it.
pub(super) fn by_scope<'a>(
    listed: impl IntoIterator<Item = &'a Listed<'a>>,
) -> BTreeMap<i64, (&'a str, Vec<i64>)> {
    let mut by_scope: BTreeMap<i64, (&str, Vec<i64>)> = BTreeMap::new();
    for one in listed {
        let (grant, scope) = (one.granted.grant.as_str(), one.granted.scope);
        by_scope.entry(scope).or_insert((grant, Vec::new())).1.push(one.record);
    }
    by_scope
}

/// A listed record as one that was found.
pub(super) fn found(listed: &Listed<'_>) -> Result<FoundRecord, Failure> {
    let granted = listed.granted;
    Ok(FoundRecord {
        grant: granted.grant.clone(),
        identity: granted.identity(&listed.place.record)?,
        connector: granted.connector.clone(),
        label: granted.label.clone(),
        scope: granted.scope,
        record: listed.record,
        time: listed.place.time,
        emitted_at: listed.emitted_at,
    })
}

/// Shows some of a record's granted fields.
pub(super) fn view(found: FoundRecord, mut fields: Vec<FieldView>, only: Option<&[String]>) -> RecordView {
    // Judged by all that is granted, so that it stays the same whichever fields are asked for.
    let revision = Some(revision(&fields));
    fields.retain(|field| only.is_none_or(|only| only.contains(&field.name)));
    let FoundRecord { identity, connector, label, time, emitted_at, .. } = found;
    RecordView { identity, connector, label, time, emitted_at, revision, fields }
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
