//! Resolves a document against what is there now: views become fields, and `*` becomes the streams that there are.

use crate::embedded::Embedded;
use crate::embedded::grants::{Scope, matching};
use crate::error::Failure;
use crate::grant::document::{GrantDocument, Selection, StreamDocument};
use crate::grant::{GrantError, GrantRequest, StreamRequest};
use stepwell_contract::{ConnectionId, StreamName};

impl Embedded {
    /// Turns a document into a request that names every connection, stream and field. The client is the one that the
    /// document names, or else the one that is given.
    pub async fn resolve(
        &self,
        document: &GrantDocument,
        client: Option<&str>,
    ) -> Result<GrantRequest, GrantError> {
        let client = client.or(document.client.as_deref()).ok_or(GrantError::NoClient)?;
        let scopes = self.scopes().await?;
        let mut streams = Vec::new();
        for wanted in &document.streams {
            for scope in meant(wanted, &scopes)? {
                streams.push(request(wanted, scope)?);
            }
        }
        Ok(GrantRequest {
            client: client.to_owned(),
            subject: document.subject.clone().unwrap_or_else(|| "owner".to_owned()),
            purpose: document.purpose.clone(),
            expires_at: document.expires_at,
            streams,
        })
    }
}

/// The connections' streams that a part of a document means.
fn meant<'a>(wanted: &StreamDocument, scopes: &'a [Scope]) -> Result<Vec<&'a Scope>, GrantError> {
    if let Some(name) = &wanted.name {
        return matching(name, &wanted.connections, scopes);
    }
    let is_wanted = |scope: &&Scope| {
        wanted.connections.is_empty() || wanted.connections.iter().any(|id| id.as_str() == scope.connection)
    };
    let found: Vec<&Scope> = scopes.iter().filter(is_wanted).collect();
    let unknown =
        wanted.connections.iter().find(|id| !found.iter().any(|scope| scope.connection == id.as_str()));
    match unknown {
        None => Ok(found),
        Some(id) => {
            let mut known: Vec<&str> = scopes.iter().map(|scope| scope.connection.as_str()).collect();
            known.dedup();
            Err(GrantError::UnknownConnection {
                connection: id.to_string(),
                stream: "*".to_owned(),
                known: known.join(", "),
            })
        }
    }
}

fn request(wanted: &StreamDocument, scope: &Scope) -> Result<StreamRequest, GrantError> {
    let fields = match &wanted.fields {
        Selection::All => None,
        Selection::Fields(fields) => Some(fields.clone()),
        Selection::View(id) => {
            let views = scope.manifest.views();
            let view = views.iter().find(|view| view.id == *id).ok_or_else(|| GrantError::UnknownView {
                view: id.clone(),
                stream: scope.stream.clone(),
                connection: scope.connection.clone(),
                known: views.iter().map(|view| view.id.as_str()).collect::<Vec<_>>().join(", "),
            })?;
            Some(view.fields.clone())
        }
    };
    let stored = |rule: &dyn std::fmt::Display| Failure::Store(format!("a stored name {rule}"));
    Ok(StreamRequest {
        name: StreamName::new(&scope.stream).map_err(|rule| stored(&rule))?,
        connections: vec![ConnectionId::new(&scope.connection).map_err(|rule| stored(&rule))?],
        fields,
        since: wanted.since,
        until: wanted.until,
        resources: wanted.resources.clone(),
    })
}
