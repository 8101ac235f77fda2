//! The owner's side: making, listing and ending grants. Nothing here reads a record.

use crate::bind;
use crate::embedded::Embedded;
use crate::embedded::statement::Statement;
use crate::embedded::tokens::{end_of_token, issue_token};
use crate::error::Failure;
use crate::grant::{
    AccessMode, Grant, GrantError, GrantRequest, GrantedStream, StreamRequest, Terms, TimeConstraint,
};
use crate::prepare::Manifest;
use crate::time::{self, Millis};
use crate::token::{Token, TokenKind};
use std::collections::{BTreeSet, HashMap};
use stepwell_contract::{ConnectionId, StreamName};

/// One connection's stream, as the catalogue lists it.
#[derive(Clone, Debug)]
pub struct Scope {
    pub(super) id: i64,
    /// The connection.
    pub connection: String,
    /// The stream.
    pub stream: String,
    /// The kind of source that it came from.
    pub connector: Option<String>,
    /// The connection's name for people.
    pub label: Option<String>,
    /// What the stream declares about itself.
    pub manifest: Manifest,
}

impl Embedded {
    /// Lists every connection's streams.
    pub async fn scopes(&self) -> Result<Vec<Scope>, Failure> {
        let mut scopes = Vec::new();
        for mut row in self.read(Statement::Scopes, bind![]).await? {
            let (id, connection, stream) = (row.int()?, row.text()?, row.text()?);
            let (connector, label) = (row.text_or_null()?, row.text_or_null()?);
            let manifest = manifest_of(row.text_or_null()?)?;
            scopes.push(Scope { id, connection, stream, connector, label, manifest });
        }
        Ok(scopes)
    }

    /// Gives a connection another name for people. Says whether there is such a connection.
    pub async fn rename_connection(&self, id: &ConnectionId, label: &str) -> Result<bool, Failure> {
        let changed =
            self.engine.write(vec![(Statement::RenameConnection, bind![id.as_str(), label])]).await?;
        Ok(changed == [1])
    }

    /// Counts a stream's records, for the owner.
    pub async fn count_records(&self, scope: &Scope) -> Result<u64, Failure> {
        let rows = self.read(Statement::CountRecords, bind![scope.id]).await?;
        let count = rows.into_iter().next().map(|mut row| row.int()).transpose()?;
        Ok(count.unwrap_or_default().unsigned_abs())
    }

    /// The fields that a stream declares or has.
    async fn fields_of(&self, scope: &Scope) -> Result<BTreeSet<String>, Failure> {
        let mut fields: BTreeSet<String> = scope.manifest.declared_fields().map(str::to_owned).collect();
        for mut row in self.read(Statement::ScopeFields, bind![scope.id]).await? {
            fields.insert(row.text()?);
        }
        Ok(fields)
    }

    /// Settles what a request covers as of now, without making the grant: what the owner is shown before agreeing.
    pub async fn plan_grant(&self, request: &GrantRequest) -> Result<Vec<GrantedStream>, GrantError> {
        Ok(self.settle(request).await?.into_iter().map(|(_, stream)| stream).collect())
    }

    /// Makes a grant that is good until it ends, and a client token for it. The token is not kept and cannot be shown
    /// again.
    pub async fn create_grant(&self, request: &GrantRequest) -> Result<(Grant, Token), GrantError> {
        self.create_grant_on(request, &Terms::default()).await
    }

    /// The same on other terms.
    pub async fn create_grant_on(
        &self,
        request: &GrantRequest,
        terms: &Terms,
    ) -> Result<(Grant, Token), GrantError> {
        let token = Token::generate(TokenKind::Client)?;
        let grant = self.add_grant(request, terms, Some(&token)).await?;
        Ok((grant, token))
    }

    /// Makes a grant without a token, for a package or for a token that is issued later.
    pub async fn create_grant_without_token(
        &self,
        request: &GrantRequest,
        terms: &Terms,
    ) -> Result<Grant, GrantError> {
        self.add_grant(request, terms, None).await
    }

