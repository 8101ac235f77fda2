use super::*;
use crate::budget::{INSTRUCTIONS_HEAD, TOOLS_LIST_GOAL};
use crate::tool_name::CORE;
use crate::unit::Chars;

const SETS: [ToolSet; 5] = [
    ToolSet::ALL,
    ToolSet { export: false, ..ToolSet::ALL },
    ToolSet { resources: false, ..ToolSet::ALL },
    ToolSet { field_window: false, ..ToolSet::ALL },
    ToolSet { field_window: false, resources: false, export: false },
];

/// All that a client reads of the tools, as one text.
fn listed(on: ToolSet, spelling: Spelling) -> String {
    definitions(on, spelling)
        .iter()
        .map(|tool| format!("{}{}{}{}{}\n", tool.name, tool.title, tool.description, tool.input, tool.output))
        .collect()
}

fn every_object(schema: &Value, visit: &mut impl FnMut(&Value)) {
    visit(schema);
    match schema {
        Value::Object(object) => object.values().for_each(|value| every_object(value, visit)),
        Value::Array(list) => list.iter().for_each(|value| every_object(value, visit)),
        _ => {}
    }
}

#[test]
fn the_core_names_are_listed_in_order() {
    let names: Vec<_> = definitions(ToolSet::ALL, Spelling::Portable).iter().map(|tool| tool.name).collect();
    assert_eq!(names, CORE);
}

#[test]
fn the_list_stays_within_its_goal() {
    for spelling in [Spelling::Portable, Spelling::Seed] {
        let size = listed(ToolSet::ALL, spelling).len() as u64;
        assert!(size < TOOLS_LIST_GOAL.0, "{size}");
    }
}

#[test]
fn what_is_off_is_not_mentioned() {
    for on in SETS {
        for spelling in [Spelling::Portable, Spelling::Seed] {
            let all = listed(on, spelling) + &instructions(on);
            assert_eq!(all.contains("read_record_field"), on.field_window);
            assert_eq!(all.contains("\"uri\"") || all.contains("\"resource\""), on.resources);
            assert_eq!(all.contains("\"export\""), on.export);
            assert!(on.field_window || !all.contains("window"));
        }
    }
}

#[test]
fn portable_schemas_have_nothing_that_hosts_trip_over() {
    for tool in definitions(ToolSet::ALL, Spelling::Portable) {
        for schema in [&tool.input, &tool.output] {
            assert_eq!(schema["type"], "object", "{}", tool.name);
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
            assert!(["oneOf", "anyOf", "allOf", "not"].iter().all(|word| schema.get(word).is_none()));
            every_object(schema, &mut |part| assert!(!part["type"].is_array() || part.is_array(), "{part}"));
        }
    }
}

#[test]
fn every_argument_is_explained() {
    for tool in definitions(ToolSet::ALL, Spelling::Portable) {
        for (name, schema) in tool.input["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{} {name}", tool.name);
        }
    }
}

#[test]
fn both_spellings_accept_the_same() {
    let [portable, seed] = [Spelling::Portable, Spelling::Seed].map(|s| definitions(ToolSet::ALL, s));
    for (portable, seed) in portable.iter().zip(&seed) {
        assert_eq!(portable.accepts, seed.accepts);
        // These are accepted in any shape, and then refused with codes of their own.
        let mut accepts = seed.accepts.clone();
        for name in ["filter", "expand_limit"] {
            if let Some(schema) = seed.input["properties"].get(name) {
                accepts["properties"][name] = schema.clone();
            }
        }
        assert_eq!(accepts, seed.input);
    }
}

#[test]
fn the_instructions_stand_alone_in_their_head() {
    for on in SETS {
        assert!(Chars::of(&instructions(on)) <= INSTRUCTIONS_HEAD, "{}", Chars::of(&instructions(on)));
    }
    let head: String = instructions(ToolSet::ALL).chars().take(160).collect();
    assert!(head.contains("schema") && head.contains("search") && head.contains("fetch"), "{head}");
}
