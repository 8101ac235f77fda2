//! Cuts what a manifest declares to what a grant covers.

use crate::catalogue::{FieldInfo, GrantedRelationship, GrantedView};
use crate::embedded::catalogue::Granted;
use crate::prepare::{Cardinality, Manifest, Relationship, View};
use crate::shape::FieldKind;

/// The operators of a range, where a manifest says nothing about ranges.
const RANGE: [&str; 4] = ["gte", "gt", "lte", "lt"];

/// What can be asked about a field: what the manifest declares, or else what its kinds of value allow.
pub(super) fn field(manifest: &Manifest, name: String, kinds: Vec<FieldKind>) -> FieldInfo {
    let has = |kind| kinds.contains(&kind);
    let in_order = has(FieldKind::Text) || has(FieldKind::Number);
    let exact = in_order || has(FieldKind::Boolean);
    let ranges = match manifest.ranges_of(&name) {
        Some(declared) => declared.to_vec(),
        None if in_order => RANGE.map(str::to_owned).to_vec(),
        None => Vec::new(),
    };
    let aggregations = manifest.aggregations_of(&name).unwrap_or_else(|| match () {
        () if has(FieldKind::Number) => vec!["sum", "min", "max", "count_distinct", "group_by"],
        () if has(FieldKind::Text) => vec!["min", "max", "count_distinct", "group_by"],
        () if exact => vec!["count_distinct", "group_by"],
        () => Vec::new(),
    });
    let is_time = [manifest.cursor_field(), manifest.consent_time_field()].contains(&Some(name.as_str()));
    FieldInfo {
        schema: manifest.schema_of(&name).cloned(),
        role: manifest.role_of(&name).map(str::to_owned),
        searchable: manifest.is_searchable(&name) && has(FieldKind::Text),
        exact,
        sortable: is_time || !ranges.is_empty(),
        ranges,
        aggregations,
        kinds,
        name,
    }
}

/// The views that have a granted field, without the fields that are not.
pub(super) fn views(manifest: &Manifest, granted: &[String]) -> Vec<GrantedView> {
    let cut = |view: &View| {
        let is_granted = |name: &&String| granted.contains(*name);
        let fields: Vec<String> = view.fields.iter().filter(is_granted).cloned().collect();
        let complete = fields.len() == view.fields.len();
        GrantedView { id: view.id.clone(), label: view.label.clone(), fields, complete }
    };
    manifest.views().iter().map(cut).filter(|view| !view.fields.is_empty()).collect()
}

/// The relationships whose other side is granted in the same connection, and whose foreign key is granted where it stands.
pub(super) fn relationships(
    own: &Granted,
    fields: &[String],
    all: &[(Granted, Vec<String>)],
) -> Vec<GrantedRelationship> {
    let within = |relationship: &Relationship| {
        let (other, theirs) = all.iter().find(|(other, _)| {
            other.connection == own.connection && other.stream.as_str() == relationship.stream
        })?;
        let holder = match relationship.cardinality {
            Cardinality::HasOne => fields,
            Cardinality::HasMany => theirs,
        };
        holder.iter().find(|field| **field == relationship.foreign_key)?;
        Some(GrantedRelationship {
            name: relationship.name.clone(),
            stream: other.stream.clone(),
            foreign_key: relationship.foreign_key.clone(),
            cardinality: relationship.cardinality,
            expands: relationship.expands,
        })
    };
    own.manifest.relationships().iter().filter_map(within).collect()
}
