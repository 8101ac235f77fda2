//! Questions to a plugin that adds tools: each tool with each record, and arguments made from its own schema.

use super::{Answered, Question};
use crate::plugin::trial::context;
use crate::plugin::trial::records::{Record, alone};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use stepwell_tiers::{Definition, Purpose, TierFault, ToolCall, ToolTier};

/// A word that many records of the sample have.
const WORD: &str = "the";

pub(super) struct Use<'a> {
    tier: &'a ToolTier,
    tool: &'a Arc<Definition>,
    record: &'a Record,
    arguments: Value,
}

pub(super) fn questions<'a>(
    tier: &'a ToolTier,
    sample: &'a [Record],
    odd: &'a [Record],
) -> impl Iterator<Item = Use<'a>> {
    tier.definitions().iter().flat_map(move |tool| {
        odd.iter().chain(sample).flat_map(move |record| {
            // What needs no argument may be left out, or may not.
            [false, true].map(|all| Use { tier, tool, record, arguments: arguments(tool, record, all) })
        })
    })
}

impl Question for Use<'_> {
    fn name(&self) -> String {
        format!("{} {} with {}", self.tool.name, self.arguments, self.record.name)
    }

    async fn ask(&self) -> Result<Answered, TierFault> {
        let (record, hand) = alone(self.record);
        let context = context(Purpose::Document);
        let call = ToolCall {
            tool: self.tool,
            arguments: &self.arguments,
            records: vec![record],
            context: &context,
        };
        let answer = self.tier.run(call, hand).await?;
        let shown = answer.lines.iter().map(|line| line.text.len() as u64).sum();
        Ok(Answered { said: format!("{answer:?}"), shown, left_out: 0 })
    }
}

/// Arguments that pass the tool's schema, as far as its types tell, about the one record in hand.
fn arguments(tool: &Definition, record: &Record, all: bool) -> Value {
    let mut arguments = Map::new();
    let required = tool.input["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
    for (name, schema) in tool.input["properties"].as_object().into_iter().flatten() {
        if !(all || is_required(name)) {
            continue;
        }
        let value = if tool.record_parameters.contains(name) {
            json!(0)
        } else if name.contains("field") {
            json!(record.readable().unwrap_or("body"))
        } else {
            value(schema)
        };
        arguments.insert(name.clone(), value);
    }
    Value::Object(arguments)
}

/// The plainest value that a schema takes.
fn value(schema: &Value) -> Value {
    let given = [&schema["default"], &schema["const"], &schema["enum"][0]];
    if let Some(given) = given.into_iter().find(|given| !given.is_null()) {
        return given.clone();
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => {
            let least = schema["minimum"].as_i64().unwrap_or(0);
            json!(schema["maximum"].as_i64().map_or(least.max(1), |most| least.max(1).min(most)))
        }
        Some("boolean") => json!(true),
        Some("array") => json!([value(&schema["items"])]),
        Some("object") => json!({}),
        _ => json!(WORD),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_follow_the_schema() {
        let tool = Definition {
            name: "count".to_owned(),
            title: String::new(),
            description: String::new(),
            input: json!({ "type": "object", "required": ["id", "phrase"], "properties": {
                "id": { "type": "string" }, "phrase": { "type": "string" },
                "limit": { "type": "integer", "minimum": 3, "maximum": 9 }, "mode": { "enum": ["words", "lines"] },
                "field_path": { "type": "string" }, "tags": { "type": "array", "items": { "type": "boolean" } } } }),
            record_parameters: vec!["id".to_owned()],
        };
        let record = &crate::plugin::trial::records::sample()[0];
        assert_eq!(arguments(&tool, record, false), json!({ "id": 0, "phrase": WORD }));
        let all = arguments(&tool, record, true);
        assert_eq!((&all["limit"], &all["mode"], &all["tags"]), (&json!(3), &json!("words"), &json!([true])));
        assert_eq!(all["field_path"], json!(record.readable().unwrap()));
    }
}
