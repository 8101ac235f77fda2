//! A store with one of everything, and a watch that remembers.

use crate::world::{World, line, stream};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use stepwell_contract::{ConnectionId, RecordId, StreamName};
use stepwell_source::SourceUrl;
use stepwell_source::care::{self, Checked, Problem, ProblemCode, Watch};
use stepwell_source::embedded::IngestTarget;
use stepwell_source::grant::StreamRequest;
use stepwell_source::prepare::{Manifest, prepare};

/// Remembers what it hears.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) stages: Vec<&'static str>,
    pub(crate) steps: u64,
    pub(crate) problems: Vec<Problem>,
}

impl Watch for Heard {
    fn stage(&mut self, name: &'static str, _: u64) {
        self.stages.push(name);
    }
    fn advance(&mut self, steps: u64) {
        self.steps += steps;
    }
    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}

impl Heard {
    pub(crate) fn codes(&self) -> BTreeSet<ProblemCode> {
        self.problems.iter().map(|problem| problem.code).collect()
    }
}

pub(crate) fn url(world: &World) -> SourceUrl {
    world.url.parse().expect("a store's address")
}

/// Checks a store.
pub(crate) async fn checked(url: &SourceUrl) -> (Checked, Heard) {
    let mut heard = Heard::default();
    let checked = care::check(url, &mut heard).await.expect("a check");
    assert_eq!(checked.problems, heard.problems.len() as u64);
    (checked, heard)
}

/// Asserts that a store has no problem.
pub(crate) async fn assert_sound(url: &SourceUrl) -> Checked {
    let (checked, heard) = checked(url).await;
    assert_eq!(heard.problems, [], "{checked:?}");
    checked
}

/// A record with a short text, a long one, a number, long values nested in JSON, and a file of three parts.
pub(crate) fn rich(number: u64) -> Value {
    let body: String = (0..3_000).map(|word| format!("word{word} of {number} ")).collect();
    let deep: String = (0..1_500).map(|word| format!("deep{word} \"é\" ")).collect();
    let list: Vec<String> = (0..1_000).map(|item| format!("item {item}")).collect();
    let bytes = STANDARD.encode(vec![number as u8; 150_000]);
    json!({
        "title": format!("heron {number}"), "n": 1.5, "flag": true, "none": null, "nul": "a\u{0}b", "a/b~c": "odd",
        "body": body, "meta": { "list": list, "deep": deep, "end": 1 },
        "file": { "$blob": { "mime_type": "image/png", "file_name": "a.png", "base64": bytes } },
    })
}

/// Fills a store with two rich records, an empty one, a grant that lists one of them, and a package.
pub(crate) async fn fill(world: &World) {
    let lines = [line("r1", &rich(1)), line("r2", &rich(2)), line("empty", &json!({}))];
    world.fill("home/notes", None, &lines).await;
    world.fill("work/notes", None, &[line("w1", &json!({ "title": "at work" }))]).await;
    let only = StreamRequest {
        connections: vec![ConnectionId::new("home").expect("an id")],
        resources: Some(vec![RecordId::new("r1").expect("a key")]),
        ..stream("notes")
    };
    world.grant(vec![only]).await;
    let at = |id: &str| StreamRequest {
        connections: vec![ConnectionId::new(id).expect("an id")],
        ..stream("notes")
    };
    world.package(vec![vec![at("home")], vec![at("work")]]).await;
}

/// Fills a store with the sample data.
pub(crate) async fn fill_with_sample(world: &World) {
    for connection in stepwell_sample::connections() {
        for stream in &connection.streams {
            let target = IngestTarget {
                connection: ConnectionId::new(connection.id).expect("an id"),
                connector: Some(connection.connector.to_owned()),
                label: Some(connection.label.to_owned()),
                stream: StreamName::new(stream.name).expect("a name"),
                manifest: Manifest::parse(&stream.manifest.to_string(), stream.name).expect("a manifest"),
            };
            let mut ingest = world.store.ingest(&target).await.expect("an ingest");
            for line in stream.ndjson().lines() {
                ingest
                    .push(prepare(line.as_bytes(), &target.manifest).expect("a record"))
                    .await
                    .expect("a push");
            }
            ingest.flush().await.expect("a flush");
        }
    }
}
