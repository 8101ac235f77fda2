//! The tools that the MCP conformance suite calls by name. A plugin answers with lines and with refusals; whatever else the
//! suite asks for (images, progress, sampling) no plugin of Stepwell has, and its list of expected failures says so.

use serde_json::json;
use stepwell_sdk::tool::{Answer, AnswerLine, Definition, Guest};
use stepwell_sdk::{Context, Fault, RecordShape};

const TEXT: &str = "test_simple_text";
const ERROR: &str = "test_error_handling";

fn definition(name: &str, description: &str) -> Definition {
    Definition {
        name: name.to_owned(),
        title: String::new(),
        description: description.to_owned(),
        input_schema: json!({ "type": "object", "additionalProperties": false }).to_string(),
        record_parameters: Vec::new(),
        options: Vec::new(),
    }
}

struct Suite;

impl Guest for Suite {
    fn definitions() -> Vec<Definition> {
        vec![definition(TEXT, "Answers one line of text."), definition(ERROR, "Fails whenever it is called.")]
    }

    fn run(
        name: String,
        _arguments: String,
        _records: Vec<RecordShape>,
        _context: Context,
    ) -> Result<Answer, Fault> {
        if name == ERROR {
            return Err(Fault::Invalid("it fails on purpose".to_owned()));
        }
        let text = "This is a simple text response for testing.".to_owned();
        Ok(Answer {
            lines: vec![AnswerLine { text, slot: None }],
            data: None,
            next: None,
            options: Vec::new(),
        })
    }
}

stepwell_sdk::tool::export!(Suite);
