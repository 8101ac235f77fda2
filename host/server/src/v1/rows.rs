//! Records as rows, whole.

use super::Call;
use serde_json::{Value, json};
use stepwell_contract::ConnectionId;
use stepwell_ladder::whole::{Unfinished, WholeRecords, disclosed};
use stepwell_source::prepare::Cardinality;
use stepwell_source::query::{ExpandQuery, Expanded};
use stepwell_source::shape::RecordIdentity;
use stepwell_source::whole::{Blobs, Pen};
use stepwell_source::{Caller, Disclosure, RecordView, time};

/// Where bytes can be had.
const BLOBS: Blobs = Blobs::Linked("/v1/blobs/");

impl Call<'_> {
    /// What hands out whole records to a caller of this route.
    pub(super) fn whole_records(&self, caller: &Caller) -> WholeRecords {
        WholeRecords {
            source: self.source(),
            ledger: self.ledger(),
            caller: caller.clone(),
            tool: self.route.name().to_owned(),
            blobs: BLOBS,
        }
    }

    /// What records lead to, record by record.
    pub(super) async fn expanded(
        &self,
        caller: &Caller,
        connection: Option<ConnectionId>,
        records: &[RecordIdentity],
        relationships: Vec<(String, Option<usize>)>,
    ) -> Result<Vec<Vec<Expanded>>, super::Fault> {
        let (Some(first), false) = (records.first(), relationships.is_empty()) else { return Ok(Vec::new()) };
        let query = ExpandQuery {
            stream: first.stream.clone(),
            connection,
            records: records.to_vec(),
            relationships,
        };
        Ok(self.source().expand(caller, &query).await?)
    }
}

/// What rows disclose, with what they lead to.
pub(super) fn disclosed_rows<'a>(
    views: impl Iterator<Item = &'a RecordView>,
    expanded: &'a [Vec<Expanded>],
) -> Vec<Disclosure> {
    let beside = expanded.iter().flatten().flat_map(|expanded| &expanded.records);
    views.chain(beside).flat_map(|view| disclosed(view, BLOBS)).collect()
}

/// Writes a record, with what it leads to.
pub(super) async fn write_row(
    whole: &WholeRecords,
    view: &RecordView,
    expanded: &[Expanded],
    more: &str,
    pen: &mut Pen<'_>,
) -> Result<(), Unfinished> {
    whole.write(view, row_head, "", pen).await?;
    for (index, one) in expanded.iter().enumerate() {
        let before = if index == 0 { ",\"expanded\":{" } else { "," };
        pen.write(format!("{before}{}:", json!(one.name))).await?;
        write_expanded(whole, one, pen).await?;
    }
    let close = if expanded.is_empty() { "" } else { "}" };
    Ok(pen.write(format!("{close}{more}}}")).await?)
}

async fn write_expanded(
    whole: &WholeRecords,
    expanded: &Expanded,
    pen: &mut Pen<'_>,
) -> Result<(), Unfinished> {
    match (expanded.cardinality, expanded.records.first()) {
        (Cardinality::HasOne, None) => Ok(pen.write("null").await?),
        (Cardinality::HasOne, Some(view)) => whole.write(view, row_head, "}", pen).await,
        (Cardinality::HasMany, _) => {
            pen.write(format!("{{\"object\":\"list\",\"has_more\":{},\"data\":[", expanded.has_more)).await?;
            for (index, view) in expanded.records.iter().enumerate() {
                pen.write(if index == 0 { "" } else { "," }).await?;
                whole.write(view, row_head, "}", pen).await?;
            }
            Ok(pen.write("]}").await?)
        }
    }
}

/// A row up to its fields.
fn row_head(view: &RecordView) -> String {
    let mut row = json!({
        "object": "record",
        "id": view.identity.record.as_str(),
        "stream": view.identity.stream.as_str(),
        "connection_id": view.identity.connection.as_str(),
        "connector_instance_id": view.identity.connection.as_str(),
        "emitted_at": time::print(view.emitted_at),
    });
    if let Some(revision) = &view.revision {
        row["revision"] = json!(revision);
    }
    for (name, label) in [("connector_key", &view.connector), ("display_name", &view.label)] {
        if let Some(label) = label {
            row[name] = json!(label);
        }
    }
    open(&row) + ",\"data\":"
}

/// A record that is no longer there.
pub(super) fn removed_row(identity: &RecordIdentity) -> Value {
    json!({
        "object": "record",
        "id": identity.record.as_str(),
        "stream": identity.stream.as_str(),
        "connection_id": identity.connection.as_str(),
        "connector_instance_id": identity.connection.as_str(),
        "deleted": true,
    })
}

/// An object whose end is still to come.
pub(super) fn open(object: &Value) -> String {
    let mut text = object.to_string();
    text.pop();
    text
}
