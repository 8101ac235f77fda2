//! What a grant covers, as the resource server's schema tells it.

mod fields;

use super::Remote;
use super::ask::Ask;
use super::client::invalid;
use super::window::code_of;
use crate::catalogue::{GrantedRelationship, GrantedScope, GrantedView};
use crate::error::Result;
use crate::prepare::{Cardinality, ExpandLimits, Semantics};
use crate::time;
use crate::token::Caller;
use serde_json::Value;
use std::collections::BTreeMap;
use stepwell_contract::{Code, ConnectionId, StreamName};

impl Remote {
    /// Lists the granted streams, from memory if that is fresh.
    pub(super) async fn list_catalogue(&self, caller: &Caller) -> Result<Vec<GrantedScope>> {
        let key = self.memory_key(caller)?;
        if let Some(scopes) = self.catalogues.get(&key) {
            return Ok(scopes);
        }
        let scopes = self.read_catalogue(caller).await?;
        self.catalogues.put(key, scopes.clone());
        Ok(scopes)
    }

    async fn read_catalogue(&self, caller: &Caller) -> Result<Vec<GrantedScope>> {
        let document = match self.schema(caller, Ask::of(&["schema"])).await {
            // A wide grant may fill more than is taken; the short form says less of each field.
            Err(error) if code_of(&error) == Some(Code::RsResponseTooLarge) => {
                self.schema(caller, compact()).await?
            }
            document => document?,
        };
        let mut scopes = scopes(&document, &BTreeMap::new())?;
        if scopes.is_empty() && has_streams(&document) {
            // A schema without connections: the list of streams has one row for each.
            let response = self.get(caller, &Ask::of(&["streams"])).await?;
            scopes = self::scopes(&document, &connections_of(&self.client.value(response).await?))?;
        }
        scopes.sort_by(|a, b| (&a.connection, &a.stream).cmp(&(&b.connection, &b.stream)));
        scopes.dedup_by(|one, other| one.connection == other.connection && one.stream == other.stream);
        Ok(scopes)
    }

    async fn schema(&self, caller: &Caller, ask: Ask) -> Result<Value> {
        let response = self.get(caller, &ask).await?;
        unwrapped(self.client.value(response).await?)
    }
}

/// The schema in its short form, which costs the server little.
pub(super) fn compact() -> Ask {
    Ask::of(&["schema"]).with("view", "compact")
}

/// The document itself, which may come inside `data`.
pub(super) fn unwrapped(mut answer: Value) -> Result<Value> {
    let is_schema = |value: &Value| {
        value["connectors"].is_array() || value["streams"].is_array() || value["object"] == "schema"
    };
    if is_schema(&answer) {
        return Ok(answer);
    }
    let inner = answer.get_mut("data").map(Value::take).unwrap_or_default();
    if is_schema(&inner) { Ok(inner) } else { Err(invalid("it is no schema").into()) }
}

/// The connectors of a document, or the document itself where its streams stand at the top.
fn connectors(document: &Value) -> Vec<&Value> {
    match document["connectors"].as_array() {
        Some(connectors) => connectors.iter().collect(),
        None => vec![document],
    }
}

fn has_streams(document: &Value) -> bool {
    connectors(document)
        .iter()
        .any(|connector| connector["streams"].as_array().is_some_and(|list| !list.is_empty()))
}

/// A connection's id and its name for people.
type Named = (ConnectionId, Option<String>);

fn scopes(document: &Value, listed: &BTreeMap<String, Vec<Named>>) -> Result<Vec<GrantedScope>> {
    let mut scopes = Vec::new();
    for connector in connectors(document) {
        let of_connector = named(&connector["granted_connections"]);
        for stream in connector["streams"].as_array().into_iter().flatten() {
            let name = stream.as_str().or(stream["name"].as_str());
            let name = name.and_then(|name| StreamName::new(name).ok());
            let name = name.ok_or_else(|| invalid("a stream in it has no name that an id can carry"))?;
            let known = [
                named(&stream["granted_connections"]),
                of_connector.clone(),
                named(&stream["instance_ids"]),
                listed.get(name.as_str()).cloned().unwrap_or_default(),
            ];
            let connections = known.into_iter().find(|list| !list.is_empty()).unwrap_or_default();
            for (connection, label) in connections {
                scopes.push(scope(connector, stream, name.clone(), connection, label));
            }
        }
    }
    Ok(scopes)
}

