//! Checks the arguments of a call against the tool's schema, before anything else sees them.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Number, Value, json};
use stepwell_contract::quote::excerpt;
use stepwell_contract::{Code, Refusal};

/// Arguments that hosts are known to add to every call by themselves.
const ADDED_BY_HOSTS: &[&str] = &["wait_for_previous"];

/// The check of one tool's arguments, compiled once.
#[derive(Debug)]
pub(crate) struct Check {
    validator: Validator,
    schema: Value,
}

impl Check {
    pub(crate) fn new(schema: &Value) -> Result<Self, ValidationError<'static>> {
        Ok(Self { validator: jsonschema::draft202012::new(schema)?, schema: schema.clone() })
    }

    /// Drops what hosts add, checks the rest, and gives it back as the ladder reads it.
    pub(crate) fn apply(&self, mut arguments: Map<String, Value>) -> Result<Value, Refusal> {
        for name in ADDED_BY_HOSTS {
            arguments.remove(*name);
        }
        let arguments = Value::Object(arguments);
        match self.validator.validate(&arguments) {
            Ok(()) => Ok(with_plain_integers(arguments)),
            Err(error) => Err(self.refusal(&error)),
        }
    }

    /// Says which rule was broken and where. The value itself is not repeated: whoever sent it knows it.
    fn refusal(&self, error: &ValidationError<'_>) -> Refusal {
        let pointer = error.instance_path().as_str();
        let rule = error.kind().keyword();
        let (message, param) = match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let names: Vec<_> = unexpected.iter().take(3).map(|name| excerpt(name)).collect();
                let message = format!("unknown argument {}; there are: {}", names.join(", "), self.known());
                (message, unexpected.first().cloned())
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                (format!("the argument {name} is missing"), Some(name.to_owned()))
            }
            ValidationErrorKind::OneOfNotValid { .. } | ValidationErrorKind::OneOfMultipleValid { .. } => {
                (format!("give one set of arguments and no other: {}", self.alternatives()), None)
            }
            _ => {
                let name = pointer.trim_start_matches('/').split('/').next().unwrap_or_default().to_owned();
                (format!("the argument {}", error.masked_with(pointer.trim_start_matches('/'))), Some(name))
            }
        };
        let mut refusal =
            Refusal::new(Code::InvalidArguments, message).with("pointer", pointer).with("rule", rule);
        // A name that nobody knows can be of any length; the message quotes its beginning.
        refusal.param = param.filter(|name| name.len() <= 64 && !name.is_empty());
        refusal.hint("check the tool's input schema and call again")
    }

    fn known(&self) -> String {
        let names = self.schema["properties"].as_object().into_iter().flat_map(Map::keys);
        names.map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    fn alternatives(&self) -> String {
        let sets = self.schema["oneOf"].as_array().into_iter().flatten();
        let words = |set: &Value| {
            let names = set["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            names.collect::<Vec<_>>().join(" + ")
        };
        sets.map(words).collect::<Vec<_>>().join(", or ")
    }
}

/// Spells `5.0` as `5`: to JSON Schema both are integers, and some clients write all numbers that way.
fn with_plain_integers(mut arguments: Value) -> Value {
    for value in arguments.as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Value::Number(number) = value
            && let Some(plain) = plain_integer(number)
        {
            *value = json!(plain);
        }
    }
    arguments
}

fn plain_integer(number: &Number) -> Option<u64> {
    /// Up to here every integer is a float of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = number.as_f64().filter(|_| number.is_f64())?;
    if float.fract() == 0.0 && (0.0..=EXACT).contains(&float) {
        format!("{float:.0}").parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwell_contract::tool::{Spelling, ToolSet, definitions};

    fn check(tool: &str, arguments: Value) -> Result<Value, Refusal> {
        let tools = definitions(ToolSet::ALL, Spelling::Portable);
        let tool = tools.iter().find(|definition| definition.name == tool).unwrap();
        Check::new(&tool.accepts).unwrap().apply(arguments.as_object().unwrap().clone())
    }

    fn broken(tool: &str, arguments: Value) -> (String, String, String) {
        let refusal = check(tool, arguments).unwrap_err();
        assert_eq!(refusal.code, Code::InvalidArguments);
        let text = |key: &str| refusal.extras[key].as_str().unwrap().to_owned();
        (text("pointer"), text("rule"), refusal.message)
    }

    #[test]
    fn what_hosts_add_is_dropped_and_integers_are_plain() {
        let arguments = json!({ "q": "x", "limit": 5.0, "wait_for_previous": true });
        assert_eq!(check("search", arguments).unwrap().to_string(), r#"{"q":"x","limit":5}"#);
    }

    #[test]
    fn every_violation_names_its_place_and_rule() {
        for (tool, arguments, pointer, rule, word) in [
            ("search", json!({}), "", "required", "q"),
            ("search", json!({ "q": "" }), "/q", "minLength", "q"),
            ("search", json!({ "q": "x", "limit": 101 }), "/limit", "maximum", "100"),
            ("search", json!({ "q": "x", "limit": 1.5 }), "/limit", "type", "integer"),
            ("search", json!({ "q": 5 }), "/q", "type", "string"),
            ("search", json!({ "q": "x", "query": "y" }), "", "additionalProperties", "query"),
            ("search", json!({ "q": "x", "streams": ["a", 1] }), "/streams/1", "type", "string"),
            ("aggregate", json!({ "stream": "s", "metric": "avg" }), "/metric", "enum", "count"),
            ("fetch", json!({ "id": null }), "/id", "type", "string"),
            ("read_record_field", json!({ "id": "a" }), "", "oneOf", "id + field_path"),
            (
                "read_record_field",
                json!({ "id": "a", "field_path": "b", "limit_chars": 16_385 }),
                "/limit_chars",
                "maximum",
                "16384",
            ),
            (
                "read_record_field",
                json!({ "id": "a", "field_path": "b", "offset_chars": -1 }),
                "/offset_chars",
                "minimum",
                "0",
            ),
        ] {
            let (found, broken_rule, message) = broken(tool, arguments.clone());
            assert_eq!((found.as_str(), broken_rule.as_str()), (pointer, rule), "{arguments}");
            assert!(message.contains(word), "{arguments}: {message}");
        }
    }

    #[test]
    fn a_long_value_does_not_come_back() {
        let (.., message) = broken("search", json!({ "q": "secret ".repeat(500) }));
        assert!(message.len() < 200 && !message.contains("secret"), "{message}");
        let (.., message) = broken("search", json!({ "q": "x", "a".repeat(5_000): 1 }));
        assert!(message.len() < 400, "{message}");
    }
}
