//! Lists what a grant covers.

use crate::bind;
use crate::catalogue::{FieldInfo, GrantedScope};
use crate::embedded::grants::manifest_of;
use crate::embedded::locate::stored_connection;
use crate::embedded::statement::Statement;
use crate::embedded::{Embedded, project};
use crate::error::{Failure, Result};
use crate::prepare::Manifest;
use crate::shape::{FieldKind, RecordIdentity};
use crate::time::{self, Millis};
use crate::token::Caller;
use std::collections::HashMap;
use stepwell_contract::quote::excerpt;
use stepwell_contract::{Code, ConnectionId, RecordId, Refusal, StreamName};

/// How many records tell which kinds of value the fields of a stream have, if a grant shows only some of its records.
const TELLING_RECORDS: i64 = 1_000;

/// One granted stream of one connection, with the store's own number for it.
#[derive(Clone, Debug)]
pub(super) struct Granted {
    /// The grant that covers it, which every statement about it names.
    pub(super) grant: String,
    pub(super) scope: i64,
    pub(super) connection: ConnectionId,
    pub(super) stream: StreamName,
    pub(super) connector: Option<String>,
    pub(super) label: Option<String>,
    pub(super) manifest: Manifest,
    since: Option<Millis>,
    until: Option<Millis>,
    /// Whether the grant names the field that orders the records, or there is none.
    pub(super) order_is_known: bool,
}

impl Granted {
    /// The identity of one of its records.
    pub(super) fn identity(&self, record: &str) -> Result<RecordIdentity, Failure> {
        let record = RecordId::new(record).map_err(|rule| Failure::Store(format!("a stored key {rule}")))?;
        Ok(RecordIdentity { connection: self.connection.clone(), stream: self.stream.clone(), record })
    }
}

impl Embedded {
    /// Lists the granted streams, with all that the grant says about them.
    pub(super) async fn list_catalogue(&self, caller: &Caller) -> Result<Vec<GrantedScope>> {
        let (mut all, mut infos) = (Vec::new(), Vec::new());
        for granted in self.granted_scopes(caller).await? {
            let fields = self.granted_fields(&granted).await?;
            let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
            all.push((granted, names));
            infos.push(fields);
        }
        let relationships: Vec<_> =
            all.iter().map(|(granted, names)| project::relationships(granted, names, &all)).collect();
        let mut scopes = Vec::with_capacity(all.len());
        for (((granted, names), fields), relationships) in all.into_iter().zip(infos).zip(relationships) {
            let has = |name: &str| names.iter().any(|field| field == name);
            let manifest = &granted.manifest;
            scopes.push(GrantedScope {
                declared: manifest.document().is_some(),
                semantics: manifest.semantics(),
                primary_key: manifest.primary_key().iter().filter(|field| has(field)).cloned().collect(),
                cursor_field: manifest.cursor_field().filter(|field| has(field)).map(str::to_owned),
                views: project::views(manifest, &names),
                relationships,
                connection: granted.connection,
                connector: granted.connector,
                label: granted.label,
                stream: granted.stream,
                since: granted.since,
                until: granted.until,
                fields,
            });
        }
        Ok(scopes)
    }

    /// The granted streams; a grant that ended is refused here.
    pub(super) async fn granted_scopes(&self, caller: &Caller) -> Result<Vec<Granted>> {
        let mut scopes = Vec::new();
        for grant in self.grants_of(caller).await? {
            scopes.extend(self.scopes_under(grant).await?);
        }
        if scopes.is_empty() && !caller.package {
            self.require_active(caller.grant()).await?;
        }
        // Each grant's streams come in this order, and those of several grants are one list.
        scopes.sort_by(|a, b| (&a.connection, &a.stream).cmp(&(&b.connection, &b.stream)));
        Ok(scopes)
    }

    async fn scopes_under(&self, grant: String) -> Result<Vec<Granted>> {
        let mut scopes = Vec::new();
        for mut row in self.read(Statement::GrantedScopes, bind![grant.as_str(), time::now()]).await? {
            let (scope, connection, stream) = (row.int()?, stored_connection(row.text()?)?, row.text()?);
            let (connector, label) = (row.text_or_null()?, row.text_or_null()?);
            let manifest = manifest_of(row.text_or_null()?)?;
            let stream = StreamName::new(stream)
                .map_err(|rule| Failure::Store(format!("a stored stream name {rule}")))?;
            let (since, until) = (row.int_or_null()?, row.int_or_null()?);
            let order_is_known = row.int()? != 0;
            scopes.push(Granted {
                grant: grant.clone(),
                scope,
                connection,
                stream,
                connector,
                label,
                manifest,
                since,
                until,
                order_is_known,
            });
        }
        Ok(scopes)
    }

    /// The granted connections of some streams, or why there are none.
    pub(super) async fn scopes_of(
        &self,
        caller: &Caller,
        streams: &[StreamName],
        connection: Option<&ConnectionId>,
    ) -> Result<Vec<Granted>> {
        let mut scopes = self.granted_scopes(caller).await?;
        if let Some(unknown) =
            streams.iter().find(|stream| !scopes.iter().any(|scope| scope.stream == **stream))
        {
            let message = format!("the grant does not cover the stream {}", excerpt(unknown.as_str()));
            return Err(Refusal::new(Code::GrantStreamNotAllowed, message).param("stream").into());
        }
        if !streams.is_empty() {
            scopes.retain(|scope| streams.contains(&scope.stream));
        }
        if let Some(connection) = connection {
            scopes.retain(|scope| scope.connection == *connection);
            if scopes.is_empty() {
                let message =
                    format!("the grant does not cover a connection {}", excerpt(connection.as_str()));
                return Err(Refusal::new(Code::ConnectionNotFound, message).param("connection_id").into());
            }
        }
        Ok(scopes)
    }

    /// The granted fields of a stream, and what can be asked about each.
    pub(super) async fn granted_fields(&self, granted: &Granted) -> Result<Vec<FieldInfo>> {
        let (mut names, mut in_sight) = (Vec::new(), None);
        let params = bind![granted.grant.as_str(), time::now(), granted.scope];
        for mut row in self.read(Statement::GrantedFields, params).await? {
            let (name, all_records) = (row.text()?, row.int()? != 0);
            names.push((name, row.int_or_null()?.unwrap_or_default()));
            if !all_records && in_sight.is_none() {
                in_sight = Some(self.kinds_in_sight(granted).await?);
            }
        }
        let mut fields = Vec::with_capacity(names.len());
        for (name, of_all) in names {
            let bits =
                in_sight.as_ref().map_or(of_all, |kinds| kinds.get(&name).copied().unwrap_or_default());
            fields.push(project::field(&granted.manifest, name, FieldKind::in_bits(bits)));
        }
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(fields)
    }

    /// The kinds of value in the granted fields, as bits, judged by records that the grant shows: what a stream has noted of
    /// all its records would tell of the others.
    async fn kinds_in_sight(&self, granted: &Granted) -> Result<HashMap<String, i64>> {
        let mut kinds: HashMap<String, i64> = HashMap::new();
        let params = bind![granted.grant.as_str(), time::now(), granted.scope, TELLING_RECORDS];
        for mut row in self.read(Statement::KindsInSight, params).await? {
            let (name, kind) = (row.text()?, row.int()?);
            let bit = FieldKind::from_code(kind).map_or(0, |kind| 1 << kind.code());
            *kinds.entry(name).or_default() |= bit;
        }
        Ok(kinds)
    }
}
