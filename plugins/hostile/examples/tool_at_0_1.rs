//! A tool of the contract's first version. It calls every import of that version and tells what it got.

mod bindings {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "stepwell:ladder/tool-tier@0.1.0",
        generate_all,
    });
}

use bindings::exports::stepwell::ladder::toolbox::{Answer, AnswerLine, Definition, Guest};
use bindings::stepwell::ladder::fields::{self, Refusal, Wanted};
use bindings::stepwell::ladder::log::{self, Level};
use bindings::stepwell::ladder::records::{self, Selection};
use bindings::stepwell::ladder::shapes::{Context, Fault, RecordShape, Span};

fn outcome<T>(answer: &Result<T, Refusal>) -> &'static str {
    match answer {
        Ok(_) => "given",
        Err(Refusal::NotInHand) => "not-in-hand",
        Err(Refusal::NotText) => "not-text",
        Err(Refusal::OverAllowance) => "over-allowance",
        Err(Refusal::Other(_)) => "other",
    }
}

struct First;

impl Guest for First {
    fn definitions() -> Vec<Definition> {
        vec![Definition {
            name: "imports_at_0_1".to_owned(),
            title: String::new(),
            description: "Calls every import.".to_owned(),
            input_schema:
                r#"{"type":"object","properties":{"id":{"type":"string"}},"additionalProperties":false}"#
                    .to_owned(),
            record_parameters: vec!["id".to_owned()],
            options: Vec::new(),
        }]
    }

    fn run(_: String, _: String, _: Vec<RecordShape>, _: Context) -> Result<Answer, Fault> {
        let at = Span { start: 0, end: u32::MAX };
        let read = fields::read(&[Wanted { slot: 0, path: "body".to_owned(), at }]);
        let mut told: Vec<&str> = read.iter().map(outcome).collect();
        told.push(outcome(&fields::children(0, "body")));
        for stream in ["messages", "secrets"] {
            let (stream_name, filter) = (stream.to_owned(), String::new());
            let what = Selection { stream_name, filter, query: None, limit: 5, options: Vec::new() };
            told.push(outcome(&records::select(&what)));
        }
        log::write(Level::Warn, "heard by nobody");
        let text = format!("{} {}", told.join(" "), fields::left().reads);
        Ok(Answer { lines: vec![AnswerLine { text, slot: None }], data: None, options: Vec::new() })
    }
}

bindings::export!(First with_types_in bindings);
