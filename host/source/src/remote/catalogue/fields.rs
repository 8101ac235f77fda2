//! The fields of a stream, in the long form of a schema and in the short one.

use crate::catalogue::FieldInfo;
use crate::shape::FieldKind;
use serde_json::Value;

/// What can be computed, in the order of the documentation.
const AGGREGATIONS: [&str; 6] = ["count_distinct", "group_by", "group_by_time", "sum", "min", "max"];
const RANGES: [&str; 4] = ["gte", "gt", "lte", "lt"];

/// The granted fields of a stream, sorted by name.
pub(super) fn fields(stream: &Value) -> Vec<FieldInfo> {
    let mut fields: Vec<FieldInfo> = match &stream["field_capabilities"] {
        Value::Object(by_name) => by_name.iter().filter_map(|(name, value)| field(name, value)).collect(),
        Value::Array(list) => list
            .iter()
            .filter_map(|value| {
                let declared = if value["flags"].is_string() { &value["flags"] } else { value };
                field(value["name"].as_str()?, declared)
            })
            .collect(),
        _ => Vec::new(),
    };
    fields.sort_by(|a, b| a.name.cmp(&b.name));
    fields.dedup_by(|one, other| one.name == other.name);
    fields
}

fn field(name: &str, declared: &Value) -> Option<FieldInfo> {
    match declared {
        Value::String(flags) => short(name, flags),
        declared => long(name, declared),
    }
}

fn unknown(name: &str) -> FieldInfo {
    FieldInfo {
        name: name.to_owned(),
        kinds: Vec::new(),
        schema: None,
        role: None,
        searchable: false,
        exact: false,
        ranges: Vec::new(),
        aggregations: Vec::new(),
        sortable: false,
    }
}

/// `t=integer,eq,r=gte|lt,lex,a=sum`, or `declared` where the server says no more.
fn short(name: &str, flags: &str) -> Option<FieldInfo> {
    let mut field = unknown(name);
    for flag in flags.split(',') {
        match flag.split_once('=').unwrap_or((flag, "")) {
            ("g", "false") => return None,
            ("t", types) => field.kinds = types.split('|').filter_map(kind).collect(),
            ("role", role) => field.role = Some(role.to_owned()),
            ("eq", "") => field.exact = true,
            ("r", "") => field.ranges = RANGES.map(str::to_owned).to_vec(),
            ("r", operators) if !operators.starts_with("unusable") => {
                field.ranges =
                    operators.split('|').filter(|o| RANGES.contains(o)).map(str::to_owned).collect();
            }
            ("lex", "") => field.searchable = true,
            ("a", kinds) => field.aggregations = known(|known| kinds.split('|').any(|kind| kind == known)),
            _ => {}
        }
    }
    Some(field)
}

fn long(name: &str, declared: &Value) -> Option<FieldInfo> {
    if declared["granted"] == false {
        return None;
    }
    let usable = |what: &Value| what["usable"] == true || *what == true;
    let types = if declared["type"].is_null() { &declared["schema"]["type"] } else { &declared["type"] };
    let types: Vec<&str> = match types {
        Value::String(one) => vec![one],
        list => list.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
    };
    let range = &declared["range_filter"];
    let operators = range["operators"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let has_schema = declared["schema"].as_object().is_some_and(|schema| !schema.is_empty());
    Some(FieldInfo {
        kinds: types.into_iter().filter_map(kind).collect(),
        schema: has_schema.then(|| declared["schema"].clone()),
        role: declared["role"].as_str().map(role),
        searchable: usable(&declared["lexical_search"]),
        exact: usable(&declared["exact_filter"]),
        ranges: if usable(range) { operators.map(str::to_owned).collect() } else { Vec::new() },
        aggregations: known(|name| usable(&declared["aggregation"][name])),
        ..unknown(name)
    })
}

fn known(has: impl Fn(&str) -> bool) -> Vec<&'static str> {
    AGGREGATIONS.into_iter().filter(|name| has(name)).collect()
}

/// The role in our words.
fn role(role: &str) -> String {
    role.strip_prefix("primary-").unwrap_or(role).to_owned()
}

fn kind(name: &str) -> Option<FieldKind> {
    Some(match name {
        "string" | "text" | "timestamp" | "date" | "date-time" => FieldKind::Text,
        "integer" | "number" => FieldKind::Number,
        "boolean" => FieldKind::Boolean,
        "object" | "array" | "json" => FieldKind::Json,
        "blob" | "binary" => FieldKind::Binary,
        "null" => FieldKind::Empty,
        _ => return None,
    })
}