fn scope(
    connector: &Value,
    stream: &Value,
    name: StreamName,
    connection: ConnectionId,
    label: Option<String>,
) -> GrantedScope {
    let word = |value: &Value| value.as_str().map(str::to_owned);
    let semantics =
        if stream["semantics"] == "append_only" { Semantics::AppendOnly } else { Semantics::MutableState };
    let times = &stream["time_constraint"];
    let moment = |name: &str| times[name].as_str().and_then(time::parse);
    let fields = fields::fields(stream);
    GrantedScope {
        connection,
        connector: word(&connector["connector_key"]).or_else(|| word(&connector["connector_id"])),
        label: label.or_else(|| word(&stream["connection_display_name"])),
        stream: name,
        declared: true,
        semantics,
        primary_key: words(&stream["primary_key"]),
        cursor_field: word(&stream["cursor_field"]),
        views: stream["views"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|view| self::view(view, &fields))
            .collect(),
        fields,
        relationships: stream["expand_capabilities"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(relationship)
            .collect(),
        since: moment("since"),
        until: moment("until"),
    }
}

fn view(view: &Value, fields: &[crate::catalogue::FieldInfo]) -> Option<GrantedView> {
    let all = words(&view["fields"]);
    let granted: Vec<String> =
        all.iter().filter(|name| fields.iter().any(|field| field.name == **name)).cloned().collect();
    (!granted.is_empty()).then_some(GrantedView {
        id: view["id"].as_str()?.to_owned(),
        label: view["label"].as_str().map(str::to_owned),
        complete: granted.len() == all.len(),
        fields: granted,
    })
}

fn relationship(declared: &Value) -> Option<GrantedRelationship> {
    if declared["usable"] == false || declared["granted"] == false {
        return None;
    }
    let cardinality =
        if declared["cardinality"] == "has_one" { Cardinality::HasOne } else { Cardinality::HasMany };
    let limit = |name: &str| declared[name].as_u64().and_then(|limit| usize::try_from(limit).ok());
    let expands =
        limit("max_limit").map(|max| ExpandLimits { default: limit("default_limit").unwrap_or(max), max });
    let stream = declared["target_stream"].as_str().or(declared["stream"].as_str())?;
    Some(GrantedRelationship {
        name: declared["name"].as_str()?.to_owned(),
        stream: StreamName::new(stream).ok()?,
        foreign_key: declared["foreign_key"].as_str().unwrap_or_default().to_owned(),
        cardinality,
        expands,
    })
}

fn words(list: &Value) -> Vec<String> {
    match list {
        Value::String(word) => vec![word.clone()],
        list => list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}

/// Connections by id, or by id and name. One that no id can carry is left out: nothing could be read of it.
fn named(list: &Value) -> Vec<Named> {
    let one = |value: &Value| {
        let id = value.as_str().or(value["connection_id"].as_str())?;
        Some((ConnectionId::new(id).ok()?, value["display_name"].as_str().map(str::to_owned)))
    };
    list.as_array().into_iter().flatten().filter_map(one).collect()
}

/// The connections of each stream, from the list of streams.
fn connections_of(list: &Value) -> BTreeMap<String, Vec<Named>> {
    let mut known: BTreeMap<String, Vec<Named>> = BTreeMap::new();
    for row in list["data"].as_array().into_iter().flatten() {
        if let (Some(name), Some(connection)) = (row["name"].as_str(), row["connection_id"].as_str())
            && let Ok(connection) = ConnectionId::new(connection)
        {
            let label = row["display_name"].as_str().map(str::to_owned);
            known.entry(name.to_owned()).or_default().push((connection, label));
        }
    }
    known
}

#[cfg(test)]
mod tests;
