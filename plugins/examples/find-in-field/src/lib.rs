//! A tool that lists all matches of a phrase in a long field, with the offsets at which `read_record_field` can go on.
//!
//! It reads the field in pieces, as far as its allowance goes, and says from where to go on if that was not far enough.

mod answer;
mod find;
mod matcher;

use find::{Search, Stop};
use serde_json::{Value, json};
use stepwell_sdk::tool::{Answer, Definition, Guest};
use stepwell_sdk::{Context, Fault, FieldExt as _, Host, Reader, RecordExt as _, RecordShape};

/// The tool.
#[must_use]
pub fn definition() -> Definition {
    let schema = json!({
        "type": "object",
        "required": ["id", "field_path", "q"],
        "properties": {
            "id": { "type": "string", "minLength": 1, "description": "The record's id, exactly as a result shows it." },
            "field_path": {
                "type": "string",
                "minLength": 1,
                "description": "A top-level field, or a JSON pointer such as /headers/0/value.",
            },
            "q": {
                "type": "string",
                "minLength": 1,
                "maxLength": 512,
                "description": "The phrase to look for, 1 to 512 characters, whatever its case.",
            },
            "from": {
                "type": "integer",
                "minimum": 0,
                "maximum": u32::MAX,
                "description": "Only matches that start at this offset or later. Default 0.",
            },
        },
        "additionalProperties": false,
    });
    Definition {
        name: "find_in_field".to_owned(),
        title: "Find all matches in a field".to_owned(),
        description: "Lists all places where a phrase stands in one text field of a record, whatever its case, each with \
                      its offset and a few words around it. Pass an offset to read_record_field as offset_chars to read \
                      there. Lists as many as fit, counts the rest, and prints the call that goes on. Offsets count \
                      Unicode code points."
            .to_owned(),
        input_schema: schema.to_string(),
        record_parameters: vec!["id".to_owned()],
        options: Vec::new(),
    }
}

/// Runs the tool.
pub fn run(
    arguments: &str,
    records: &[RecordShape],
    context: &Context,
    reader: &impl Reader,
) -> Result<Answer, Fault> {
    let arguments: Value =
        serde_json::from_str(arguments).map_err(|_| Fault::Invalid("the arguments are no JSON".into()))?;
    let slot = arguments["id"].as_u64();
    let Some(record) = records.iter().find(|record| Some(u64::from(record.slot)) == slot) else {
        return Err(Fault::Invalid("the arguments name no record".into()));
    };
    let (Some(path), Some(q)) = (arguments["field_path"].as_str(), arguments["q"].as_str()) else {
        return Err(Fault::Invalid("field_path and q are texts".into()));
    };
    let from = arguments["from"].as_u64().unwrap_or_default();
    let search = Search {
        slot: record.slot,
        path,
        q,
        from: u32::try_from(from).unwrap_or(u32::MAX),
        size: record.field(path).filter(|field| field.is_readable()).and_then(|field| field.chars),
    };
    match search.run(context.budget.lines.saturating_sub(1), reader) {
        Ok(found) => Ok(answer::listed(&search, &found, context, reader)),
        Err(Stop::NoText) => Ok(answer::no_text(record)),
        Err(Stop::Unavailable) => Err(Fault::Other("the field cannot be read now".into())),
    }
}

/// The component.
#[derive(Debug)]
pub struct FindInField;

impl Guest for FindInField {
    fn definitions() -> Vec<Definition> {
        vec![definition()]
    }

    fn run(
        _name: String,
        arguments: String,
        records: Vec<RecordShape>,
        context: Context,
    ) -> Result<Answer, Fault> {
        run(&arguments, &records, &context, &Host)
    }
}

stepwell_sdk::tool::export!(FindInField);

#[cfg(test)]
mod tests;
