//! A client whose model sees nothing but structured content, and text only when a call failed.

use crate::classes::session::{Session, joined, refused};
use crate::classes::{Class, Hit, Opened, Refused, Rest, Step, Window};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct StructuredOnly(Session);

impl StructuredOnly {
    fn see(&mut self, tool: &str, args: &Value) -> Result<Value, Refused> {
        let result = self.0.call(tool, args);
        if result["isError"] == true {
            return Err(refused(&joined(&result, "\n")));
        }
        Ok(result["structuredContent"].clone())
    }
}

impl Class for StructuredOnly {
    fn new(session: Session) -> Self {
        Self(session)
    }

    fn session(&mut self) -> &mut Session {
        &mut self.0
    }

    fn search(&mut self, q: &str) -> Vec<Hit> {
        let found = self.see("search", &json!({ "q": q })).expect("a list");
        let hit = |hit: &Value| Hit {
            id: hit["id"].as_str().expect("an id").to_owned(),
            open: Step::fetch(json!({ "id": hit["id"], "connection_id": hit["connection_id"] })),
        };
        found["results"].as_array().expect("hits").iter().map(hit).collect()
    }

    fn open(&mut self, record: &Step) -> Result<Opened, Refused> {
        let Step::Call { tool, args } = record else { panic!("no such link was shown: {record:?}") };
        let document = self.see(tool, args)?;
        assert_eq!(document["id"], args["id"], "the id that was asked for");
        let records = document["content_ladder"]["records"].as_array().cloned().unwrap_or_default();
        let id = document["id"].as_str().expect("an id").to_owned();
        let mut opened = Opened { id, rests: BTreeMap::new(), files: BTreeMap::new() };
        let text_field = document["metadata"]["text_field"].as_str().unwrap_or_default();
        let shown = document["text"].as_str().expect("a text").to_owned();
        opened.rests.insert(text_field.to_owned(), Rest { shown, step: None });
        for rung in records.iter().flat_map(|record| record["fields"].as_array().expect("fields")) {
            let path = rung["path"].as_str().expect("a path").to_owned();
            if rung["preview"]["status"] == "binary-only" {
                let uri = rung["resource"]["uri"].as_str().expect("a URI").to_owned();
                opened.files.insert(path, uri);
                continue;
            }
            let rest = opened.rests.entry(path).or_insert(Rest { shown: String::new(), step: None });
            // Both ways on are callable; the cursor stands for the place where the preview ended.
            let Some(read) = rung.get("read") else { continue };
            rest.step = Some(Step::spelled(read).in_large_windows());
            if let Some(cursor) = rung["next_cursor"].as_str() {
                let args = json!({ "id": read["args"]["id"], "field_path": rung["path"], "cursor": cursor });
                rest.step = Some(Step::field(args).in_large_windows());
            }
        }
        Ok(opened)
    }

    fn window(&mut self, step: &Step) -> Result<Window, Refused> {
        let Step::Call { tool, args } = step else { panic!("no such link was shown: {step:?}") };
        let seen = self.see(tool, args)?;
        let (window, path) = (&seen["window"], &seen["field"]["path"]);
        let next = window["next_cursor"].as_str().map(|cursor| {
            Step::field(json!({ "id": seen["record"]["id"], "field_path": path, "cursor": cursor }))
        });
        let found = &window["match"];
        let start = window["start_chars"].as_u64().expect("a start");
        let text = window["text"].as_str().expect("text").to_owned();
        assert_eq!(window["end_chars"], json!(start + text.chars().count() as u64));
        assert_eq!(next.is_none(), window["end_chars"] == seen["field"]["size_chars"]);
        Ok(Window {
            start,
            text,
            matched: found["start_chars"].as_u64().zip(found["end_chars"].as_u64()),
            digest: seen["field"]["digest"].as_str().map(str::to_owned),
            next,
        })
    }

    fn granted(&mut self) -> BTreeMap<String, BTreeSet<String>> {
        let streams = self.see("schema", &json!({})).expect("a schema")["data"]["streams"].take();
        let mut granted = BTreeMap::new();
        for stream in streams.as_array().expect("streams") {
            let args = json!({ "stream": stream["name"], "connection_id": stream["connection_id"] });
            let seen = self.see("schema", &args).expect("a schema")["data"]["streams"][0].take();
            let fields = seen["fields"].as_array().expect("fields").iter();
            let fields = fields.map(|field| field["name"].as_str().expect("a name").to_owned()).collect();
            let (connection, name) = (seen["connection_id"].as_str(), seen["name"].as_str());
            granted.insert(format!("{}/{}", connection.unwrap(), name.unwrap()), fields);
        }
        granted
    }
}
