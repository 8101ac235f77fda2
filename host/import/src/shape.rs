//! What a stream declares about itself, put together from its fields.

use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// A name that is known when the program is written, or one that the input brings.
pub(crate) type Name = Cow<'static, str>;

/// A stream's declaration.
#[derive(Clone, Debug)]
pub struct Shape {
    pub(crate) name: Name,
    pub(crate) label: Name,
    pub(crate) about: Name,
    /// The field that makes the key, unless the import derives one.
    pub(crate) key: Option<Name>,
    /// The field that orders records, and that a grant's time range is about.
    pub(crate) time: Option<Name>,
    pub(crate) fields: Vec<Field>,
    pub(crate) views: &'static [View],
    pub(crate) relations: Vec<Relation>,
}

/// A named choice of fields: its id, its label and the fields.
pub(crate) type View = (&'static str, &'static str, &'static [&'static str]);

/// Where a stream's records lead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relation {
    name: &'static str,
    stream: &'static str,
    foreign_key: &'static str,
    many: bool,
}

impl Relation {
    /// To one record, whose key stands in a field of this stream.
    pub(crate) const fn one(name: &'static str, stream: &'static str, foreign_key: &'static str) -> Self {
        Self { name, stream, foreign_key, many: false }
    }

    /// To those records whose field holds the key of the one here.
    pub(crate) const fn many(name: &'static str, stream: &'static str, foreign_key: &'static str) -> Self {
        Self { name, stream, foreign_key, many: true }
    }

    fn cardinality(self) -> &'static str {
        if self.many { "has_many" } else { "has_one" }
    }
}

/// A field of a stream.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Name,
    kind: FieldType,
    role: Option<&'static str>,
    media_type: Option<&'static str>,
    is_searched: bool,
    is_grouped: bool,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldType {
    Text,
    Time,
    Integer,
    Number,
    Boolean,
    List,
    Object,
    Blob,
    Any,
}

impl Field {
    pub(crate) fn new(name: impl Into<Name>, kind: FieldType) -> Self {
        Self { name: name.into(), kind, role: None, media_type: None, is_searched: false, is_grouped: false }
    }

    pub(crate) fn text(name: impl Into<Name>) -> Self {
        Self::new(name, FieldType::Text)
    }

    /// The field that says when.
    pub(crate) fn time(name: impl Into<Name>) -> Self {
        Self::new(name, FieldType::Time)
    }

    /// Says what the field is to a reader: `title`, `body`, `author`, `time`.
    pub(crate) fn role(mut self, role: &'static str) -> Self {
        self.role = Some(role);
        self
    }

    pub(crate) fn media_type(mut self, media_type: &'static str) -> Self {
        self.media_type = Some(media_type);
        self
    }

    /// Search looks into it.
    pub(crate) fn searched(mut self) -> Self {
        self.is_searched = true;
        self
    }

    /// Records can be counted by it.
    pub(crate) fn grouped(mut self) -> Self {
        self.is_grouped = true;
        self
    }

    fn is_ordered(&self) -> bool {
        matches!(self.kind, FieldType::Time | FieldType::Integer | FieldType::Number)
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            FieldType::Text => json!({ "type": ["string", "null"], "x_pdpp_type": "text" }),
            FieldType::Time => {
                json!({ "type": ["string", "null"], "format": "date-time", "x_pdpp_type": "timestamp" })
            }
            FieldType::Integer => json!({ "type": ["integer", "null"] }),
            FieldType::Number => json!({ "type": ["number", "null"] }),
            FieldType::Boolean => json!({ "type": ["boolean", "null"] }),
            FieldType::List => json!({ "type": ["array", "null"] }),
            FieldType::Object => json!({ "type": ["object", "null"] }),
            FieldType::Blob => json!({ "type": ["object", "null"], "x_pdpp_type": "blob" }),
            FieldType::Any => json!({}),
        };
        if let Some(role) = self.role {
            schema["x_pdpp_role"] = role.into();
        }
        if let Some(media_type) = self.media_type {
            schema["contentMediaType"] = media_type.into();
        }
        schema
    }
}

impl Shape {
    /// Spells the manifest.
    pub(crate) fn manifest(&self) -> Value {
        let properties: Map<String, Value> =
            self.fields.iter().map(|field| (field.name.to_string(), field.schema())).collect();
        let views: Vec<Value> = self
            .views
            .iter()
            .map(|(id, label, fields)| json!({ "id": id, "label": label, "fields": fields }))
            .collect();
        let relationships: Vec<Value> = self
            .relations
            .iter()
            .map(|relation| {
                let Relation { name, stream, foreign_key, .. } = relation;
                json!({ "name": name, "stream": stream, "foreign_key": foreign_key, "cardinality": relation.cardinality() })
            })
            .collect();
        let mut manifest = json!({
            "name": self.name,
            "description": self.about,
            "display": { "label": self.label },
            "semantics": "mutable_state",
            "selection": { "fields": true, "resources": true },
            "schema": { "type": "object", "properties": properties },
            "views": views,
            "relationships": relationships,
            "query": self.query(),
        });
        if let Some(key) = &self.key {
            manifest["primary_key"] = json!([key]);
        }
        if let Some(time) = &self.time {
            manifest["cursor_field"] = json!(time);
            manifest["consent_time_field"] = json!(time);
        }
        manifest
    }

    fn query(&self) -> Value {
        let names = |is: &dyn Fn(&Field) -> bool| -> Vec<&str> {
            self.fields.iter().filter(|field| is(field)).map(|field| field.name.as_ref()).collect()
        };
        let ranges: Map<String, Value> = names(&Field::is_ordered)
            .into_iter()
            .map(|name| (name.to_owned(), json!(["gte", "gt", "lte", "lt"])))
            .collect();
        let is_number = |field: &Field| matches!(field.kind, FieldType::Integer | FieldType::Number);
        let grouped = names(&|field| field.is_grouped);
        let expand: Vec<Value> = self
            .relations
            .iter()
            .map(|relation| match relation.many {
                true => json!({ "name": relation.name, "default_limit": 10, "max_limit": 50 }),
                false => json!({ "name": relation.name }),
            })
            .collect();
        json!({
            "search": { "lexical_fields": names(&|field| field.is_searched) },
            "range_filters": ranges,
            "aggregations": {
                "count": true,
                "sum": names(&is_number),
                "min": names(&Field::is_ordered),
                "max": names(&Field::is_ordered),
                "count_distinct": grouped,
                "group_by": grouped,
                "group_by_time": names(&|field| field.kind == FieldType::Time),
            },
            "expand": expand,
        })
    }
}
