//! A granted stream, as the schema and the stream's own address describe it.

use serde_json::{Map, Value, json};
use stepwell_source::FieldKind;
use stepwell_source::catalogue::{FieldInfo, GrantedScope};
use stepwell_source::time;

/// Everything that the grant lets one know about a stream.
pub(super) fn full(scope: &GrantedScope) -> Value {
    let mut stream = named(scope);
    let properties: Map<String, Value> =
        scope.fields.iter().map(|field| (field.name.clone(), schema_of(field))).collect();
    stream["schema"] = json!({ "type": "object", "properties": properties });
    let fields = scope.fields.iter().map(|field| (field.name.clone(), capability(field)));
    stream["field_capabilities"] = Value::Object(fields.collect());
    stream["query"] = query(scope);
    stream["views"] = scope
        .views
        .iter()
        .map(|view| json!({ "id": view.id, "label": view.label, "fields": view.fields, "complete": view.complete }))
        .collect();
    stream["relationships"] = scope
        .relationships
        .iter()
        .map(|related| {
            json!({
                "name": related.name,
                "stream": related.stream.as_str(),
                "foreign_key": related.foreign_key,
                "cardinality": related.cardinality.as_str(),
            })
        })
        .collect();
    stream["selection"] = json!({ "fields": true, "resources": true });
    stream
}

/// The same in few words: what can be asked about each field as a list of flags.
pub(super) fn compact(scope: &GrantedScope) -> Value {
    let mut stream = named(scope);
    let fields = scope.fields.iter().map(|field| (field.name.clone(), json!(flags(field))));
    stream["field_capabilities"] = Value::Object(fields.collect());
    stream
}

fn named(scope: &GrantedScope) -> Value {
    let connection = scope.connection.as_str();
    let mut granted = json!({ "connection_id": connection });
    if let Some(label) = &scope.label {
        granted["display_name"] = json!(label);
    }
    let mut stream = json!({
        "object": "stream_metadata",
        "name": scope.stream.as_str(),
        "connection_id": connection,
        "granted": true,
        "semantics": scope.semantics.as_str(),
        "primary_key": scope.primary_key,
        "instance_ids": [connection],
        "granted_connections": [granted],
        "expand_capabilities": expandable(scope),
    });
    let optional = [
        ("display_name", scope.label.clone()),
        ("connector_key", scope.connector.clone()),
        ("cursor_field", scope.cursor_field.clone()),
        ("since", scope.since.map(time::print)),
        ("until", scope.until.map(time::print)),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            stream[name] = json!(value);
        }
    }
    stream
}

fn expandable(scope: &GrantedScope) -> Value {
    let capability = |related: &stepwell_source::catalogue::GrantedRelationship| {
        let limits = related.expands?;
        Some(json!({
            "name": related.name,
            "target_stream": related.stream.as_str(),
            "cardinality": related.cardinality.as_str(),
            "foreign_key": related.foreign_key,
            "granted": true,
            "usable": true,
            "default_limit": limits.default,
            "max_limit": limits.max,
        }))
    };
    scope.relationships.iter().filter_map(capability).collect()
}

/// What JSON Schema calls the kinds of a field.
fn types(field: &FieldInfo) -> Vec<&'static str> {
    let word = |kind: &FieldKind| match kind {
        FieldKind::Text => "string",
        FieldKind::Number => "number",
        FieldKind::Boolean => "boolean",
        FieldKind::Empty => "null",
        FieldKind::Json | FieldKind::Binary => "object",
    };
    let mut types: Vec<&str> = field.kinds.iter().map(word).collect();
    types.dedup();
    types
}

fn schema_of(field: &FieldInfo) -> Value {
    match (&field.schema, types(field).as_slice()) {
        (Some(schema), _) => schema.clone(),
        (None, []) => json!({}),
        (None, [one]) => json!({ "type": one }),
        (None, several) => json!({ "type": several }),
    }
}

fn capability(field: &FieldInfo) -> Value {
    let can = |is: bool| json!({ "declared": is, "usable": is });
    let numbers: Map<String, Value> =
        field.aggregations.iter().map(|kind| ((*kind).to_owned(), can(true))).collect();
    let mut capability = json!({
        "granted": true,
        "type": types(field).join("|"),
        "schema": schema_of(field),
        "exact_filter": can(field.exact),
        "range_filter":
            { "declared": !field.ranges.is_empty(), "usable": !field.ranges.is_empty(), "operators": field.ranges },
        "lexical_search": can(field.searchable),
        "semantic_search": can(false),
        "aggregation": numbers,
        "sortable": field.sortable,
    });
    if let Some(role) = &field.role {
        capability["role"] = json!(role);
    }
    capability
}

/// Type, role, filters, search and numbers, divided by commas.
fn flags(field: &FieldInfo) -> String {
    let mut flags = Vec::new();
    let types = types(field);
    if !types.is_empty() {
        flags.push(format!("t={}", types.join("|")));
    }
    if let Some(role) = &field.role {
        flags.push(format!("role={}", plain(role)));
    }
    if field.exact {
        flags.push("eq".to_owned());
    }
    if !field.ranges.is_empty() {
        flags.push(format!("r={}", field.ranges.join("|")));
    }
    if field.searchable {
        flags.push("lex".to_owned());
    }
    if !field.aggregations.is_empty() {
        flags.push(format!("a={}", field.aggregations.join("|")));
    }
    if flags.is_empty() { "declared".to_owned() } else { flags.join(",") }
}

/// A manifest's word, without what divides flags.
fn plain(word: &str) -> String {
    word.replace(|c: char| c.is_whitespace() || ";,[]{}".contains(c), "_")
}

/// What can be asked, in the form in which a manifest declares it.
fn query(scope: &GrantedScope) -> Value {
    let names = |is: &dyn Fn(&FieldInfo) -> bool| -> Vec<&str> {
        scope.fields.iter().filter(|field| is(field)).map(|field| field.name.as_str()).collect()
    };
    let ranges = scope.fields.iter().filter(|field| !field.ranges.is_empty());
    let ranges: Map<String, Value> = ranges.map(|field| (field.name.clone(), json!(field.ranges))).collect();
    json!({
        "search": { "lexical_fields": names(&|field| field.searchable), "semantic_fields": [] },
        "exact_filters": names(&|field| field.exact),
        "range_filters": ranges,
        "sort": names(&|field| field.sortable),
    })
}
