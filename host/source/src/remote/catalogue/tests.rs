use super::*;
use serde_json::json;

fn of(document: Value) -> Vec<GrantedScope> {
    scopes(&unwrapped(document).unwrap(), &BTreeMap::new()).unwrap()
}

#[test]
fn the_long_form_says_what_can_be_done_with_a_field() {
    let scopes = of(json!({ "data": { "object": "schema", "connectors": [{ "connector_key": "mail",
        "granted_connections": [{ "connection_id": "cin_8" }],
        "streams": [
            { "name": "inbox", "primary_key": ["id"], "granted_connections": [{ "connection_id": "cin_7", "display_name": "Work" }],
              "field_capabilities": {
                "subject": { "type": "string", "role": "primary-title", "granted": true, "schema": { "type": "string" },
                    "exact_filter": { "usable": true }, "range_filter": { "usable": false, "operators": ["gte"] },
                    "lexical_search": { "usable": true }, "aggregation": { "group_by": { "usable": true }, "sum": { "usable": false } } },
                "secret": { "granted": false, "type": "string" },
                "size": { "schema": { "type": ["integer", "null"] }, "range_filter": { "usable": true, "operators": ["gte", "lt"] } } },
              "expand_capabilities": [{ "name": "files", "target_stream": "files", "cardinality": "has_many", "usable": true, "max_limit": 5 }] },
            { "name": "files" } ] }] } }));
    let names: Vec<(&str, &str)> =
        scopes.iter().map(|scope| (scope.connection.as_str(), scope.stream.as_str())).collect();
    assert_eq!(names, [("cin_7", "inbox"), ("cin_8", "files")]);
    let inbox = &scopes[0];
    assert_eq!((inbox.label.as_deref(), inbox.connector.as_deref()), (Some("Work"), Some("mail")));
    assert!(inbox.field("secret").is_none());
    let subject = inbox.field("subject").unwrap();
    assert!(subject.searchable && subject.exact && subject.ranges.is_empty());
    assert_eq!((subject.role.as_deref(), &subject.aggregations[..]), (Some("title"), &["group_by"][..]));
    assert_eq!(inbox.field("size").unwrap().ranges, ["gte", "lt"]);
    assert_eq!(inbox.relationships[0].expands, Some(ExpandLimits { default: 5, max: 5 }));
}

#[test]
fn the_short_form_and_a_clients_view_of_it_are_read_too() {
    let scopes = of(json!({ "object": "schema", "connectors": [{ "connector_id": "mail",
        "granted_connections": [{ "connection_id": "cin_7" }],
        "streams": [{ "name": "inbox", "primary_key": [], "field_capabilities": {
            "n": "t=integer,eq,r=gte|gt,a=sum|max", "body": "declared", "hidden": "t=string,g=false", "t": "t=string,lex,r=unusable:x" } }] }] }));
    let field = |name: &str| scopes[0].field(name);
    let n = field("n").unwrap();
    assert_eq!(
        (n.exact, &n.ranges[..], &n.aggregations[..]),
        (true, &["gte".to_owned(), "gt".to_owned()][..], &["sum", "max"][..])
    );
    assert!(field("hidden").is_none() && field("t").unwrap().ranges.is_empty());
    let body = field("body").unwrap();
    assert!(body.kinds.is_empty() && !body.searchable && !body.exact);
}

#[test]
fn connections_may_stand_elsewhere_and_hostile_ones_are_left_out() {
    let scopes = of(json!({ "streams": [
        { "name": "a", "instance_ids": ["cin_1", "../x", "cin_2"] }, { "name": "b" } ] }));
    let names: Vec<&str> = scopes.iter().map(|scope| scope.connection.as_str()).collect();
    assert_eq!(names, ["cin_1", "cin_2"]);
    let listed =
        connections_of(&json!({ "data": [{ "name": "b", "connection_id": "cin_3", "display_name": "B" }] }));
    let found = super::scopes(&json!({ "streams": ["b"] }), &listed).unwrap();
    assert_eq!((found.len(), found[0].label.as_deref()), (1, Some("B")));
    assert!(super::scopes(&json!({ "streams": [{ "name": "a/b" }] }), &BTreeMap::new()).is_err());
    assert!(unwrapped(json!({ "hello": "world" })).is_err() && unwrapped(json!([])).is_err());
}
