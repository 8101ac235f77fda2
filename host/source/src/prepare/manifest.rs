//! What a stream says about itself, in PDPP's shape.

use crate::prepare::line::NAME_MAX;
use serde_json::Value;

/// A stream's manifest. The whole document is kept; the parts that ingest needs are read out here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    document: Option<Value>,
    primary_key: Vec<String>,
    cursor_field: Option<String>,
    consent_time_field: Option<String>,
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
        /// Which member.
        member: &'static str,
        /// What belongs there.
        wanted: &'static str,
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
    /// Reads a manifest for a stream.
    pub fn parse(text: &str, stream: &str) -> Result<Self, BadManifest> {
        let document: Value = serde_json::from_str(text)?;
        let member = |member, wanted| BadManifest::Member { member, wanted };
        if !document.is_object() {
            return Err(member("(root)", "an object"));
        }
        match document.get("name") {
            None => {}
            Some(Value::String(name)) if name == stream => {}
            Some(Value::String(name)) => {
                return Err(BadManifest::Stream { found: name.clone(), wanted: stream.to_owned() });
            }
            Some(_) => return Err(member("name", "a string")),
        }
        if document.get("schema").is_some_and(|schema| !schema.is_object()) {
            return Err(member("schema", "a JSON Schema object"));
        }
        let primary_key = match document.get("primary_key") {
            None => Vec::new(),
            Some(Value::String(field)) => vec![field.clone()],
            Some(Value::Array(fields)) => fields
                .iter()
                .map(|field| field.as_str().map(str::to_owned))
                .collect::<Option<_>>()
                .ok_or_else(|| member("primary_key", "a list of field names"))?,
            Some(_) => return Err(member("primary_key", "a list of field names")),
        };
        let name_of = |key: &'static str| match document.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(field)) => Ok(Some(field.clone())),
            Some(_) => Err(member(key, "a field name")),
        };
        Ok(Self {
            primary_key,
            cursor_field: name_of("cursor_field")?,
            consent_time_field: name_of("consent_time_field")?,
            document: Some(document),
        })
    }

    /// The document as it was given; none if the stream came without one.
    #[must_use]
    pub fn document(&self) -> Option<&Value> {
        self.document.as_ref()
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

    /// Whether search looks into a field: the listed ones, or all if the manifest lists none.
    #[must_use]
    pub fn is_searchable(&self, field: &str) -> bool {
        let listed =
            self.document.as_ref().and_then(|document| document.pointer("/query/search/lexical_fields"));
        listed
            .and_then(Value::as_array)
            .is_none_or(|list| list.iter().any(|name| name.as_str() == Some(field)))
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
mod tests {
    use super::*;

    #[test]
    fn reads_what_ingest_needs_and_says_what_is_wrong() {
        let text = r#"{"name":"messages","primary_key":["id"],"cursor_field":"sent_at","consent_time_field":"sent_at",
                       "schema":{"type":"object","properties":{"id":{},"sent_at":{}}}}"#;
        let manifest = Manifest::parse(text, "messages").unwrap();
        assert_eq!(manifest.primary_key(), ["id"]);
        assert_eq!(manifest.declared_fields().collect::<Vec<_>>(), ["id", "sent_at"]);
        let fault = |text: &str| Manifest::parse(text, "messages").unwrap_err().to_string();
        assert!(fault(r#"{"name":"orders"}"#).contains("\"orders\", not \"messages\""));
        assert!(fault(r#"{"primary_key":[1]}"#).contains("primary_key"));
        assert!(fault("[]").contains("an object"));
    }
}
