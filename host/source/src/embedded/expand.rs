//! Follows declared relationships from records, inside the grant on both sides.

use crate::bind;
use crate::catalogue::GrantedRelationship;
use crate::embedded::Embedded;
use crate::embedded::catalogue::Granted;
use crate::embedded::page::Place;
use crate::embedded::project;
use crate::embedded::records::Listed;
use crate::embedded::shown::Shown;
use crate::embedded::statement::Statement;
use crate::error::Result;
use crate::prepare::{Cardinality, ExpandLimits};
use crate::query::{ExpandQuery, Expanded};
use crate::shape::{Digest, FieldKind, RecordIdentity, RecordRef, RecordView};
use crate::time;
use crate::token::Caller;
use stepwell_contract::quote::excerpt;
use stepwell_contract::{Code, RecordId, Refusal};

/// A relationship to follow from the records of one connection.
struct Step<'a> {
    relationship: GrantedRelationship,
    other: &'a Granted,
    limit: usize,
}

impl Embedded {
    /// Follows relationships from records.
    pub(super) async fn expand_records(
        &self,
        caller: &Caller,
        query: &ExpandQuery,
    ) -> Result<Vec<Vec<Expanded>>> {
        let own =
            self.scopes_of(caller, std::slice::from_ref(&query.stream), query.connection.as_ref()).await?;
        let mut all = Vec::new();
        for granted in self.granted_scopes(caller).await? {
            let fields = self.granted_names(&granted.grant, granted.scope).await?;
            all.push((granted, fields));
        }
        let mut plans = Vec::with_capacity(own.len());
        for granted in &own {
            plans.push((granted, plan(granted, query, &all)?));
        }
        let mut expanded = Vec::with_capacity(query.records.len());
        for record in &query.records {
            let plan = plans.iter().find(|(granted, _)| granted.connection == record.connection);
            let mut of_record = Vec::new();
            for step in plan.map(|(_, steps)| steps.as_slice()).unwrap_or_default() {
                of_record.push(self.follow(caller, record, step).await?);
            }
            expanded.push(of_record);
        }
        Ok(expanded)
    }

    async fn follow(&self, caller: &Caller, record: &RecordIdentity, step: &Step<'_>) -> Result<Expanded> {
        let Step { relationship, other, limit } = step;
        let (records, has_more) = match relationship.cardinality {
            Cardinality::HasOne => {
                (self.one(caller, record, relationship, other).await?.into_iter().collect(), false)
            }
            Cardinality::HasMany => self.many(record, relationship, other, *limit).await?,
        };
        Ok(Expanded {
            name: relationship.name.clone(),
            cardinality: relationship.cardinality,
            stream: relationship.stream.clone(),
            foreign_key: relationship.foreign_key.clone(),
            records,
            has_more,
        })
    }

    /// The record that this one's foreign key names; none if there is no such record within the grant.
    async fn one(
        &self,
        caller: &Caller,
        record: &RecordIdentity,
        relationship: &GrantedRelationship,
        other: &Granted,
    ) -> Result<Option<RecordView>> {
        let from = RecordRef::from(record.id());
        let found = self.locate_record(caller, &from).await?;
        let fields = self.view_fields(&found.grant, found.scope, found.record).await?;
        let key = fields.into_iter().find(|field| field.name == relationship.foreign_key);
        let is_key = |kind| matches!(kind, FieldKind::Text | FieldKind::Number);
        let key =
            key.filter(|field| is_key(field.shape.kind) && field.is_whole()).and_then(|field| field.head);
        let Some(key) = key.and_then(|key| RecordId::new(key).ok()) else { return Ok(None) };
        let to = RecordRef {
            connection: Some(other.connection.clone()),
            stream: other.stream.clone(),
            record: key,
        };
        match self.locate_record(caller, &to).await {
            Ok(found) => Ok(Some(self.view_found(found, None).await?)),
            Err(error) if error.refusal().is_some_and(|refusal| refusal.code == Code::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The records whose foreign key names this one, and whether there are more.
    async fn many(
        &self,
        record: &RecordIdentity,
        relationship: &GrantedRelationship,
        other: &Granted,
        limit: usize,
    ) -> Result<(Vec<RecordView>, bool)> {
        let digest = Digest::of(record.record.as_str().as_bytes());
        let one_more = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let field = relationship.foreign_key.as_str();
        let grant = other.grant.as_str();
        let params = bind![grant, time::now(), other.scope, field, &digest.0[..], one_more];
        let mut listed = Vec::new();
        let rows = self.read(Statement::Related, params).await?;
        let has_more = rows.len() > limit;
        for mut row in rows.into_iter().take(limit) {
            let (record, rid, time, emitted_at) = (row.int()?, row.text()?, row.int()?, row.int()?);
            let (connection, stream) = (other.connection.to_string(), other.stream.to_string());
            let place = Place { time, connection, stream, record: rid };
            listed.push(Listed { granted: other, record, place, emitted_at });
        }
        Ok((self.view_all(&listed, &Shown::ALL).await?, has_more))
    }
}

/// Settles what is followed from a connection's records, and refuses what the grant does not let them lead to.
fn plan<'a>(
    granted: &Granted,
    query: &ExpandQuery,
    all: &'a [(Granted, Vec<String>)],
) -> Result<Vec<Step<'a>>, Refusal> {
    let fields =
        all.iter().find(|(known, _)| known.scope == granted.scope).map(|(_, fields)| fields.as_slice());
    let known = project::relationships(granted, fields.unwrap_or_default(), all);
    let known: Vec<GrantedRelationship> =
        known.into_iter().filter(|relationship| relationship.expands.is_some()).collect();
    let mut steps = Vec::new();
    for (name, limit) in &query.relationships {
        let found = known.iter().find(|relationship| relationship.name == *name);
        let other = found.and_then(|found| {
            all.iter()
                .find(|(other, _)| other.connection == granted.connection && other.stream == found.stream)
        });
        let (Some(relationship), Some((other, _))) = (found, other) else {
            let connection = excerpt(granted.connection.as_str());
            let message = format!("the records of the connection {connection} lead to no {}", excerpt(name));
            let names: Vec<&str> = known.iter().map(|relationship| relationship.name.as_str()).collect();
            return Err(Refusal::new(Code::InvalidExpand, message)
                .param("expand")
                .with("available_expansions", names)
                .hint("schema with a stream lists what its records lead to"));
        };
        let limits = relationship.expands.unwrap_or(ExpandLimits::UNDECLARED);
        let limit = limit.unwrap_or(limits.default);
        if limit > limits.max {
            let message = format!("{} shows at most {} records", excerpt(name), limits.max);
            return Err(Refusal::new(Code::InvalidExpand, message)
                .param("expand_limit")
                .with("max_limit", limits.max));
        }
        steps.push(Step { relationship: relationship.clone(), other, limit });
    }
    Ok(steps)
}
