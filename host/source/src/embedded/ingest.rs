//! Fills a stream, a batch at a time.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::engine::{Batch, StoredBatch};
use crate::embedded::grants::Scope;
use crate::embedded::row::Param;
use crate::embedded::statement::Statement;
use crate::error::Failure;
use crate::prepare::{Manifest, PreparedRecord};
use crate::shape::FieldKind;
use crate::time;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use stepwell_contract::budget::CHANGES_KEPT_DAYS;
use stepwell_contract::{ConnectionId, RecordId, StreamName};

/// How many records are stored in one transaction: the cost of making them durable is shared by that many.
const BATCH_RECORDS: usize = 1_000;

/// How many bytes a batch may hold, so that long records do not pile up in memory.
const BATCH_BYTES: usize = 16 * 1024 * 1024;

/// The longest connection id or stream name, in bytes: both stand in one entry of an index.
const SCOPE_NAME_MAX: usize = 1_024;

/// Where records go.
#[derive(Clone, Debug)]
pub struct IngestTarget {
    /// The connection that they came from.
    pub connection: ConnectionId,
    /// The kind of source, such as `mail`.
    pub connector: Option<String>,
    /// The connection's name for people.
    pub label: Option<String>,
    /// The stream.
    pub stream: StreamName,
    /// What the stream declares about itself.
    pub manifest: Manifest,
}

/// An ingest under way. What it has returned as stored survives a crash.
#[derive(Debug)]
pub struct Ingest<'a> {
    store: &'a Embedded,
    scope: i64,
    manifest: Manifest,
    batch: Arc<Vec<PreparedRecord>>,
    batch_bytes: usize,
    batch_keys: HashSet<RecordId>,
    /// The kinds that each field of the stream is known to have, as bits.
    known: HashMap<String, i64>,
}

impl Embedded {
    async fn scope(&self, connection: &str, stream: &str) -> Result<Option<Scope>, Failure> {
        let scopes = self.scopes().await?;
        Ok(scopes.into_iter().find(|scope| scope.connection == connection && scope.stream == stream))
    }

    /// Makes the connection and the stream known, and starts to fill the stream.
    pub async fn ingest(&self, target: &IngestTarget) -> Result<Ingest<'_>, Failure> {
        let (connection, stream) = (target.connection.as_str(), target.stream.as_str());
        if [connection, stream].iter().any(|name| name.contains('\0') || name.len() > SCOPE_NAME_MAX) {
            let rule = format!("must have no NUL character and at most {SCOPE_NAME_MAX} bytes");
            return Err(Failure::Store(format!("a connection id or stream name {rule}")));
        }
        let manifest = target.manifest.document().map(ToString::to_string);
        let cursor_field = target.manifest.cursor_field().map(str::to_owned);
        let (connector, label) = (target.connector.clone(), target.label.clone());
        let before = self.scope(connection, stream).await?;
        let mut writes = vec![
            (Statement::AddConnection, bind![connection, connector, label, time::now()]),
            (Statement::AddScope, bind![connection, stream, manifest, cursor_field]),
        ];
        if let Some(before) = before {
            writes.extend(care(&before, &target.manifest));
        }
        self.engine.write(writes).await?;
        let scope = self.scope(connection, stream).await?;
        let Scope { id: scope, manifest, .. } =
            scope.ok_or_else(|| Failure::Store("the stream was removed while it was being filled".into()))?;
        let mut known = HashMap::new();
        for mut row in self.read(Statement::ScopeFields, bind![scope]).await? {
            known.insert(row.text()?, row.int()?);
        }
        Ok(Ingest {
            store: self,
            scope,
            manifest,
            batch: Arc::default(),
            batch_bytes: 0,
            batch_keys: HashSet::new(),
            known,
        })
    }
}

