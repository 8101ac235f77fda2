//! docs/openapi.json against the code: the same routes, the same parameters, and answers of the described shape.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use stepwell_server::v1::{Kind, Parameter, served};

fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT
        .get_or_init(|| serde_json::from_str(include_str!("../../../../docs/openapi.json")).expect("JSON"))
}

/// All operations: method and path, and what is said about them.
fn operations() -> impl Iterator<Item = (String, &'static str, &'static Value)> {
    document()["paths"].as_object().expect("paths").iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("methods");
        methods.iter().map(move |(method, operation)| (method.to_ascii_uppercase(), path.as_str(), operation))
    })
}

/// Checks a body against what the document says about an operation's answer.
#[track_caller]
pub(crate) fn assert_valid(operation: &str, status: &str, body: &Value, what: &str) {
    let (_, _, described) =
        operations().find(|(_, _, one)| one["operationId"] == operation).expect("an operation");
    let schema = &described["responses"][status]["content"]["application/json"]["schema"];
    assert!(schema.is_object(), "{operation} {status} has a schema");
    // References point into the document, so it comes along.
    let schema = json!({ "components": document()["components"], "allOf": [schema] });
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let faults: Vec<String> =
        validator.iter_errors(body).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{what}: {faults:#?}\n{body}");
}

#[test]
fn every_route_is_described_and_every_described_route_is_served() {
    let described: BTreeSet<(String, &str)> = operations().map(|(method, path, _)| (method, path)).collect();
    let served: BTreeSet<(String, &str)> =
        served().map(|route| (route.method.to_owned(), route.path)).collect();
    assert_eq!(described, served);
}

#[test]
fn every_parameter_is_described_as_it_is_read() {
    let described: BTreeMap<(String, &str), &Value> =
        operations().map(|(method, path, operation)| ((method, path), &operation["parameters"])).collect();
    for route in served() {
        let parameters = described[&(route.method.to_owned(), route.path)].as_array().expect("parameters");
        let of = |place: &str| -> BTreeSet<&str> {
            let here = parameters.iter().filter(|parameter| parameter["in"] == place);
            here.filter_map(|parameter| parameter["name"].as_str()).collect()
        };
        let names: BTreeSet<&str> = route.parameters.iter().map(|parameter| parameter.name).collect();
        assert_eq!(of("query"), names, "{}", route.path);
        let in_path: BTreeSet<&str> =
            route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        assert_eq!(of("path"), in_path, "{}", route.path);
        for Parameter { name, kind } in route.parameters {
            let parameter =
                parameters.iter().find(|parameter| parameter["name"] == *name).expect("found before");
            let schema = &parameter["schema"];
            match kind {
                Kind::Text => assert_eq!(schema["type"], "string", "{name}"),
                Kind::Word(words) => assert_eq!(schema["enum"], json!(words), "{name}"),
                Kind::Number { least, most } => {
                    assert_eq!(schema["minimum"], json!(least), "{name}");
                    let most = if *most == u64::MAX { Value::Null } else { json!(most) };
                    assert_eq!(schema["maximum"], most, "{name}");
                }
                Kind::Names => assert_eq!(schema["type"], "array", "{name}"),
                Kind::Filter | Kind::Limits => {
                    assert_eq!(
                        (&schema["type"], &parameter["style"]),
                        (&json!("object"), &json!("deepObject"))
                    );
                }
            }
        }
    }
}

#[test]
fn the_document_is_what_it_says() {
    assert_eq!(document()["openapi"], "3.1.0");
    assert_eq!(document()["info"]["version"], "2026-04-06");
    let ids: Vec<&Value> = operations().map(|(_, _, operation)| &operation["operationId"]).collect();
    let unique: BTreeSet<String> = ids.iter().map(ToString::to_string).collect();
    assert_eq!(ids.len(), unique.len());
}
