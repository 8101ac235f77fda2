//! Lists what a grant covers.

use crate::bind;
use crate::catalogue::{FieldInfo, GrantedScope};
use crate::embedded::Embedded;
use crate::embedded::grants::manifest_of;
use crate::embedded::locate::stored_connection;
use crate::embedded::statement::Statement;
use crate::error::{Failure, Result};
use crate::prepare::Manifest;
use crate::shape::FieldKind;
use crate::time::{self, Millis};
use crate::token::Caller;
use stepwell_contract::quote::excerpt;
use stepwell_contract::{Code, ConnectionId, Refusal, StreamName};

/// One granted stream of one connection, with the store's own number for it.
#[derive(Clone, Debug)]
pub(super) struct Granted {
    pub(super) scope: i64,
    pub(super) connection: ConnectionId,
    pub(super) stream: StreamName,
    pub(super) connector: Option<String>,
    pub(super) label: Option<String>,
    manifest: Manifest,
    since: Option<Millis>,
    until: Option<Millis>,
}

impl Embedded {
    /// Lists the granted streams, with all that the grant says about them.
    pub(super) async fn list_catalogue(&self, caller: &Caller) -> Result<Vec<GrantedScope>> {
        let mut scopes = Vec::new();
        for granted in self.granted_scopes(caller).await? {
            let fields = self.granted_fields(caller, &granted).await?;
            let has = |name: &str| fields.iter().any(|field| field.name == name);
            scopes.push(GrantedScope {
                declared: granted.manifest.document().is_some(),
                primary_key: granted
                    .manifest
                    .primary_key()
                    .iter()
                    .filter(|field| has(field))
                    .cloned()
                    .collect(),
                cursor_field: granted.manifest.cursor_field().filter(|field| has(field)).map(str::to_owned),
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
        for mut row in self.read(Statement::GrantedScopes, bind![caller.grant(), time::now()]).await? {
            let (scope, connection, stream) = (row.int()?, stored_connection(row.text()?)?, row.text()?);
            let (connector, label) = (row.text_or_null()?, row.text_or_null()?);
            let manifest = manifest_of(row.text_or_null()?)?;
            let stream = StreamName::new(stream)
                .map_err(|rule| Failure::Store(format!("a stored stream name {rule}")))?;
            let (since, until) = (row.int_or_null()?, row.int_or_null()?);
            scopes.push(Granted { scope, connection, stream, connector, label, manifest, since, until });
        }
        if scopes.is_empty() {
            self.require_active(caller).await?;
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

    async fn granted_fields(&self, caller: &Caller, granted: &Granted) -> Result<Vec<FieldInfo>> {
        let mut fields = Vec::new();
        let params = bind![caller.grant(), time::now(), granted.scope];
        for mut row in self.read(Statement::GrantedFields, params).await? {
            let name = row.text()?;
            let bits = row.int_or_null()?.unwrap_or_default();
            let kinds = FieldKind::ALL.into_iter().filter(|kind| bits & (1 << kind.code()) != 0).collect();
            let manifest = &granted.manifest;
            fields.push(FieldInfo {
                kinds,
                schema: manifest.schema_of(&name).cloned(),
                role: manifest.role_of(&name).map(str::to_owned),
                searchable: manifest.is_searchable(&name) && bits & (1 << FieldKind::Text.code()) != 0,
                name,
            });
        }
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(fields)
    }
}
