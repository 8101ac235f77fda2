//! A client whose model sees nothing but text blocks, and finds everything in what they print.

use crate::classes::session::{Session, Transport, header_and_text, joined, refused};
use crate::classes::{Class, Hit, Opened, Refused, Rest, Step, Window};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct ContentOnly(Session);

impl ContentOnly {
    /// What the model sees of a call. Hosts join blocks in different ways, one of them with nothing in between.
    fn see(&mut self, tool: &str, args: &Value) -> Result<String, Refused> {
        let between = if self.0.transport == Transport::Stdio { "\n" } else { "" };
        let result = self.0.call(tool, args);
        let text = joined(&result, between);
        if result["isError"] == true { Err(refused(&text)) } else { Ok(text) }
    }
}

impl Class for ContentOnly {
    fn new(session: Session) -> Self {
        Self(session)
    }

    fn session(&mut self) -> &mut Session {
        &mut self.0
    }

    fn search(&mut self, q: &str) -> Vec<Hit> {
        let text = self.see("search", &json!({ "q": q })).expect("a list");
        let hit = |line: &str| {
            let id = value_at(line.strip_prefix("id=")?);
            let mut args = json!({ "id": id });
            // Only where it is not in the id.
            if let Some(connection) = member(line, "connection_id") {
                args["connection_id"] = connection;
            }
            Some(Hit { id: id.as_str()?.to_owned(), open: Step::fetch(args) })
        };
        text.lines().filter_map(hit).collect()
    }

    fn open(&mut self, record: &Step) -> Result<Opened, Refused> {
        let Step::Call { tool, args } = record else { panic!("no such link was shown: {record:?}") };
        let text = self.see(tool, args)?;
        // The document is JSON, and what comes after it is a line that says how to go on.
        let mut stream = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        let document = stream.next().expect("a document").expect("JSON");
        let after = text[stream.byte_offset()..].trim_start();
        let id = document["id"].as_str().expect("an id").to_owned();
        assert_eq!(document["id"], args["id"], "the id that was asked for");
        let mut opened = Opened { id, rests: BTreeMap::new(), files: BTreeMap::new() };
        let shown = document["text"].as_str().expect("a text");
        let text_field = document["metadata"]["text_field"].as_str().unwrap_or_default();
        opened.rests.insert(text_field.to_owned(), Rest { shown: shown.to_owned(), step: None });
        for line in after.lines() {
            let Some(call) = line.strip_prefix("next: ") else { continue };
            let (tool, args) = call.split_once(' ').expect("a tool and its arguments");
            let args = value_at(args);
            let path = args["field_path"].as_str().expect("a path").to_owned();
            let rest = opened.rests.entry(path).or_insert(Rest { shown: String::new(), step: None });
            rest.step = Some(Step::call(tool, args.clone()).in_large_windows());
            for path in also_cut(line) {
                let step = Step::field(json!({ "id": args["id"], "field_path": path }));
                opened.rests.insert(path, Rest { shown: String::new(), step: Some(step) });
            }
        }
        for file in document["metadata"]["files"].as_array().into_iter().flatten() {
            let (path, uri) = (file["field_path"].as_str(), file["uri"].as_str());
            opened.files.insert(path.expect("a path").to_owned(), uri.expect("a URI").to_owned());
        }
        Ok(opened)
    }

    fn window(&mut self, step: &Step) -> Result<Window, Refused> {
        let Step::Call { tool, args } = step else { panic!("no such link was shown: {step:?}") };
        let (header, text) = header_and_text(&self.see(tool, args)?);
        let next = header["next_cursor"].as_str().map(|cursor| {
            Step::field(json!({ "id": header["id"], "field_path": header["field_path"], "cursor": cursor }))
        });
        let matched = header["match_start_chars"].as_u64().zip(header["match_end_chars"].as_u64());
        let start = header["start_chars"].as_u64().expect("a start");
        assert_eq!(header["end_chars"], json!(start + text.chars().count() as u64));
        assert_eq!(next.is_none(), header["end_chars"] == header["total_chars"]);
        let digest = header["digest"].as_str().map(str::to_owned);
        Ok(Window { start, text, matched, digest, next })
    }

    fn granted(&mut self) -> BTreeMap<String, BTreeSet<String>> {
        let text = self.see("schema", &json!({})).expect("a schema");
        let streams: Vec<(Value, Value)> = text
            .lines()
            .filter(|line| line.starts_with("stream="))
            .map(|line| (member(line, "stream").unwrap(), member(line, "connection_id").unwrap()))
            .collect();
        let mut granted = BTreeMap::new();
        for (stream, connection) in streams {
            let args = json!({ "stream": stream, "connection_id": connection });
            let text = self.see("schema", &args).expect("a schema");
            let line = text.lines().find(|line| line.starts_with("stream=")).expect("the stream");
            let name = format!("{}/{}", connection.as_str().unwrap(), stream.as_str().unwrap());
            granted.insert(name, fields(line));
        }
        granted
    }
}

/// The JSON value at the beginning of a text.
fn value_at(text: &str) -> Value {
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    values.next().expect("a value").unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The value after `name=` in a line, where names and JSON strings alternate.
fn member(line: &str, name: &str) -> Option<Value> {
    let mut rest = line.trim_start();
    while let Some((key, value)) = rest.split_once('=') {
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
        let found = values.next()?.ok()?;
        if key == name {
            return Some(found);
        }
        rest = value[values.byte_offset()..].trim_start();
    }
    None
}

/// The paths in `also cut: "path" shown/total, …`.
fn also_cut(line: &str) -> Vec<String> {
    let Some((_, mut rest)) = line.split_once("; also cut: ") else { return Vec::new() };
    let mut paths = Vec::new();
    while rest.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        paths.push(values.next().unwrap().unwrap());
        rest = rest[values.byte_offset()..].trim_start();
        // Past `shown/total`, to the next path.
        rest = rest.split_once(", ").map_or("", |(_, rest)| rest);
    }
    paths
}

/// The names in `fields="name"[types] "name"[types]`.
fn fields(line: &str) -> BTreeSet<String> {
    let (_, mut rest) = line.split_once(" fields=").expect("fields");
    let mut names = BTreeSet::new();
    while rest.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        names.insert(values.next().unwrap().unwrap());
        rest = rest[values.byte_offset()..].split_once(']').map_or("", |(_, rest)| rest.trim_start());
    }
    names
}
