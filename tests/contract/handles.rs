//! Collects everything that a result offers for going on.

use serde_json::{Deserializer, Value, json};

/// What a client can do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Call a tool.
    Call(String, Value),
    /// Read a resource.
    Read(String),
}

/// All that a tool's result offers.
pub(crate) fn of_result(tool: &str, arguments: &Value, result: &Value) -> Vec<Step> {
    let mut steps = Vec::new();
    for block in result["content"].as_array().into_iter().flatten() {
        match (block["uri"].as_str(), block["text"].as_str()) {
            (Some(uri), _) => steps.push(Step::Read(uri.to_owned())),
            (None, Some(text)) => of_text(tool, arguments, text, &mut steps),
            (None, None) => {}
        }
    }
    let structured = &result["structuredContent"];
    of_value(structured, &mut steps);
    of_page(tool, arguments, &structured["data"], &mut steps);
    of_window(structured, &mut steps);
    if let Some(cursor) = result["_meta"]["next_match_cursor"].as_str() {
        steps.push(window(&structured["record"]["id"], &structured["field"]["path"], cursor));
    }
    steps
}

/// All that a resource offers.
pub(crate) fn of_resource(result: &Value) -> Vec<Step> {
    let mut steps = Vec::new();
    for contents in result["contents"].as_array().into_iter().flatten() {
        for name in ["next_uri", "previous_uri"] {
            steps.extend(contents["_meta"][name].as_str().map(|uri| Step::Read(uri.to_owned())));
        }
        let Some(text) = contents["text"].as_str() else { continue };
        let first = text.lines().next().unwrap_or_default();
        if let Ok(header) =
            serde_json::from_str::<Value>(if contents["mimeType"] == "text/plain" { first } else { text })
        {
            of_value(&header, &mut steps);
            of_header(&header, &mut steps);
        }
    }
    steps
}

/// What stands in text, found as a reader would: after the words that announce it.
fn of_text(tool: &str, arguments: &Value, text: &str, steps: &mut Vec<Step>) {
    if tool == "read_record_field" {
        let header = text.lines().next().unwrap_or_default();
        return of_header(&serde_json::from_str(header).expect("the header is JSON"), steps);
    }
    if let Ok(document) = serde_json::from_str::<Value>(text) {
        return of_value(&document, steps);
    }
    for other in ["read_record_field", "search", "query_records", "schema"] {
        let calls = after(text, &format!(" {other} {{")).into_iter().map(|rest| format!("{{{rest}"));
        for call in calls {
            steps.push(Step::Call(other.to_owned(), first_json(&call)));
        }
    }
    for id in after(text, "id=\"").into_iter().filter(|_| tool != "schema") {
        let id = first_json(&format!("\"{id}"));
        steps.push(Step::Call("fetch".into(), json!({ "id": id })));
    }
    for uri in after(text, " uri=\"") {
        steps.push(Step::Read(first_json(&format!("\"{uri}")).as_str().expect("a URI").to_owned()));
    }
    if let Some(mark) =
        text.lines().next().into_iter().flat_map(|head| after(head, " next_changes_since=\"")).next()
    {
        let mut arguments = arguments.clone();
        arguments["changes_since"] = first_json(&format!("\"{mark}"));
        arguments.as_object_mut().expect("arguments").remove("cursor");
        steps.push(Step::Call(tool.to_owned(), arguments));
    }
    if let Some(cursor) =
        text.lines().next().into_iter().flat_map(|head| after(head, " next_cursor=\"")).next()
    {
        steps.push(page(tool, arguments, &first_json(&format!("\"{cursor}"))));
    }
}

/// What the header of a window offers.
fn of_header(header: &Value, steps: &mut Vec<Step>) {
    for name in ["next_cursor", "previous_cursor", "next_match_cursor"] {
        if let Some(cursor) = header[name].as_str().filter(|_| header["field_path"].is_string()) {
            steps.push(window(&header["id"], &header["field_path"], cursor));
        }
    }
}

