use super::*;

const WHOLE: &str = r#"{
    "name":"messages","semantics":"append_only","primary_key":["account","id"],"cursor_field":"sent_at",
    "consent_time_field":"sent_at",
    "schema":{"type":"object","properties":{"account":{},"id":{},"sent_at":{"x_pdpp_role":"time"},"parent":{},"amount":{}}},
    "views":[{"id":"brief","label":"In brief","fields":["id","sent_at"]}],
    "relationships":[{"name":"replies","stream":"messages","foreign_key":"parent","cardinality":"has_many"},
                     {"name":"thread","stream":"threads","foreign_key":"parent","cardinality":"has_one"}],
    "query":{"search":{"lexical_fields":["id"]},"range_filters":{"amount":["gte","lt"]},
             "aggregations":{"count":true,"sum":["amount"],"group_by":["parent","amount"]},
             "expand":[{"name":"replies","default_limit":3,"max_limit":9}]}}"#;

fn fault(text: &str) -> String {
    Manifest::parse(text, "messages").unwrap_err().to_string()
}

/// The whole manifest with one member replaced, by its pointer.
fn with(pointer: &str, value: Value) -> String {
    let mut document: Value = serde_json::from_str(WHOLE).unwrap();
    *document.pointer_mut(pointer).unwrap() = value;
    document.to_string()
}

#[test]
fn every_part_is_read() {
    let manifest = Manifest::parse(WHOLE, "messages").unwrap();
    assert_eq!(manifest.semantics(), Semantics::AppendOnly);
    assert_eq!(manifest.primary_key(), ["account", "id"]);
    assert_eq!((manifest.cursor_field(), manifest.role_of("sent_at")), (Some("sent_at"), Some("time")));
    assert_eq!(manifest.views()[0].fields, ["id", "sent_at"]);
    let [replies, thread] = manifest.relationships() else { panic!("two relationships") };
    assert_eq!(replies.expands, Some(ExpandLimits { default: 3, max: 9 }));
    assert_eq!((thread.cardinality, thread.expands), (Cardinality::HasOne, None));
    assert!(manifest.is_searchable("id") && !manifest.is_searchable("parent"));
    assert_eq!(manifest.ranges_of("amount").unwrap(), ["gte", "lt"]);
    assert_eq!(manifest.ranges_of("id"), Some(&[][..]));
    assert_eq!(manifest.aggregations_of("amount").unwrap(), ["sum", "group_by"]);
    assert_eq!(manifest.declared_fields().count(), 5);
    assert_eq!(Manifest::stored(WHOLE).unwrap(), manifest);
}

#[test]
fn nothing_needs_to_be_declared() {
    let manifest = Manifest::parse("{}", "messages").unwrap();
    assert_eq!(manifest.semantics(), Semantics::MutableState);
    assert!(manifest.is_searchable("any") && manifest.ranges_of("any").is_none());
    assert!(manifest.aggregations_of("any").is_none());
    let bare = r#"{"relationships":[{"name":"r","stream":"s","foreign_key":"f","cardinality":"has_one"}],
                   "query":{"expand":[{"name":"r"}]}}"#;
    let limits = Manifest::parse(bare, "messages").unwrap().relationships()[0].expands;
    assert_eq!(limits, Some(ExpandLimits::UNDECLARED));
}

#[test]
fn what_is_wrong_is_named_by_its_path() {
    use serde_json::json;
    for (pointer, value, said) in [
        ("/name", json!("orders"), "the stream \"orders\", not \"messages\""),
        ("/semantics", json!("eventual"), "\"semantics\" must be append_only or mutable_state"),
        ("/primary_key", json!([1]), "\"primary_key\" must be a list of names"),
        ("/primary_key", json!(["id", "id"]), "\"primary_key\" must be a list without a name twice"),
        (
            "/primary_key",
            json!(["uid"]),
            "\"primary_key\" names the field \"uid\", which its schema does not",
        ),
        ("/cursor_field", json!("at"), "\"cursor_field\" names the field \"at\""),
        ("/consent_time_field", json!(7), "\"consent_time_field\" must be a string"),
        ("/schema", json!([]), "\"schema\" must be a JSON Schema object"),
        ("/views/0/id", json!(""), "\"views[0].id\" must be a string that is not empty"),
        ("/views/0/fields", json!([]), "\"views[0].fields\" must be a list with at least one field"),
        ("/views/0/fields", json!(["secret"]), "\"views[0].fields\" names the field \"secret\""),
        ("/relationships/1/name", json!("replies"), "\"relationships[1]\" must be one of a kind"),
        ("/relationships/0/cardinality", json!("has_some"), "must be has_one or has_many"),
        (
            "/relationships/1/foreign_key",
            json!("x"),
            "\"relationships[1].foreign_key\" names the field \"x\"",
        ),
        ("/query/search/lexical_fields", json!("id"), "must be a list of names"),
        (
            "/query/range_filters/amount",
            json!(["like"]),
            "\"query.range_filters.amount\" must be a list of gte",
        ),
        ("/query/aggregations/sum", json!(["cost"]), "\"query.aggregations.sum\" names the field \"cost\""),
        (
            "/query/aggregations",
            json!({ "avg": ["amount"] }),
            "\"query.aggregations.avg\" must be one of count",
        ),
        ("/query/expand/0/name", json!("none"), "\"query.expand[0].name\" must be the name of a declared"),
        ("/query/expand/0/max_limit", json!(2), "\"query.expand[0].default_limit\" must be no larger"),
        ("/query/expand/0/max_limit", json!(1_000), "\"query.expand[0].max_limit\" must be a whole number"),
    ] {
        let message = fault(&with(pointer, value));
        assert!(message.contains(said), "{pointer}: {message}");
    }
    assert!(fault("[]").contains("\"(root)\" must be an object"));
    assert!(fault("{").contains("no JSON"));
}

#[test]
fn a_store_opens_with_a_manifest_that_an_earlier_version_took() {
    let manifest = Manifest::stored(&with("/views/0/fields", serde_json::json!("all"))).unwrap();
    assert!(manifest.views().is_empty());
    assert_eq!((manifest.cursor_field(), manifest.relationships().len()), (Some("sent_at"), 2));
    // A time range is judged by the declared field, whatever else is wrong.
    let odd = Manifest::stored(r#"{"schema":7,"consent_time_field":"at"}"#).unwrap();
    assert_eq!(odd.consent_time_field(), Some("at"));
}