/// What a stream that is filled again no longer needs: what went long ago, and times from a field that no longer has them.
/// A time that was taken from another field would order records, or hold them in a grant's range, by a value that nobody
/// asked for; it comes back when the record is imported again.
fn care(scope: &Scope, manifest: &Manifest) -> Vec<(Statement, Vec<Param>)> {
    let long_ago = time::now() - (CHANGES_KEPT_DAYS + 1) * time::DAY;
    let mut writes = vec![
        (Statement::ForgetFormerRecords, bind![scope.id, long_ago]),
        (Statement::ForgetFormerFields, bind![scope.id, long_ago]),
    ];
    if manifest.document().is_some() {
        let consent = |of: &Manifest| of.consent_time_field().or(of.cursor_field()).map(str::to_owned);
        let unlike_any = &[0; 32][..];
        if scope.manifest.cursor_field() != manifest.cursor_field() {
            writes.push((Statement::ForgetOrder, bind![scope.id, unlike_any]));
        }
        if consent(&scope.manifest) != consent(manifest) {
            writes.push((Statement::ForgetConsent, bind![scope.id, unlike_any]));
        }
    }
    writes
}

impl Ingest<'_> {
    /// The manifest that lines have to be prepared by: the one that was given, or else the one that the stream declared
    /// before. To fill it without its consent time would move records into grants that do not cover them.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The kinds of value that each field was found to have, by name, if the stream declares nothing about itself.
    #[must_use]
    pub fn inferred(&self) -> Option<Vec<(&str, Vec<FieldKind>)>> {
        if self.manifest.document().is_some() {
            return None;
        }
        let mut fields: Vec<_> =
            self.known.iter().map(|(field, bits)| (field.as_str(), FieldKind::in_bits(*bits))).collect();
        fields.sort_unstable_by_key(|(field, _)| *field);
        Some(fields)
    }

    /// Takes a record; gives what was stored if that completed a batch.
    pub async fn push(&mut self, record: PreparedRecord) -> Result<Option<StoredBatch>, Failure> {
        // Two versions of one record are two writes, in their order, and a batch writes each record once.
        let again = self.batch_keys.contains(&record.key);
        let stored = if again { Some(self.flush().await?) } else { None };
        self.batch_bytes += record.weight();
        self.batch_keys.insert(record.key.clone());
        Arc::get_mut(&mut self.batch).ok_or(Failure::Gone)?.push(record);
        if self.batch.len() < BATCH_RECORDS && self.batch_bytes < BATCH_BYTES {
            return Ok(stored);
        }
        let mut sum = stored.unwrap_or_default();
        sum += self.flush().await?;
        Ok(Some(sum))
    }

    /// Stores what is waiting. If that fails, it goes on waiting, and can be stored by another call.
    pub async fn flush(&mut self) -> Result<StoredBatch, Failure> {
        if self.batch.is_empty() {
            return Ok(StoredBatch::default());
        }
        let (scope, semantics) = (self.scope, self.manifest.semantics());
        self.learn_fields().await?;
        let batch = Batch { scope, semantics, records: Arc::clone(&self.batch), now: time::now() };
        let stored = self.store.engine.store(batch).await?;
        // Only now: what could not be stored is still here, and another try stores it.
        self.batch = Arc::default();
        self.batch_bytes = 0;
        self.batch_keys.clear();
        Ok(stored)
    }

    /// Notes fields, and kinds of fields, that the stream did not have before.
    async fn learn_fields(&mut self) -> Result<(), Failure> {
        let mut learnt: HashMap<&str, i64> = HashMap::new();
        for field in self.batch.iter().flat_map(|record| &record.fields).filter(|field| !field.nested) {
            *learnt.entry(&field.top).or_default() |= 1 << field.kind.code();
        }
        learnt.retain(|field, kinds| self.known.get(*field).is_none_or(|known| known & *kinds != *kinds));
        if learnt.is_empty() {
            return Ok(());
        }
        let add =
            |(field, kinds): (&&str, &i64)| (Statement::AddScopeField, bind![self.scope, *field, *kinds]);
        self.store.engine.write(learnt.iter().map(add).collect()).await?;
        for (field, kinds) in learnt {
            *self.known.entry(field.to_owned()).or_default() |= kinds;
        }
        Ok(())
    }
}
