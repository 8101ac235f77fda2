//! Finds a record and a field within the grant, and says why when there is none.

use crate::bind;
use crate::embedded::row::Row;
use crate::embedded::statement::Statement;
use crate::embedded::text::{Gathered, chunks_around};
use crate::embedded::{Embedded, digest};
use crate::error::{Failure, Result};
use crate::shape::{Digest, Field, FieldKind, FieldShape, Place, RecordIdentity, RecordRef, Stored};
use crate::time::{self, Millis};
use crate::token::Caller;
use serde_json::{Value, json};
use stepwell_contract::budget::{AMBIGUOUS_CONNECTIONS, MAX_LIMIT};
use stepwell_contract::quote::excerpt;
use stepwell_contract::{Bytes, Chars, Code, ConnectionId, FieldPath, Refusal, Span};

/// How many columns of `LocateText` hold the field's text.
pub(super) const LOCATED_TEXT: usize = 3;

/// A record within the grant.
pub(super) struct FoundRecord {
    /// The grant that covers it.
    pub(super) grant: String,
    pub(super) identity: RecordIdentity,
    pub(super) connector: Option<String>,
    pub(super) label: Option<String>,
    pub(super) scope: i64,
    pub(super) record: i64,
    pub(super) time: Millis,
    pub(super) emitted_at: Millis,
}

/// A field's row, without its content.
pub(super) struct StoredShape {
    pub(super) shape: FieldShape,
    /// The digest of the row's whole text or bytes.
    pub(super) digest: Digest,
    pub(super) nul_as: Option<char>,
    pub(super) part_start: Option<Chars>,
}

/// One granted connection of the stream, and what it has of the record and the field.
struct Candidate {
    grant: String,
    scope: i64,
    connection: String,
    connector: Option<String>,
    label: Option<String>,
    grants_field: bool,
    record: Option<(i64, Millis, Millis)>,
    field: Option<StoredShape>,
}

impl Embedded {
    /// Finds a record within the grant.
    pub(super) async fn locate_record(&self, caller: &Caller, record: &RecordRef) -> Result<FoundRecord> {
        let candidates = self.candidates(caller, record, "", "").await?;
        self.found(record, choose(record, candidates)?).map(|(found, _)| found)
    }

    /// Finds a field within the grant and measures it.
    pub(super) async fn locate_field(
        &self,
        caller: &Caller,
        record: &RecordRef,
        path: &FieldPath,
    ) -> Result<Field> {
        let candidates = self.candidates(caller, record, path.top(), &path.pointer()).await?;
        let not_granted = || not_granted(path.top());
        // Before the record is looked at: whether a field that was not granted exists is nobody's business.
        if !candidates.iter().any(|candidate| candidate.grants_field) {
            return Err(not_granted().into());
        }
        let chosen = choose(record, candidates)?;
        if !chosen.grants_field {
            return Err(not_granted().into());
        }
        let (found, stored) = self.found(record, chosen)?;
        match stored {
            Some(stored) => self.stored_field(found, path, stored).await,
            None if path.below_top().is_empty() => Err(field_not_found(path).into()),
            None => self.field_inside(found, path).await,
        }
    }

    /// Finds a field within the grant, and reads a span of its text in the same statement; if a digest is given, only of the
    /// text that has it. None where that is not done in one: the field is found in steps then, or it comes out why there is
    /// none.
    pub(super) async fn locate_text(
        &self,
        caller: &Caller,
        record: &RecordRef,
        path: &FieldPath,
        span: Span,
        digest: Option<Digest>,
    ) -> Result<Option<(Field, Option<(Span, String)>)>> {
        let (Some(connection), false) = (&record.connection, caller.package) else { return Ok(None) };
        let (grant, pointer, (after, before)) = (caller.grant(), path.pointer(), chunks_around(span));
        let names = [record.stream.as_str(), record.record.as_str(), path.top(), &pointer];
        if names.iter().any(|name| name.contains('\0')) || span.len() > MAX_LIMIT {
            return Ok(None);
        }
        let [stream, rid, top, pointer] = names;
        let expected = digest.map(|Digest(bytes)| bytes.to_vec()).unwrap_or_default();
        let params = bind![
            grant,
            time::now(),
            stream,
            rid,
            top,
            pointer,
            connection.as_str(),
            after,
            before,
            &expected[..],
            i64::from(digest.is_some()),
        ];
        let (mut chosen, mut text) = (None, Gathered::default());
        for mut row in self.read_brief(Statement::LocateText, params).await? {
            text.add(&mut row)?;
            if chosen.is_none() {
                chosen = Some(candidate(grant.to_owned(), &mut row)?);
            }
        }
        let Some(chosen) = chosen.filter(|chosen| chosen.grants_field && chosen.record.is_some()) else {
            return Ok(None);
        };
        let (found, stored) = self.found(record, chosen)?;
        // A part of a value is read out of what encloses it, which has another row.
        let Some(stored) = stored.filter(|stored| stored.part_start.is_none()) else { return Ok(None) };
        let (shape, nul_as) = (&stored.shape, stored.nul_as);
        let Some(total) = shape.chars.filter(|_| shape.kind.is_text_like()) else { return Ok(None) };
        let end = span.end().min(total);
        let Some(span) = Span::new(span.start().min(end), end) else { return Ok(None) };
        let is_that = digest.is_none_or(|digest| shape.digest == Some(digest));
        let text = is_that.then(|| (span, text.cut(span, nul_as)));
        Ok(Some((self.stored_field(found, path, stored).await?, text)))
    }