    async fn add_grant(
        &self,
        request: &GrantRequest,
        terms: &Terms,
        token: Option<&Token>,
    ) -> Result<Grant, GrantError> {
        let settled = self.settle(request).await?;
        let now = time::now();
        let mode = terms.access_mode;
        let grant = Grant {
            grant_id: new_id("grt")?,
            client: request.client.clone(),
            subject: request.subject.clone(),
            purpose: request.purpose.clone(),
            purpose_code: terms.purpose_code.clone(),
            retention: terms.retention.clone(),
            source: terms.source.clone(),
            access_mode: mode,
            issued_at: now,
            expires_at: request.expires_at,
            revoked_at: None,
            consumed_at: token.filter(|_| mode == AccessMode::SingleUse).map(|_| now),
            streams: settled.iter().map(|(_, stream)| stream.clone()).collect(),
        };
        let text = |value: &Option<serde_json::Value>| value.as_ref().map(ToString::to_string);
        let id = grant.grant_id.as_str();
        let mut writes = vec![(
            Statement::AddGrant,
            bind![
                id,
                grant.client.as_str(),
                grant.subject.as_str(),
                grant.purpose.clone(),
                grant.access_mode.as_str(),
                now,
                grant.expires_at,
                grant.purpose_code.clone(),
                text(&grant.retention),
                text(&grant.source),
            ],
        )];
        for (scope, stream) in &settled {
            let range = stream.time_constraint.as_ref();
            let (since, until) = (range.and_then(|range| range.since), range.and_then(|range| range.until));
            let listed = i64::from(stream.resources.is_some());
            writes.push((Statement::AddGrantScope, bind![id, *scope, since, until, listed]));
            for field in &stream.fields {
                writes.push((Statement::AddGrantField, bind![id, *scope, field.as_str()]));
            }
            for record in stream.resources.iter().flatten() {
                writes.push((Statement::AddGrantResource, bind![id, *scope, record.as_str()]));
            }
        }
        if let Some(token) = token {
            writes.extend(issue_token(token, id, now, end_of_token(mode, None, now)));
        }
        self.engine.write(writes).await?;
        Ok(grant)
    }

    /// Ends a grant. Says whether it was still open.
    pub async fn revoke_grant(&self, id: &str) -> Result<bool, GrantError> {
        let changed = self.engine.write(vec![(Statement::RevokeGrant, bind![id, time::now()])]).await?;
        if changed == [0] {
            self.grant(id).await?;
        }
        Ok(changed == [1])
    }

    /// Shows one grant.
    pub async fn grant(&self, id: &str) -> Result<Grant, GrantError> {
        let grants = self.grants().await?;
        grants
            .into_iter()
            .find(|grant| grant.grant_id == id)
            .ok_or_else(|| GrantError::NotFound(id.to_owned()))
    }

    /// Lists all grants, ended ones too.
    pub async fn grants(&self) -> Result<Vec<Grant>, Failure> {
        let mut fields = self.by_grant_and_scope(Statement::GrantFields).await?;
        let mut resources = self.by_grant_and_scope(Statement::GrantResources).await?;
        let mut streams: HashMap<String, Vec<GrantedStream>> = HashMap::new();
        for mut row in self.read(Statement::GrantScopes, bind![]).await? {
            let (grant, scope, name) = (row.text()?, row.int()?, row.text()?);
            let (connection_id, display_name) = (row.text()?, row.text_or_null()?);
            let manifest = manifest_of(row.text_or_null()?)?;
            let (since, until, listed) = (row.int_or_null()?, row.int_or_null()?, row.int()? != 0);
            let key = (grant, scope);
            let listed_records = resources.remove(&key).unwrap_or_default();
            let stream = GrantedStream {
                name,
                connection_id,
                display_name,
                fields: fields.remove(&key).unwrap_or_default(),
                time_constraint: constraint(&manifest, since, until),
                resources: listed.then_some(listed_records),
            };
            streams.entry(key.0).or_default().push(stream);
        }
        let mut grants = Vec::new();
        for mut row in self.read(Statement::Grants, bind![]).await? {
            let grant_id = row.text()?;
            grants.push(Grant {
                client: row.text()?,
                subject: row.text()?,
                purpose: row.text_or_null()?,
                access_mode: access_mode(&row.text()?)?,
                issued_at: row.int()?,
                expires_at: row.int_or_null()?,
                revoked_at: row.int_or_null()?,
                purpose_code: row.text_or_null()?,
                retention: label(row.text_or_null()?)?,
                source: label(row.text_or_null()?)?,
                consumed_at: row.int_or_null()?,
                streams: streams.remove(&grant_id).unwrap_or_default(),
                grant_id,
            });
        }
        Ok(grants)
    }

    async fn by_grant_and_scope(
        &self,
        statement: Statement,
    ) -> Result<HashMap<(String, i64), Vec<String>>, Failure> {
        let mut found: HashMap<_, Vec<String>> = HashMap::new();
        for mut row in self.read(statement, bind![]).await? {
            let key = (row.text()?, row.int()?);
            found.entry(key).or_default().push(row.text()?);
        }
        // The engines collate differently; a grant reads the same from both.
        found.values_mut().for_each(|list| list.sort());
        Ok(found)
    }

