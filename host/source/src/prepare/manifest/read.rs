//! Reads the parts of a manifest out of its JSON, and says which member is wrong.

use super::BadManifest;
use super::parts::{Cardinality, ExpandLimits, Query, Relationship, Semantics, View};
use crate::prepare::line::NAME_MAX;
use serde_json::{Map, Value};
use std::collections::HashSet;
use stepwell_contract::budget::MAX_PAGE;

type Result<T> = std::result::Result<T, BadManifest>;

/// The operators of a range.
pub(super) const RANGE: [&str; 4] = ["gte", "gt", "lte", "lt"];

/// The ways to compute that go with fields.
pub(super) const COMPUTE: [&str; 6] = ["sum", "min", "max", "count_distinct", "group_by", "group_by_time"];

/// The document of a manifest, with the fields that its schema declares.
pub(super) struct Reader<'a> {
    root: &'a Map<String, Value>,
    declared: Option<&'a Map<String, Value>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(document: &'a Value) -> Result<Self> {
        let root = document.as_object().ok_or_else(|| wrong("(root)", "an object"))?;
        let declared = match root.get("schema") {
            None | Some(Value::Null) => None,
            Some(Value::Object(schema)) => match schema.get("properties") {
                None => None,
                Some(Value::Object(properties)) => Some(properties),
                Some(_) => return Err(wrong("schema.properties", "an object of fields")),
            },
            Some(_) => return Err(wrong("schema", "a JSON Schema object")),
        };
        Ok(Self { root, declared })
    }

    /// A manifest says which stream it describes, or leaves it open.
    pub(super) fn is_of(&self, stream: &str) -> Result<()> {
        match text(self.root, "name", "name")? {
            Some(name) if name != stream => {
                Err(BadManifest::Stream { found: name.to_owned(), wanted: stream.to_owned() })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn semantics(&self) -> Result<Semantics> {
        match text(self.root, "semantics", "semantics")? {
            None | Some("mutable_state") => Ok(Semantics::MutableState),
            Some("append_only") => Ok(Semantics::AppendOnly),
            Some(_) => Err(wrong("semantics", "append_only or mutable_state")),
        }
    }

    pub(super) fn primary_key(&self) -> Result<Vec<String>> {
        let fields = match self.root.get("primary_key") {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::String(field)) => vec![field.clone()],
            Some(list) => names(list, "primary_key")?,
        };
        self.known(&fields, "primary_key")?;
        Ok(fields)
    }

    /// A member that names one field.
    pub(super) fn field(&self, member: &str) -> Result<Option<String>> {
        let field = text(self.root, member, member)?.map(str::to_owned);
        self.known(field.as_slice(), member)?;
        Ok(field)
    }

    pub(super) fn views(&self) -> Result<Vec<View>> {
        let mut views: Vec<View> = Vec::new();
        for (place, view) in objects(self.root, "views", "views")? {
            let id = required(view, "id", &place)?;
            distinct(views.iter().map(|view| view.id.as_str()), id, &place)?;
            let label = text(view, "label", &format!("{place}.label"))?.map(str::to_owned);
            let at = format!("{place}.fields");
            let fields = names(view.get("fields").unwrap_or(&Value::Null), &at)?;
            if fields.is_empty() {
                return Err(wrong(at, "a list with at least one field"));
            }
            self.known(&fields, &at)?;
            views.push(View { id: id.to_owned(), label, fields });
        }
        Ok(views)
    }

    pub(super) fn relationships(&self) -> Result<Vec<Relationship>> {
        let mut found: Vec<Relationship> = Vec::new();
        for (place, relationship) in objects(self.root, "relationships", "relationships")? {
            let name = required(relationship, "name", &place)?;
            distinct(found.iter().map(|earlier| earlier.name.as_str()), name, &place)?;
            let stream = required(relationship, "stream", &place)?.to_owned();
            let foreign_key = required(relationship, "foreign_key", &place)?.to_owned();
            let cardinality = match required(relationship, "cardinality", &place)? {
                "has_one" => Cardinality::HasOne,
                "has_many" => Cardinality::HasMany,
                _ => return Err(wrong(format!("{place}.cardinality"), "has_one or has_many")),
            };
            // The key of a relationship to many stands in the other stream, of which this manifest knows nothing.
            let own = self.root.get("name").and_then(Value::as_str) == Some(stream.as_str());
            if cardinality == Cardinality::HasOne || own {
                self.known(std::slice::from_ref(&foreign_key), &format!("{place}.foreign_key"))?;
            }
            found.push(Relationship {
                name: name.to_owned(),
                stream,
                foreign_key,
                cardinality,
                expands: None,
            });
        }
        let query = object(self.root, "query", "query")?;
        for (place, expand) in objects(query.unwrap_or(&Map::new()), "expand", "query.expand")? {
            let name = required(expand, "name", &place)?;
            let Some(relationship) = found.iter_mut().find(|relationship| relationship.name == name) else {
                return Err(wrong(format!("{place}.name"), "the name of a declared relationship"));
            };
            relationship.expands = Some(limits(expand, &place)?);
        }
        Ok(found)
    }

    pub(super) fn query(&self) -> Result<Query> {
        let Some(query) = object(self.root, "query", "query")? else { return Ok(Query::default()) };
        let mut read = Query::default();
        if let Some(search) = object(query, "search", "query.search")? {
            for member in ["lexical_fields", "semantic_fields"] {
                let at = format!("query.search.{member}");
                let Some(list) = search.get(member).filter(|list| !list.is_null()) else { continue };
                let fields = names(list, &at)?;
                self.known(&fields, &at)?;
                if member == "lexical_fields" {
                    read.lexical_fields = Some(fields);
                }
            }
        }
        if let Some(ranges) = object(query, "range_filters", "query.range_filters")? {
            let mut filters = Vec::new();
            for (field, operators) in ranges {
                let at = format!("query.range_filters.{field}");
                self.known(std::slice::from_ref(field), "query.range_filters")?;
                let operators = names(operators, &at)?;
                if operators.is_empty() || operators.iter().any(|word| !RANGE.contains(&word.as_str())) {
                    return Err(wrong(at, "a list of gte, gt, lte, lt"));
                }
                filters.push((field.clone(), operators));
            }
            read.range_filters = Some(filters);
        }
        if let Some(declared) = object(query, "aggregations", "query.aggregations")? {
            let mut aggregations = Vec::new();
            for (metric, fields) in declared {
                let at = format!("query.aggregations.{metric}");
                if metric == "count" {
                    if !fields.is_boolean() {
                        return Err(wrong(at, "true or false"));
                    }
                    continue;
                }
                if !COMPUTE.contains(&metric.as_str()) {
                    let ways = format!("one of count, {}", COMPUTE.join(", "));
                    return Err(wrong(at, &ways));
                }
                let fields = names(fields, &at)?;
                self.known(&fields, &at)?;
                aggregations.push((metric.clone(), fields));
            }
            read.aggregations = Some(aggregations);
        }
        Ok(read)
    }

    /// Refuses a field that the schema does not have, if there is a schema, and one that no record could have.
    fn known(&self, fields: &[String], member: &str) -> Result<()> {
        let unknown = fields.iter().find(|field| {
            let impossible = field.is_empty() || field.len() > NAME_MAX || field.contains('\0');
            impossible || self.declared.is_some_and(|declared| !declared.contains_key(*field))
        });
        match unknown {
            None => Ok(()),
            Some(field) => Err(BadManifest::UnknownField {
                member: member.to_owned(),
                field: field.escape_debug().to_string(),
            }),
        }
    }
}

fn limits(expand: &Map<String, Value>, place: &str) -> Result<ExpandLimits> {
    let number = |member: &str| match expand.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(number @ 1..=MAX_PAGE) => Ok(Some(number as usize)),
            _ => Err(wrong(format!("{place}.{member}"), &format!("a whole number from 1 to {MAX_PAGE}"))),
        },
    };
    let (default, max) = (number("default_limit")?, number("max_limit")?);
    let max = max.unwrap_or_else(|| ExpandLimits::UNDECLARED.max.max(default.unwrap_or_default()));
    let default = default.unwrap_or_else(|| ExpandLimits::UNDECLARED.default.min(max));
    if default > max {
        return Err(wrong(format!("{place}.default_limit"), "no larger than max_limit"));
    }
    Ok(ExpandLimits { default, max })
}

