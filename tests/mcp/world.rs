//! The sample data in a store that all these tests read, and the server on it.

use crate::program::{Granted, Store, block_on, stepwell};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_source::embedded::IngestTarget;
use stepwell_source::prepare::{Manifest, prepare};
use stepwell_source::sqlite::Missing;
use stepwell_source::{Embedded, SourceUrl};

/// All streams of the sample.
pub(crate) const STREAMS: &[&str] =
    &["--stream", "messages", "--stream", "conversations", "--stream", "chat_messages"];

/// A store with the sample data.
pub(crate) struct World {
    pub(crate) store: Store,
    /// A grant of everything.
    pub(crate) all: Granted,
}

impl World {
    /// The one that tests share; they only read.
    pub(crate) fn shared() -> &'static Self {
        static WORLD: OnceLock<World> = OnceLock::new();
        WORLD.get_or_init(Self::new)
    }

    /// One of its own, for a test that changes something.
    pub(crate) fn new() -> Self {
        let store = Store::sqlite();
        block_on(async {
            let url: SourceUrl = store.url.parse().unwrap();
            fill(&url.open(Missing::Create).await.unwrap()).await;
        });
        let all = store.grant(STREAMS);
        Self { store, all }
    }

    /// One with records of a test's own: `connection/stream`, and its records by key. Everything is granted.
    pub(crate) fn of(streams: &[(String, Vec<(String, Value)>)]) -> Self {
        Self::declared(streams, &|_| None)
    }

    /// The same, with what some of the streams declare about themselves.
    pub(crate) fn declared(
        streams: &[(String, Vec<(String, Value)>)],
        manifest: &dyn Fn(&str) -> Option<Value>,
    ) -> Self {
        let store = Store::sqlite();
        block_on(async {
            let url: SourceUrl = store.url.parse().unwrap();
            let open = url.open(Missing::Create).await.unwrap();
            for (place, records) in streams {
                let line = |(key, data): &(String, Value)| {
                    json!({ "key": key, "data": data, "emitted_at": "2025-06-01T00:00:00Z" }).to_string()
                };
                fill_stream(&open, place, manifest(place), records.iter().map(line)).await;
            }
        });
        let names: BTreeSet<&str> =
            streams.iter().filter_map(|(place, _)| Some(place.split_once('/')?.1)).collect();
        let arguments: Vec<&str> = names.into_iter().flat_map(|name| ["--stream", name]).collect();
        let all = store.grant(&arguments);
        Self { store, all }
    }

    /// The token of a grant.
    pub(crate) fn token(granted: &Granted) -> String {
        std::fs::read_to_string(&granted.token_file).unwrap().trim().to_owned()
    }

    /// `stepwell serve` on this store.
    pub(crate) fn serve(&self, arguments: &[&str]) -> Command {
        let mut command = self.store.command(&[&["serve"], arguments].concat());
        with_cache(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Lets every server of a test run share the tiers that the first one compiled.
pub(crate) fn with_cache(command: &mut Command) {
    command.env("XDG_CACHE_HOME", scratch("cache"));
}

/// A folder that survives the test run.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The program in the empty environment, with its own place for compiled tiers.
pub(crate) fn bare(home: &Path, arguments: &[&str]) -> Command {
    let mut command = stepwell(home, arguments);
    with_cache(&mut command);
    command
}

/// Ends a server that a test is done with, whatever became of the test.
#[derive(Debug)]
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn fill_stream(
    store: &Embedded,
    place: &str,
    manifest: Option<Value>,
    lines: impl Iterator<Item = String>,
) {
    let (connection, stream) = place.split_once('/').unwrap();
    let manifest = manifest.map(|document| Manifest::parse(&document.to_string(), stream).unwrap());
    let target = IngestTarget {
        connection: ConnectionId::new(connection).unwrap(),
        connector: Some("test".to_owned()),
        label: Some(format!("The {connection}")),
        stream: StreamName::new(stream).unwrap(),
        manifest: manifest.unwrap_or_default(),
    };
    let mut ingest = store.ingest(&target).await.unwrap();
    for line in lines {
        ingest.push(prepare(line.as_bytes(), &target.manifest).unwrap()).await.unwrap();
    }
    ingest.flush().await.unwrap();
}

async fn fill(store: &Embedded) {
    for connection in stepwell_sample::connections() {
        for stream in &connection.streams {
            let manifest = Manifest::parse(&stream.manifest.to_string(), stream.name).unwrap();
            let target = IngestTarget {
                connection: ConnectionId::new(connection.id).unwrap(),
                connector: Some(connection.connector.to_owned()),
                label: Some(connection.label.to_owned()),
                stream: StreamName::new(stream.name).unwrap(),
                manifest: manifest.clone(),
            };
            let mut ingest = store.ingest(&target).await.unwrap();
            for line in stream.ndjson().lines() {
                ingest.push(prepare(line.as_bytes(), &manifest).unwrap()).await.unwrap();
            }
            ingest.flush().await.unwrap();
        }
    }
}