    /// Asks for every granted connection of the stream, so that an id without one can be told from an ambiguous one.
    async fn candidates(
        &self,
        caller: &Caller,
        record: &RecordRef,
        top: &str,
        pointer: &str,
    ) -> Result<Vec<Candidate>> {
        let (stream, rid) = (record.stream.as_str(), record.record.as_str());
        // Postgres refuses a NUL in a bound text. No stored name has one, and nothing is equal to NULL.
        let name = |text: &str| (!text.contains('\0')).then(|| text.to_owned());
        let mut candidates = Vec::new();
        for grant in self.grants_of(caller).await? {
            let params =
                bind![grant.as_str(), time::now(), name(stream), name(rid), name(top), name(pointer)];
            for mut row in self.read_brief(Statement::Locate, params).await? {
                candidates.push(candidate(grant.clone(), &mut row)?);
            }
        }
        candidates.sort_by(|a, b| a.connection.cmp(&b.connection));
        if candidates.is_empty() {
            if !caller.package {
                self.require_active(caller.grant()).await?;
            }
            let message = format!("the grant does not cover the stream {}", excerpt(stream));
            return Err(Refusal::new(Code::GrantStreamNotAllowed, message).param("stream").into());
        }
        if let Some(wanted) = &record.connection {
            candidates.retain(|candidate| candidate.connection == wanted.as_str());
            if candidates.is_empty() {
                let message = format!("the grant does not cover a connection {}", excerpt(wanted.as_str()));
                return Err(Refusal::new(Code::ConnectionNotFound, message).param("connection_id").into());
            }
        }
        Ok(candidates)
    }

    fn found(&self, record: &RecordRef, chosen: Candidate) -> Result<(FoundRecord, Option<StoredShape>)> {
        let (id, time, emitted_at) = chosen.record.ok_or_else(|| not_found(record))?;
        let connection = stored_connection(chosen.connection.clone())?;
        let identity =
            RecordIdentity { connection, stream: record.stream.clone(), record: record.record.clone() };
        let Candidate { grant, scope, connector, label, field, .. } = chosen;
        Ok((FoundRecord { grant, identity, connector, label, scope, record: id, time, emitted_at }, field))
    }

    /// Measures another row of a record that was found.
    pub(super) async fn shape_at(
        &self,
        found: &FoundRecord,
        top: &str,
        pointer: &str,
    ) -> Result<Option<StoredShape>> {
        let params = bind![found.grant.as_str(), time::now(), found.scope, found.record, top, pointer];
        let rows = self.read_brief(Statement::Shape, params).await?;
        Ok(rows.into_iter().next().map(|mut row| shape_of(&mut row)).transpose()?.flatten())
    }

    /// Turns a row into a field that can be read: a part is read out of the field that encloses it.
    pub(super) async fn stored_field(
        &self,
        found: FoundRecord,
        path: &FieldPath,
        stored: StoredShape,
    ) -> Result<Field> {
        let top = path.top();
        let (pointer, row_digest, base) = match stored.part_start {
            None => (path.pointer(), stored.digest, Chars::ZERO),
            Some(base) => {
                let pointer = FieldPath::top_level(top).pointer();
                let outer = self.shape_at(&found, top, &pointer).await?;
                let outer = outer.ok_or(crate::error::SourceError::Changed)?;
                (pointer, outer.digest, base)
            }
        };
        let place = Place::Stored(Stored {
            grant: found.grant,
            scope: found.scope,
            record: found.record,
            pointer,
            row_digest,
            top: top.to_owned(),
            base,
            nul_as: stored.nul_as,
        });
        Ok(Field { record: found.identity, path: path.clone(), shape: stored.shape, place })
    }

    /// The names of a stream's granted fields.
    pub(super) async fn granted_names(&self, grant: &str, scope: i64) -> Result<Vec<String>> {
        let params = bind![grant, time::now(), scope];
        let mut names = Vec::new();
        for mut row in self.read(Statement::GrantedFields, params).await? {
            names.push(row.text()?);
        }
        Ok(names)
    }

