//! A client that is known to follow links, and that reads as resources whatever it can.

use crate::classes::session::{Session, header_and_text, joined, refused};
use crate::classes::{Class, Hit, Opened, Refused, Rest, Step, Window};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct ResourceAware(Session);

impl ResourceAware {
    /// Calls a tool and gives the links of its result, and the result.
    fn links(&mut self, tool: &str, args: &Value) -> Result<(Vec<Value>, Value), Refused> {
        let result = self.0.call(tool, args);
        if result["isError"] == true {
            return Err(refused(&joined(&result, "\n")));
        }
        let blocks = result["content"].as_array().expect("blocks");
        let links: Vec<Value> =
            blocks.iter().filter(|block| block["type"] == "resource_link").cloned().collect();
        assert!(links.len() <= 5, "{tool} {args}: {links:?}");
        Ok((links, result))
    }

    fn read_json(&mut self, uri: &str) -> Result<Value, Refused> {
        let contents = self.0.read(uri)?;
        assert_eq!(contents["mimeType"], "application/json");
        Ok(serde_json::from_str(contents["text"].as_str().expect("text")).expect("JSON"))
    }
}

impl Class for ResourceAware {
    const CLIENT: &str = "claude-code";

    fn new(session: Session) -> Self {
        Self(session)
    }

    fn session(&mut self) -> &mut Session {
        &mut self.0
    }

    fn search(&mut self, q: &str) -> Vec<Hit> {
        let (links, _) = self.links("search", &json!({ "q": q })).expect("a list");
        assert!(!links.is_empty(), "{q}");
        let hit = |link: &Value| Hit {
            id: link["name"].as_str().expect("a name").to_owned(),
            open: Step::Read(link["uri"].as_str().expect("a URI").to_owned()),
        };
        links.iter().filter(|link| is(link, "pdpp://record/")).map(hit).collect()
    }

    fn open(&mut self, record: &Step) -> Result<Opened, Refused> {
        let uri = match record {
            Step::Read(uri) => uri.clone(),
            // A call shows a link to the record itself.
            Step::Call { tool, args } => {
                let (links, _) = self.links(tool, args)?;
                let link = links.iter().find(|link| is(link, "pdpp://record/")).expect("a link");
                link["uri"].as_str().expect("a URI").to_owned()
            }
        };
        let document = self.read_json(&uri)?;
        let id = document["id"].as_str().expect("an id").to_owned();
        let mut opened = Opened { id, rests: BTreeMap::new(), files: BTreeMap::new() };
        for field in document["fields"].as_array().expect("fields") {
            let shown = match &field["value"] {
                Value::String(text) => text.clone(),
                Value::Object(cut) if cut.contains_key("$cut") => String::new(),
                other => other.to_string(),
            };
            let name = field["name"].as_str().expect("a name").to_owned();
            opened.rests.insert(name, Rest { shown, step: None });
        }
        let records = document["content_ladder"]["records"].as_array().cloned().unwrap_or_default();
        for rung in records.iter().flat_map(|record| record["fields"].as_array().expect("fields")) {
            let Some(uri) = rung["resource"]["uri"].as_str().map(str::to_owned) else { continue };
            let path = rung["path"].as_str().expect("a path").to_owned();
            if uri.starts_with("pdpp://blob/") {
                opened.files.insert(path, uri);
            } else {
                opened.rests.get_mut(&path).expect("the field").step = Some(Step::Read(uri));
            }
        }
        Ok(opened)
    }

    fn window(&mut self, step: &Step) -> Result<Window, Refused> {
        let uri = match step {
            Step::Read(uri) => uri.clone(),
            // A call says where its window and the next one are as resources. It links to the next one too, unless the
            // window is so short that its budget has no room for links.
            Step::Call { tool, args } => {
                let (links, result) = self.links(tool, args)?;
                let (structured, (_, text)) =
                    (&result["structuredContent"], header_and_text(&joined(&result, "\n")));
                let resource = &structured["resource"];
                if let Some(link) = links.iter().find(|link| named(link, "(next window)")) {
                    assert_eq!(link["uri"], resource["next_uri"]);
                } else if text.chars().count() >= 4_096 {
                    assert!(resource["next_uri"].is_null(), "a full window has room for a link: {links:?}");
                }
                let read = self.window(&Step::Read(resource["uri"].as_str().expect("a URI").to_owned()))?;
                assert_eq!(read.text, text, "the same window on both ways");
                let found = &structured["window"]["match"];
                let matched = found["start_chars"].as_u64().zip(found["end_chars"].as_u64());
                let next = resource["next_uri"].as_str().map(|uri| Step::Read(uri.to_owned()));
                return Ok(Window { matched, next, ..read });
            }
        };
        let contents = self.0.read(&uri)?;
        let (header, text) = header_and_text(contents["text"].as_str().expect("text"));
        let next = header["next_uri"].as_str().map(|uri| Step::Read(uri.to_owned()));
        let start = header["start_chars"].as_u64().expect("a start");
        assert_eq!(header["end_chars"], json!(start + text.chars().count() as u64));
        assert_eq!(next.is_none(), header["end_chars"] == header["total_chars"]);
        let digest = header["digest"].as_str().map(str::to_owned);
        Ok(Window { start, text, matched: None, digest, next })
    }

    fn granted(&mut self) -> BTreeMap<String, BTreeSet<String>> {
        let listed = self.0.ask("resources/list", json!({}))["result"]["resources"].take();
        let mut granted = BTreeMap::new();
        for link in listed.as_array().expect("a list") {
            let stream = self.read_json(link["uri"].as_str().expect("a URI")).expect("a stream");
            let fields = stream["streams"][0]["fields"].as_array().expect("fields").iter();
            let fields = fields.map(|field| field["name"].as_str().expect("a name").to_owned()).collect();
            granted.insert(link["name"].as_str().expect("a name").to_owned(), fields);
        }
        granted
    }

    /// An address that is stale leads nowhere; the record has a fresh one, as the refusal says.
    fn restart(&mut self, opened: &Opened, path: &str, refused: &Refused) -> (u64, Step) {
        if !refused.hints_at("fetch the record again") {
            let offset = refused.error["restart_offset_chars"].as_u64().expect("where to restart");
            let args = json!({ "id": opened.id, "field_path": path, "offset_chars": offset });
            return (offset, Step::field(args));
        }
        let again = self.open(&Step::fetch(json!({ "id": opened.id }))).expect("the record");
        let rest = &again.rests[path];
        (rest.shown.chars().count() as u64, rest.step.clone().expect("a way on"))
    }
}

fn is(link: &Value, kind: &str) -> bool {
    link["uri"].as_str().is_some_and(|uri| uri.starts_with(kind))
}

fn named(link: &Value, end: &str) -> bool {
    link["name"].as_str().is_some_and(|name| name.ends_with(end))
}