    async fn settle(&self, request: &GrantRequest) -> Result<Vec<(i64, GrantedStream)>, GrantError> {
        if request.streams.is_empty() {
            return Err(GrantError::Empty);
        }
        let scopes = self.scopes().await?;
        let mut settled: Vec<(i64, GrantedStream)> = Vec::new();
        for wanted in &request.streams {
            for scope in matching(&wanted.name, &wanted.connections, &scopes)? {
                if settled.iter().any(|(id, _)| *id == scope.id) {
                    return Err(GrantError::StreamTwice(wanted.name.to_string()));
                }
                let known = self.fields_of(scope).await?;
                settled.push((scope.id, settle_stream(wanted, scope, known)?));
            }
        }
        // In the order in which grants are listed.
        settled.sort_by(|(_, a), (_, b)| (&a.name, &a.connection_id).cmp(&(&b.name, &b.connection_id)));
        Ok(settled)
    }
}

/// The connections' streams that a request means.
pub(super) fn matching<'a>(
    stream: &StreamName,
    connections: &[ConnectionId],
    scopes: &'a [Scope],
) -> Result<Vec<&'a Scope>, GrantError> {
    let of_stream: Vec<&Scope> = scopes.iter().filter(|scope| scope.stream == stream.as_str()).collect();
    let list = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
    if of_stream.is_empty() {
        let known = list(scopes.iter().map(|scope| scope.stream.as_str()).collect());
        return Err(GrantError::UnknownStream { stream: stream.to_string(), known });
    }
    if connections.is_empty() {
        return Ok(of_stream);
    }
    let mut chosen = Vec::new();
    for connection in connections {
        let scope = of_stream.iter().find(|scope| scope.connection == connection.as_str());
        chosen.push(*scope.ok_or_else(|| GrantError::UnknownConnection {
            connection: connection.to_string(),
            stream: stream.to_string(),
            known: list(of_stream.iter().map(|scope| scope.connection.as_str()).collect()),
        })?);
    }
    Ok(chosen)
}

fn settle_stream(
    wanted: &StreamRequest,
    scope: &Scope,
    known: BTreeSet<String>,
) -> Result<GrantedStream, GrantError> {
    if matches!((wanted.since, wanted.until), (Some(since), Some(until)) if since >= until) {
        return Err(GrantError::EmptyTimeRange(scope.stream.clone()));
    }
    let fields: BTreeSet<String> = match &wanted.fields {
        None => known,
        Some(fields) => {
            if let Some(field) = fields.iter().find(|field| !known.contains(*field)) {
                return Err(GrantError::UnknownField {
                    field: field.clone(),
                    stream: scope.stream.clone(),
                    connection: scope.connection.clone(),
                    known: known.into_iter().collect::<Vec<_>>().join(", "),
                });
            }
            fields.iter().cloned().collect()
        }
    };
    Ok(GrantedStream {
        name: scope.stream.clone(),
        connection_id: scope.connection.clone(),
        display_name: scope.label.clone(),
        fields: fields.into_iter().collect(),
        time_constraint: constraint(&scope.manifest, wanted.since, wanted.until),
        resources: wanted.resources.as_ref().map(|list| {
            let unique: BTreeSet<String> = list.iter().map(ToString::to_string).collect();
            unique.into_iter().collect()
        }),
    })
}

/// A stream that declares no time field is judged by its cursor field, and else by when its records were emitted.
fn constraint(manifest: &Manifest, since: Option<Millis>, until: Option<Millis>) -> Option<TimeConstraint> {
    let field = manifest.consent_time_field().or(manifest.cursor_field()).unwrap_or("emitted_at");
    (since.is_some() || until.is_some()).then(|| TimeConstraint { field: field.to_owned(), since, until })
}

fn access_mode(text: &str) -> Result<AccessMode, Failure> {
    let unknown = || Failure::Store(format!("a stored grant has the access mode \"{text}\""));
    AccessMode::parse(text).ok_or_else(unknown)
}

/// A label that is kept as JSON.
fn label(text: Option<String>) -> Result<Option<serde_json::Value>, Failure> {
    let damaged = |_| Failure::Store("a label of a stored grant is no JSON".into());
    text.map(|text| serde_json::from_str(&text).map_err(damaged)).transpose()
}

/// A new identifier of a grant or a package, which is no secret.
pub(super) fn new_id(prefix: &str) -> Result<String, getrandom::Error> {
    let mut bits = [0; 8];
    getrandom::fill(&mut bits)?;
    Ok(format!("{prefix}_{:016x}", u64::from_be_bytes(bits)))
}

pub(crate) fn manifest_of(text: Option<String>) -> Result<Manifest, Failure> {
    let Some(text) = text else { return Ok(Manifest::default()) };
    Manifest::stored(&text).map_err(|error| Failure::Store(format!("a stored manifest is damaged: {error}")))
}
