//! Prompts: what a person starts with one choice in a menu of the client.

use crate::mcp::way::Way;
use serde_json::{Value, json};

#[test]
fn they_are_listed_filled_in_and_completed() {
    for (name, mut way) in Way::all(&[]) {
        let listed = way.ask("prompts/list", json!({}))["result"]["prompts"].clone();
        let names: Vec<&str> =
            listed.as_array().unwrap().iter().filter_map(|prompt| prompt["name"].as_str()).collect();
        assert_eq!(names, ["catch_up", "find"], "{name}");
        for prompt in listed.as_array().unwrap() {
            assert!(prompt["title"].is_string() && prompt["description"].is_string(), "{name}: {prompt}");
        }
        let asked = json!({ "name": "find", "arguments": { "question": "what does the roof cost?" } });
        let found = way.ask("prompts/get", asked)["result"].clone();
        let message = &found["messages"][0];
        assert_eq!(message["role"], "user", "{name}: {found}");
        let text = message["content"]["text"].as_str().unwrap();
        for word in ["\"what does the roof cost?\"", "schema", "search", "fetch", "read_record_field"] {
            assert!(text.contains(word), "{name}: {text}");
        }
        let mut complete = |prompt: &str, argument: &str, typed: &str| -> Value {
            let params = json!({
                "ref": { "type": "ref/prompt", "name": prompt },
                "argument": { "name": argument, "value": typed },
            });
            way.ask("completion/complete", params)["result"]["completion"]["values"].clone()
        };
        assert_eq!(complete("find", "stream", "me"), json!(["messages"]), "{name}");
        for (prompt, argument) in [("find", "question"), ("find", "since"), ("nothing", "stream")] {
            assert_eq!(complete(prompt, argument, ""), json!([]), "{name}: {prompt} {argument}");
        }
    }
}
