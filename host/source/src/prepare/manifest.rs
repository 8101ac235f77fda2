//! What a stream says about itself, in PDPP's shape.

mod parts;
mod read;

pub use parts::{Cardinality, ExpandLimits, Query, Relationship, Semantics, View};

use crate::prepare::line::NAME_MAX;
use read::{COMPUTE, Reader};
use serde_json::Value;

/// A stream's manifest: the document as it was given, and its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    document: Option<Value>,
    semantics: Semantics,
    primary_key: Vec<String>,
    cursor_field: Option<String>,
    consent_time_field: Option<String>,
    views: Vec<View>,
    relationships: Vec<Relationship>,
    query: Query,
}

/// Why a document is no manifest.
#[derive(Debug, thiserror::Error)]
pub enum BadManifest {
    /// Not JSON.
    #[error("the manifest is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Not what the shape asks for.
    #[error("the manifest's \"{member}\" must be {wanted}")]
    Member {
        /// Which member, by its path.
        member: String,
        /// What belongs there.
        wanted: String,
    },
    /// A field that there is not.
    #[error("the manifest's \"{member}\" names the field \"{field}\", which its schema does not declare")]
    UnknownField {
        /// Which member, by its path.
        member: String,
        /// The field.
        field: String,
    },
    /// A manifest of another stream.
    #[error("the manifest describes the stream \"{found}\", not \"{wanted}\"")]
    Stream {
        /// The stream that it names.
        found: String,
        /// The stream that is being filled.
        wanted: String,
    },
}

impl Manifest {
    /// Reads a manifest for a stream, and refuses one of which any part is wrong.
    pub fn parse(text: &str, stream: &str) -> Result<Self, BadManifest> {
        let document: Value = serde_json::from_str(text)?;
        let reader = Reader::new(&document)?;
        reader.is_of(stream)?;
        Ok(Self {
            semantics: reader.semantics()?,
            primary_key: reader.primary_key()?,
            cursor_field: reader.field("cursor_field")?,
            consent_time_field: reader.field("consent_time_field")?,
            views: reader.views()?,
            relationships: reader.relationships()?,
            query: reader.query()?,
            document: Some(document),
        })
    }

    /// Reads a manifest that a store kept. An earlier version may have accepted a part that this one would not: a store
    /// opens all the same, and such a part counts as not declared. What decides who sees a record is not given up so.
    pub(crate) fn stored(text: &str) -> Result<Self, BadManifest> {
        let document: Value = serde_json::from_str(text)?;
        let named = |member: &str| document.get(member).and_then(Value::as_str).map(str::to_owned);
        let mut manifest = Self {
            cursor_field: named("cursor_field"),
            consent_time_field: named("consent_time_field"),
            ..Self::default()
        };
        if let Ok(reader) = Reader::new(&document) {
            manifest.semantics = reader.semantics().unwrap_or_default();
            manifest.primary_key = reader.primary_key().unwrap_or_default();
            manifest.views = reader.views().unwrap_or_default();
            manifest.relationships = reader.relationships().unwrap_or_default();
            manifest.query = reader.query().unwrap_or_default();
        }
        manifest.document = Some(document);
        Ok(manifest)
    }

    /// The document as it was given; none if the stream came without one.
    #[must_use]
    pub fn document(&self) -> Option<&Value> {
        self.document.as_ref()
    }

    /// How the stream's records live.
    #[must_use]
    pub fn semantics(&self) -> Semantics {
        self.semantics
    }

    /// The fields that make a record's key.
    #[must_use]
    pub fn primary_key(&self) -> &[String] {
        &self.primary_key
    }

    /// The field that orders records.
    #[must_use]
    pub fn cursor_field(&self) -> Option<&str> {
        self.cursor_field.as_deref()
    }

    /// The field that a grant's time range is about.
    #[must_use]
    pub fn consent_time_field(&self) -> Option<&str> {
        self.consent_time_field.as_deref()
    }

    /// The named choices of fields.
    #[must_use]
    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// How its records lead to others.
    #[must_use]
    pub fn relationships(&self) -> &[Relationship] {
        &self.relationships
    }

    /// Whether search looks into a field: the listed ones, or all if the manifest lists none.
    #[must_use]
    pub fn is_searchable(&self, field: &str) -> bool {
        self.query.lexical_fields.as_ref().is_none_or(|list| list.iter().any(|name| name == field))
    }

    /// The operators of ranges over a field; none if the manifest says nothing about ranges.
    #[must_use]
    pub fn ranges_of(&self, field: &str) -> Option<&[String]> {
        let declared = self.query.range_filters.as_ref()?;
        let found = declared.iter().find(|(name, _)| name == field);
        Some(found.map_or(&[][..], |(_, operators)| operators))
    }

    /// What can be computed of a field; none if the manifest says nothing about computing.
    #[must_use]
    pub fn aggregations_of(&self, field: &str) -> Option<Vec<&'static str>> {
        let declared = self.query.aggregations.as_ref()?;
        let of = |way: &&str| {
            declared.iter().any(|(metric, fields)| metric == way && fields.iter().any(|f| f == field))
        };
        Some(COMPUTE.into_iter().filter(of).collect())
    }

    /// What the schema says about a field.
    #[must_use]
    pub fn schema_of(&self, field: &str) -> Option<&Value> {
        self.document.as_ref()?.get("schema")?.get("properties")?.get(field)
    }

    /// A field's role for people.
    #[must_use]
    pub fn role_of(&self, field: &str) -> Option<&str> {
        self.schema_of(field)?.get("x_pdpp_role")?.as_str()
    }

    /// The fields that the schema declares, without those that no record could have.
    pub fn declared_fields(&self) -> impl Iterator<Item = &str> {
        let properties = self.document.as_ref().and_then(|document| document.pointer("/schema/properties"));
        properties
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|map| map.keys().map(String::as_str))
            .filter(|name| name.len() <= NAME_MAX && !name.contains('\0'))
    }
}

#[cfg(test)]
mod tests;