/// Calls, addresses and ids anywhere in a JSON value.
fn of_value(value: &Value, steps: &mut Vec<Step>) {
    match value {
        Value::Object(members) => {
            if let (Some(tool), Some(arguments)) = (value["tool"].as_str(), value.get("args")) {
                steps.push(Step::Call(tool.to_owned(), arguments.clone()));
            }
            if let (Some(field), Some(offset)) =
                (value["field_path"].as_str(), value["offset_chars"].as_u64())
                && let Some(id) = value["id"].as_str()
            {
                steps.push(Step::Call(
                    "read_record_field".into(),
                    json!({ "id": id, "field_path": field, "offset_chars": offset }),
                ));
            }
            for name in ["uri", "next_uri", "previous_uri"] {
                if let Some(uri) = value[name].as_str().filter(|uri| uri.starts_with("pdpp://")) {
                    steps.push(Step::Read(uri.to_owned()));
                }
            }
            if let (Some(id), true) = (value["id"].as_str(), value["record_id"].is_string()) {
                steps.push(Step::Call("fetch".into(), json!({ "id": id })));
                for field in value["fields"].as_array().into_iter().flatten() {
                    if let Some(cursor) = field["next_cursor"].as_str() {
                        steps.push(window(&value["id"], &field["path"], cursor));
                    }
                    for place in field["anchors"].as_array().into_iter().flatten() {
                        let arguments = json!({ "id": id, "field_path": field["path"], "offset_chars": place["offset_chars"] });
                        steps.push(Step::Call("read_record_field".into(), arguments));
                    }
                }
            }
            for list in value["expanded"].as_object().into_iter().flat_map(|lists| lists.values()) {
                of_value(&list["data"], steps);
            }
            // What a record says is data: it may look like a handle and be none.
            let own = members
                .iter()
                .filter(|(name, _)| !["text", "value", "data", "snippet"].contains(&name.as_str()));
            own.for_each(|(_, member)| of_value(member, steps));
        }
        Value::Array(list) => list.iter().for_each(|item| of_value(item, steps)),
        _ => {}
    }
}

fn of_page(tool: &str, arguments: &Value, data: &Value, steps: &mut Vec<Step>) {
    if data["next_changes_since"].is_string() {
        let mut arguments = arguments.clone();
        arguments["changes_since"] = data["next_changes_since"].clone();
        arguments.as_object_mut().expect("arguments").remove("cursor");
        steps.push(Step::Call(tool.to_owned(), arguments));
    }
    // What a record leads to is the server's word, though it stands among the record's own.
    for row in data["data"].as_array().into_iter().flatten() {
        of_value(&row["expanded"], steps);
        for list in row["expanded"].as_object().into_iter().flat_map(|lists| lists.values()) {
            of_value(&list["data"], steps);
        }
    }
    if data["next_cursor"].is_string() {
        steps.push(page(tool, arguments, &data["next_cursor"]));
    }
}

fn of_window(structured: &Value, steps: &mut Vec<Step>) {
    for name in ["next_cursor", "previous_cursor"] {
        if let Some(cursor) = structured["window"][name].as_str() {
            steps.push(window(&structured["record"]["id"], &structured["field"]["path"], cursor));
        }
    }
    let record = &structured["record"];
    if record["record_id"].is_string() {
        let mut arguments = record.clone();
        arguments.as_object_mut().expect("a record").remove("id");
        arguments["field_path"] = structured["field"]["path"].clone();
        steps.push(Step::Call("read_record_field".into(), arguments));
    }
}

fn page(tool: &str, arguments: &Value, cursor: &Value) -> Step {
    let mut arguments = arguments.clone();
    arguments["cursor"] = cursor.clone();
    Step::Call(tool.to_owned(), arguments)
}

fn window(id: &Value, field: &Value, cursor: &str) -> Step {
    let arguments = json!({ "id": id, "field_path": field, "cursor": cursor });
    Step::Call("read_record_field".into(), arguments)
}

/// What follows each occurrence of some words that are the server's own: those inside a string are a record's.
fn after<'a>(text: &'a str, words: &str) -> Vec<&'a str> {
    let own = |at: usize| {
        let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        !ends_in_string(&text[line..at])
    };
    text.match_indices(words).filter(|(at, _)| own(*at)).map(|(at, _)| &text[at + words.len()..]).collect()
}

fn ends_in_string(line: &str) -> bool {
    let (mut inside, mut escaped) = (false, false);
    for c in line.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            _ => {}
        }
    }
    inside
}

/// The JSON value that a text begins with.
fn first_json(text: &str) -> Value {
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    values.next().and_then(Result::ok).unwrap_or_else(|| panic!("no JSON: {text}"))
}
