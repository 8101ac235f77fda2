//! Has a tool whose schema grows when it is followed.

use stepwell_hostile_guests::tool;
use stepwell_sdk::tool::{Answer, Definition, Guest};
use stepwell_sdk::{Context, Fault, RecordShape};

struct Bombs;

impl Guest for Bombs {
    fn definitions() -> Vec<Definition> {
        let schema = r##"{"type":"object","additionalProperties":false,"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}"##;
        vec![Definition { input_schema: schema.to_owned(), record_parameters: Vec::new(), ..tool("bomb") }]
    }

    fn run(_: String, _: String, _: Vec<RecordShape>, _: Context) -> Result<Answer, Fault> {
        Err(Fault::Other(String::new()))
    }
}

stepwell_sdk::tool::export!(Bombs);