    /// Refuses a list of fields that the grant does not name in full.
    pub(super) async fn require_granted(&self, grant: &str, scope: i64, fields: &[String]) -> Result<()> {
        let granted = self.granted_names(grant, scope).await?;
        if granted.is_empty() {
            self.require_active(grant).await?;
        }
        match fields.iter().find(|field| !granted.contains(field)) {
            Some(field) => Err(not_granted(field).into()),
            None => Ok(()),
        }
    }
}

/// Picks the one connection that has the record.
fn choose(record: &RecordRef, candidates: Vec<Candidate>) -> Result<Candidate, Refusal> {
    let mut having: Vec<Candidate> = candidates.into_iter().filter(|c| c.record.is_some()).collect();
    match having.len() {
        0 => Err(not_found(record)),
        1 => Ok(having.swap_remove(0)),
        count => {
            let listed: Vec<Value> = having.iter().take(AMBIGUOUS_CONNECTIONS).map(available).collect();
            let message = format!(
                "{count} connections have a record {} in the stream {}",
                excerpt(record.record.as_str()),
                excerpt(record.stream.as_str())
            );
            let mut refusal = Refusal::new(Code::AmbiguousConnection, message)
                .param("connection_id")
                .hint("repeat the call with one of the available connection_ids")
                .with("available_connections", listed)
                .with("retry_with", "connection_id");
            if count > AMBIGUOUS_CONNECTIONS {
                refusal = refusal.with("available_connections_count", count).with("truncated", true);
            }
            Err(refusal)
        }
    }
}

fn available(candidate: &Candidate) -> Value {
    match &candidate.label {
        Some(label) => json!({ "connection_id": candidate.connection, "display_name": label }),
        None => json!({ "connection_id": candidate.connection }),
    }
}

fn not_found(record: &RecordRef) -> Refusal {
    let message = format!(
        "the grant covers no record {} in the stream {}",
        excerpt(record.record.as_str()),
        excerpt(record.stream.as_str())
    );
    Refusal::new(Code::NotFound, message).param("id")
}

pub(super) fn not_granted(field: &str) -> Refusal {
    let message = format!("the grant does not cover the field {}", excerpt(field));
    Refusal::new(Code::FieldNotGranted, message).param("field_path")
}

pub(super) fn field_not_found(path: &FieldPath) -> Refusal {
    let message = format!("the record has no field {}", excerpt(path.as_str()));
    Refusal::new(Code::FieldNotFound, message).param("field_path")
}

/// Takes a connection id from the store, which holds only safe ones.
pub(super) fn stored_connection(id: String) -> Result<ConnectionId, Failure> {
    ConnectionId::new(id).map_err(|rule| Failure::Store(format!("a stored connection id {rule}")))
}

fn candidate(grant: String, row: &mut Row) -> Result<Candidate, Failure> {
    let scope = row.int()?;
    let connection = row.text()?;
    let (connector, label) = (row.text_or_null()?, row.text_or_null()?);
    let grants_field = row.int()? != 0;
    let record = match (row.int_or_null()?, row.int_or_null()?, row.int_or_null()?) {
        (Some(id), Some(time), Some(emitted_at)) => Some((id, time, emitted_at)),
        _ => None,
    };
    Ok(Candidate { grant, scope, connection, connector, label, grants_field, record, field: shape_of(row)? })
}

/// Reads the columns of a field's measures; none if the join found no row.
pub(super) fn shape_of(row: &mut Row) -> Result<Option<StoredShape>, Failure> {
    if row.int_or_null()?.is_none() {
        return Ok(None);
    }
    let broken = || Failure::Store("a field's row is damaged: run a check of the store".into());
    let kind = FieldKind::from_code(row.int()?).ok_or_else(broken)?;
    let count = |value: i64| u64::try_from(value).map_err(|_| broken());
    let chars = row.int_or_null()?.map(count).transpose()?.map(Chars);
    let bytes = Bytes(count(row.int()?)?);
    let digest: Digest = digest(row)?;
    let (mime, file_name) = (row.text_or_null()?, row.text_or_null()?);
    let nul_as =
        row.int_or_null()?.map(|code| u32::try_from(code).ok().and_then(char::from_u32).ok_or_else(broken));
    let part_start = row.int_or_null()?.map(count).transpose()?.map(Chars);
    let (bytes, windows) = (Some(bytes), kind.is_text_like());
    let shape = FieldShape { kind, mime, file_name, chars, bytes, digest: Some(digest), windows };
    Ok(Some(StoredShape { shape, digest, nul_as: nul_as.transpose()?, part_start }))
}