fn wrong(member: impl Into<String>, wanted: &str) -> BadManifest {
    BadManifest::Member { member: member.into(), wanted: wanted.to_owned() }
}

fn text<'a>(object: &'a Map<String, Value>, member: &str, at: &str) -> Result<Option<&'a str>> {
    match object.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong(at, "a string")),
    }
}

fn required<'a>(object: &'a Map<String, Value>, member: &str, place: &str) -> Result<&'a str> {
    let at = format!("{place}.{member}");
    let found = text(object, member, &at)?.filter(|text| !text.is_empty());
    found.ok_or_else(|| wrong(at, "a string that is not empty"))
}

fn object<'a>(
    parent: &'a Map<String, Value>,
    member: &str,
    at: &str,
) -> Result<Option<&'a Map<String, Value>>> {
    match parent.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(_) => Err(wrong(at, "an object")),
    }
}

/// The objects of a list, each with its place in the document.
fn objects<'a>(
    parent: &'a Map<String, Value>,
    member: &str,
    at: &str,
) -> Result<Vec<(String, &'a Map<String, Value>)>> {
    let list = match parent.get(member) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(wrong(at, "a list of objects")),
    };
    let of = |(index, value): (usize, &'a Value)| {
        let place = format!("{at}[{index}]");
        value.as_object().map(|object| (place.clone(), object)).ok_or_else(|| wrong(place, "an object"))
    };
    list.iter().enumerate().map(of).collect()
}

fn names(value: &Value, at: &str) -> Result<Vec<String>> {
    let list = value.as_array().ok_or_else(|| wrong(at, "a list of names"))?;
    let mut seen = HashSet::new();
    let name = |value: &Value| {
        let name = value.as_str().ok_or_else(|| wrong(at, "a list of names"))?;
        if seen.insert(name.to_owned()) {
            Ok(name.to_owned())
        } else {
            Err(wrong(at, "a list without a name twice"))
        }
    };
    list.iter().map(name).collect()
}

fn distinct<'a>(mut earlier: impl Iterator<Item = &'a str>, name: &str, place: &str) -> Result<()> {
    if earlier.any(|earlier| earlier == name) {
        Err(wrong(place, "one of a kind, and its name is taken"))
    } else {
        Ok(())
    }
}
